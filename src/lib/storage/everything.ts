import type { Message } from '../history/message';
import type { Session } from '../history/session';
import { atomic } from './atomic';
import type { HiloDatabase } from './database';

/** What became of one session of an import. */
export type Imported =
	| { readonly kind: 'added' | 'same'; readonly session: Session }
	| { readonly kind: 'conflict'; readonly session: Session; readonly what: string };

/**
 * Adds one session of a bundle in one transaction: all of it or nothing. Rows that are already there and the same are
 * left alone, so importing twice changes nothing; a row that is there and differs is a conflict, reported, never merged.
 * @param same deep comparison of two rows
 */
export async function addImported(
	db: HiloDatabase,
	session: Session,
	messages: readonly Message[],
	same: (a: unknown, b: unknown) => boolean
): Promise<Imported> {
	return atomic(db, [db.sessions, db.messages], async () => {
		const known = await db.messages.bulkGet(messages.map((message) => message.id));
		const differs = messages.findIndex((message, index) => {
			const other = known[index];
			return other !== undefined && !same(message, other);
		});
		if (differs !== -1) {
			return {
				kind: 'conflict',
				session,
				what: `Message ${messages[differs]?.id ?? ''} is already here with other content.`
			};
		}
		const existing = await db.sessions.get(session.id);
		const fresh = messages.filter((_, index) => known[index] === undefined);
		// One that was deleted here and is imported again is brought back.
		const isDiscarded = typeof existing?.discardedAt === 'number';
		if (existing && !same(undiscarded(existing), undiscarded(session))) {
			return {
				kind: 'conflict',
				session,
				what: 'This session is already here and has changed since.'
			};
		}
		if (existing && fresh.length === 0 && !isDiscarded) return { kind: 'same', session };
		await db.messages.bulkAdd(fresh);
		await db.sessions.put(session);
		return { kind: 'added', session };
	});
}

/** A session whether or not it was deleted. */
function undiscarded(session: Session): object {
	return Object.fromEntries(Object.entries(session).filter(([name]) => name !== 'discardedAt'));
}

/** Counts of what is stored. */
export async function countRows(
	db: HiloDatabase
): Promise<{ readonly sessions: number; readonly messages: number }> {
	return { sessions: await db.sessions.count(), messages: await db.messages.count() };
}

/** Removes the whole database: sessions, files, settings, providers and their keys. */
export async function eraseDatabase(db: HiloDatabase): Promise<void> {
	db.retire();
	await db.delete({ disableAutoOpen: true });
}
