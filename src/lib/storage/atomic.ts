import Dexie, { type Table } from 'dexie';
import { EPOCH, type HiloDatabase } from './database';

/** Why storage refused. `quota`: the disk or the browser's share is full. `outdated`: a newer app owns the database. */
export type StorageFailureKind = 'quota' | 'closed' | 'outdated' | 'unknown';

/** A write or read that did not happen. Nothing of it was stored. */
export class StorageError extends Error {
	override readonly name = 'StorageError';
	constructor(
		readonly kind: StorageFailureKind,
		cause: unknown
	) {
		super(cause instanceof Error ? cause.message : String(cause), { cause });
	}
}

/**
 * The only way to write: one read-write transaction over `tables`. Resolves after `complete`, not after the last
 * request, because quota failures arrive only at commit. Inside `work` only Dexie calls may be awaited: a foreign await
 * lets the transaction commit early, and the rejection would then hide a write that happened.
 * @throws StorageError when the database refused; nothing of `work` is stored then
 */
export async function atomic<T>(
	db: HiloDatabase,
	tables: readonly Table[],
	work: (signalAbort: () => void) => Promise<T>
): Promise<T> {
	try {
		return await db.transaction('rw', [...tables, db.meta], async (transaction) => {
			const epoch = await db.meta.get('epoch');
			if (epoch?.value !== EPOCH) throw new StorageError('outdated', 'The database is newer.');
			return work(() => transaction.abort());
		});
	} catch (error) {
		throw storageError(error);
	}
}

/** Puts whatever IndexedDB or Dexie threw into the four kinds the app can speak about. */
export function storageError(error: unknown): unknown {
	if (error instanceof StorageError) return error;
	if (!(error instanceof Dexie.DexieError) && !(error instanceof DOMException)) return error;
	const names = [error.name, nameOf(innerOf(error))];
	if (names.includes('QuotaExceededError')) return new StorageError('quota', error);
	if (names.some((name) => name === 'DatabaseClosedError' || name === 'InvalidStateError')) {
		return new StorageError('closed', error);
	}
	return new StorageError('unknown', error);
}

const innerOf = (error: object): unknown => ('inner' in error ? error.inner : undefined);
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');
