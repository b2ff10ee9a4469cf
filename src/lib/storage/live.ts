import { liveQuery } from 'dexie';
import type { SessionId } from '../history/message';
import type { Run } from '../history/run';
import type { Session } from '../history/session';
import { readSession } from '../history/session-shape';
import { storageError } from './atomic';
import type { HiloDatabase } from './database';

type Unsubscribe = () => void;

function watch<T>(
	read: () => Promise<T>,
	onValue: (value: T) => void,
	onError: (error: unknown) => void
): Unsubscribe {
	const subscription = liveQuery(read).subscribe({
		next: onValue,
		error: (error: unknown) => onError(storageError(error))
	});
	return () => subscription.unsubscribe();
}

/** Calls back with all sessions, newest first, now and after every change in any tab. */
export function watchSessions(
	db: HiloDatabase,
	onValue: (sessions: readonly Session[], busy: ReadonlySet<SessionId>) => void,
	onError: (error: unknown) => void
): Unsubscribe {
	return watch(
		async () => ({
			// Not by the index: a session whose time cannot be read would be missing without a word.
			sessions: (await db.sessions.toArray())
				.map((row) => readSession(row).session)
				.sort((a, b) => b.updatedAt - a.updatedAt),
			busy: new Set(await db.runs.toCollection().primaryKeys())
		}),
		({ sessions, busy }) => onValue(sessions, busy),
		onError
	);
}

/** Calls back with one session's row and its open run, now and after every change in any tab. */
export function watchSession(
	db: HiloDatabase,
	id: SessionId,
	onValue: (session: Session | null, run: Run | null) => void,
	onError: (error: unknown) => void
): Unsubscribe {
	return watch(
		async () => ({
			session: await db.sessions.get(id).then((row) => {
				// What was deleted is gone, for whoever has it on screen, until it is brought back.
				if (!row || typeof row.discardedAt === 'number') return null;
				return readSession(row).session;
			}),
			run: (await db.runs.get(id)) ?? null
		}),
		({ session, run }) => onValue(session, run),
		onError
	);
}
