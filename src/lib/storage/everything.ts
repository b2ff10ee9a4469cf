import type { Message } from '../history/message';
import type { Session } from '../history/session';
import { atomic } from './atomic';
import type { AttachmentRow, HiloDatabase } from './database';

/** Sessions with all messages of their trees and the files those carry: what an export holds. */
export interface Bundle {
	readonly sessions: readonly Session[];
	readonly messages: readonly Message[];
	readonly attachments: readonly AttachmentRow[];
}

/** Reads what belongs to `sessions`: whole trees, so that no branch is left behind. */
export async function readBundle(db: HiloDatabase, sessions: readonly Session[]): Promise<Bundle> {
	const trees = [...new Set(sessions.map((session) => session.treeId))];
	const messages: Message[] = [];
	for (const treeId of trees) {
		messages.push(
			...(await db.messages
				.where('[treeId+depth]')
				.between([treeId, 0], [treeId, Infinity], true, true)
				.toArray())
		);
	}
	const files = new Set<string>();
	for (const { parts } of [
		...messages,
		...sessions.map((session) => ({ parts: session.draft.files }))
	]) {
		for (const part of parts) if (part.type === 'file') files.add(part.sha256);
	}
	const attachments = await db.attachments.bulkGet([...files]);
	return { sessions, messages, attachments: attachments.filter((row) => row !== undefined) };
}

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
		if (existing && !same(existing, session)) {
			return {
				kind: 'conflict',
				session,
				what: 'This session is already here and has changed since.'
			};
		}
		if (existing && fresh.length === 0) return { kind: 'same', session };
		await db.messages.bulkAdd(fresh);
		await db.sessions.put(session);
		return { kind: 'added', session };
	});
}

/** Counts of what is stored. */
export async function countRows(
	db: HiloDatabase
): Promise<{ readonly sessions: number; readonly messages: number }> {
	return { sessions: await db.sessions.count(), messages: await db.messages.count() };
}

/** Removes the whole database: sessions, files, settings, providers and their keys. */
export async function eraseDatabase(db: HiloDatabase): Promise<void> {
	await db.delete({ disableAutoOpen: true });
}
