import { atomic } from './atomic';
import type { HiloDatabase } from './database';

/** One setting as it was stored, or undefined. The reader checks its shape. */
export async function readSetting(db: HiloDatabase, key: string): Promise<unknown> {
	return (await db.settings.get(key))?.value;
}

/** Changes one setting as it is stored now, whatever another tab has made of it. */
export async function changeSetting(
	db: HiloDatabase,
	key: string,
	change: (value: unknown) => unknown
): Promise<void> {
	await atomic(db, [db.settings], async () => {
		const value = change((await db.settings.get(key))?.value);
		await db.settings.put({ key, value });
	});
}
