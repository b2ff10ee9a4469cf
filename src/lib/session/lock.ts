import type { SessionId } from '$lib/history/message';

const nameOf = (id: SessionId) => `hilo-run-${id}`;

/**
 * Holds the lock that says "an answer for this session is being written in this tab", so that no one pays for it twice.
 * It decides nothing about the data: compare-and-swap does. Null when another tab holds it.
 */
export function holdRunLock(id: SessionId): Promise<(() => void) | null> {
	return new Promise((resolve, reject) => {
		navigator.locks
			.request(nameOf(id), { ifAvailable: true }, (lock) => {
				if (!lock) return resolve(null);
				return new Promise<void>((release) => resolve(release));
			})
			.catch(reject);
	});
}

/** Resolves once no tab holds the session's lock: its run has ended, or its tab is gone. */
export async function runLockFree(id: SessionId, signal: AbortSignal): Promise<void> {
	await navigator.locks.request(nameOf(id), { signal }, () => undefined);
}

/** Those of `ids` whose answer is being written in some tab now. */
export async function answeringNow(ids: Iterable<SessionId>): Promise<ReadonlySet<SessionId>> {
	const { held = [] } = await navigator.locks.query();
	const names = new Set(held.map((lock) => lock.name));
	return new Set([...ids].filter((id) => names.has(nameOf(id))));
}
