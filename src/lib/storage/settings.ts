import { atomic } from './atomic';
import type { HiloDatabase } from './database';

/** One setting as it was stored, or undefined. The reader checks its shape. */
export async function readSetting(db: HiloDatabase, key: string): Promise<unknown> {
	return (await db.settings.get(key))?.value;
}

/** Stores one setting. */
export async function saveSetting(db: HiloDatabase, key: string, value: unknown): Promise<void> {
	await atomic(db, [db.settings], () => db.settings.put({ key, value }));
}
