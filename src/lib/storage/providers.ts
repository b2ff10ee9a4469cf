import { atomic } from './atomic';
import type { HiloDatabase, ProviderRow } from './database';

/** All configured providers. */
export function readProviders(db: HiloDatabase): Promise<ProviderRow[]> {
	return db.providers.toArray();
}

/** Adds or replaces a provider. */
export async function saveProvider(db: HiloDatabase, row: ProviderRow): Promise<void> {
	await atomic(db, [db.providers], () => db.providers.put(row));
}

/** Forgets a provider and its key. */
export async function removeProvider(db: HiloDatabase, id: string): Promise<void> {
	await atomic(db, [db.providers], () => db.providers.delete(id));
}

/** Changes one provider as it is stored now, whatever another tab has made of it. Null when it is gone. */
export async function changeProvider(
	db: HiloDatabase,
	id: string,
	change: (row: ProviderRow) => ProviderRow
): Promise<ProviderRow | null> {
	return atomic(db, [db.providers], async () => {
		const row = await db.providers.get(id);
		if (!row) return null;
		const next = change(row);
		await db.providers.put(next);
		return next;
	});
}
