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
 * lets the transaction commit early, and the rejection would then hide a write that happened. Rules H20, H21.
 * @throws StorageError when the database refused; nothing of `work` is stored then
 */
export async function atomic<T>(
	db: HiloDatabase,
	tables: readonly Table[],
	work: (signalAbort: () => void) => Promise<T>
): Promise<T> {
	let hasBegun = false;
	const once = () =>
		db.transaction('rw', [...tables, db.meta], async (transaction) => {
			const epoch = await db.meta.get('epoch');
			if (epoch?.value !== EPOCH) throw new StorageError('outdated', 'The database is newer.');
			hasBegun = true;
			return work(() => transaction.abort());
		});
	try {
		return await once();
	} catch (error) {
		const failure = storageError(error);
		const isLost = failure instanceof StorageError && failure.kind === 'closed';
		// What had begun may have been stored before the connection went: only what had not is tried again. Rule H29.
		if (!isLost || hasBegun || db.isRetired) throw failure;
	}
	try {
		await db.reopen();
		return await once();
	} catch (error) {
		throw storageError(error);
	}
}

/** Puts whatever IndexedDB or Dexie threw into the four kinds the app can speak about. Rule H22. */
export function storageError(error: unknown): unknown {
	if (error instanceof StorageError) return error;
	if (!(error instanceof Dexie.DexieError) && !(error instanceof DOMException)) return error;
	const names = namesIn(error, new Set());
	if (names.has('QuotaExceededError')) return new StorageError('quota', error);
	if (names.has('DatabaseClosedError') || names.has('InvalidStateError')) {
		return new StorageError('closed', error);
	}
	return new StorageError('unknown', error);
}

/** The names of an error and of all it wraps: Dexie puts the reason of an abort inside, and of many writes in a list. */
function namesIn(error: unknown, seen: Set<unknown>): Set<string> {
	if (!(error instanceof Error) || seen.has(error)) return new Set();
	seen.add(error);
	const inner = 'inner' in error ? [error.inner] : [];
	const failures = 'failures' in error && Array.isArray(error.failures) ? error.failures : [];
	const below = [...inner, ...failures].flatMap((each) => [...namesIn(each, seen)]);
	return new Set([error.name, ...below]);
}
