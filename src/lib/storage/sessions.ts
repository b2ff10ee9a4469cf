import Dexie from 'dexie';
import type { Message, MessageId, SessionId } from '../history/message';
import {
	copyOf,
	forkOf,
	samePin,
	type NewSession,
	type Pin,
	type Session
} from '../history/session';
import { atomic } from './atomic';
import type { HiloDatabase } from './database';
import { compare, withLeaf, type Expected } from './expected';

/** What of a session may change without touching its branch. It never raises the revision. */
export type SessionPatch = Partial<
	Pick<
		Session,
		'title' | 'pinned' | 'draft' | 'model' | 'instructions' | 'template' | 'pins' | 'failures'
	>
>;

/** Adds a session, with the messages it starts with: whole rows of an import, as they are. Rule H23. */
export async function addSession(
	db: HiloDatabase,
	session: Session,
	messages: readonly Message[] = []
): Promise<void> {
	await atomic(db, [db.sessions, db.messages], async () => {
		await db.messages.bulkAdd([...messages]);
		await db.sessions.add(session);
	});
}

const patchable = [
	'title',
	'pinned',
	'draft',
	'model',
	'instructions',
	'template',
	'pins',
	'failures'
] as const;

/**
 * Changes what is not the branch: title, pin, draft, model, instructions, template,
 * pinned texts, failures. A whole session row may be given; its
 * leaf and revision are not taken from it. Null when the session is gone. Rule H24.
 */
export async function patchSession(
	db: HiloDatabase,
	id: SessionId,
	patch: SessionPatch
): Promise<Session | null> {
	return atomic(db, [db.sessions], async () => {
		const session = await db.sessions.get(id);
		if (!session) return null;
		const fields = patchable.flatMap((name) =>
			patch[name] === undefined ? [] : [[name, patch[name]] as const]
		);
		const next: Session = { ...session, ...Object.fromEntries(fields) };
		await db.sessions.put(next);
		return next;
	});
}

/**
 * Pins something, or takes its pin away, in what is stored now: two tabs that pin do not undo each other's. Null when the
 * session is gone. Rule H24.
 */
export async function togglePin(
	db: HiloDatabase,
	id: SessionId,
	pin: Pin
): Promise<Session | null> {
	return atomic(db, [db.sessions], async () => {
		const session = await db.sessions.get(id);
		if (!session) return null;
		const pins = session.pins ?? [];
		const others = pins.filter((other) => !samePin(pin, other));
		const next: Session = {
			...session,
			pins: others.length < pins.length ? others : [...pins, pin]
		};
		await db.sessions.put(next);
		return next;
	});
}

/**
 * Moves the leaf: switch of branch, undo of a checkpoint. Null when the branch changed or a run is open. Rule H25.
 * @param undone the checkpoint that this undoes: the session remembers it, so that no switch brings it back unasked
 */
export async function moveLeaf(
	db: HiloDatabase,
	expected: Expected,
	leafId: MessageId | null,
	now: number,
	undone: MessageId | null = null
): Promise<Session | null> {
	return atomic(db, [db.sessions, db.runs, db.messages], async () => {
		const session = await compare(db, expected);
		if (!session || (await db.runs.get(session.id))) return null;
		if (session.leafId === leafId) return session;
		const leaf = leafId === null ? null : await db.messages.get(leafId);
		if (leaf === undefined || (leaf && leaf.treeId !== session.treeId)) return null;
		const moved = withLeaf(session, leafId, now);
		const next =
			undone === null ? moved : { ...moved, undone: [...(session.undone ?? []), undone] };
		await db.sessions.put(next);
		return next;
	});
}

/**
 * Opens a new session that goes on from an answer of another one. No message is copied. Null when either is gone.
 * Rule H60.
 * @throws TreeError when it is no answer of that session's tree
 */
export async function forkSession(
	db: HiloDatabase,
	id: SessionId,
	messageId: MessageId,
	fresh: NewSession
): Promise<Session | null> {
	return atomic(db, [db.sessions, db.messages], async () => {
		const [session, message] = await Promise.all([db.sessions.get(id), db.messages.get(messageId)]);
		if (!session || !message) return null;
		const fork = forkOf(session, message, fresh);
		await db.sessions.add(fork);
		return fork;
	});
}

/** Opens a second session on the same branch. Null when the first is gone. Rule H61. */
export async function duplicateSession(
	db: HiloDatabase,
	id: SessionId,
	fresh: NewSession
): Promise<Session | null> {
	return atomic(db, [db.sessions], async () => {
		const session = await db.sessions.get(id);
		if (!session) return null;
		const copy = copyOf(session, fresh);
		await db.sessions.add(copy);
		return copy;
	});
}

/**
 * Puts a session out of sight, with everything it needs, so that it can be brought back; null brings it back. False when
 * it is gone. Rule H62.
 * @param at epoch milliseconds
 */
export async function discardSession(
	db: HiloDatabase,
	id: SessionId,
	at: number | null
): Promise<boolean> {
	return atomic(
		db,
		[db.sessions],
		async () => (await db.sessions.update(id, { discardedAt: at })) > 0
	);
}

/**
 * Deletes for good what was discarded before `before`, each session in a transaction of its own. One that was brought back
 * meanwhile stays. Rule H62.
 */
export async function deleteDiscarded(db: HiloDatabase, before: number): Promise<void> {
	const isDue = ({ discardedAt }: Session) =>
		typeof discardedAt === 'number' && discardedAt < before;
	for (const session of await db.sessions.toArray()) {
		if (isDue(session)) await deleteSession(db, session.id, isDue);
	}
}

/**
 * Removes a session, and the messages of its tree once no other session is left there, in one transaction. Rule H26.
 * @param isMeant asked of the session as it is stored then; one that is not meant any more stays
 */
export async function deleteSession(
	db: HiloDatabase,
	id: SessionId,
	isMeant: (session: Session) => boolean = () => true
): Promise<void> {
	await atomic(db, [db.sessions, db.messages, db.runs], async () => {
		const session = await db.sessions.get(id);
		if (!session || !isMeant(session)) return;
		// Every session of a tree shows all its branches, so all of them are needed while one is left.
		const isLast = (await db.sessions.where({ treeId: session.treeId }).count()) === 1;
		if (isLast) {
			await db.messages
				.where('[treeId+depth]')
				.between([session.treeId, Dexie.minKey], [session.treeId, Dexie.maxKey], true, true)
				.delete();
		}
		await db.runs.delete(id);
		await db.sessions.delete(id);
	});
}
