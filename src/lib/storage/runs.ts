import type {
	AssistantMetadata,
	Message,
	MessageDraft,
	MessageId,
	Part,
	SessionId
} from '../history/message';
import type { Run } from '../history/run';
import { sameDraft, type Draft, type Session } from '../history/session';
import { attach, TreeError } from '../history/tree';
import { atomic } from './atomic';
import type { HiloDatabase } from './database';
import { compare, withLeaf, type Expected } from './expected';

/** A conditional write: done, or refused because the branch is not what the writer believed. */
export type Swap<T> = ({ readonly kind: 'done' } & T) | { readonly kind: 'stale' };

/** A new run, before it knows its parent. */
export type NewRun = Pick<Run, 'runId' | 'messageId' | 'model'>;

/** The user's message, and where it goes: below the leaf, or, on Edit, below the parent of what is edited. */
export interface NewUserMessage {
	readonly id: MessageId;
	readonly parentId: MessageId | null;
	readonly draft: MessageDraft & { readonly role: 'user' };
	/** The draft that stays in the composer: empty after a send, untouched after an edit. */
	readonly draftAfter: Draft;
	/**
	 * The stored draft as the sender knows it. Where the stored one differs, another tab wrote it, and it is left alone.
	 * Left out: `draftAfter` is written whatever is stored.
	 */
	readonly draftBefore?: Draft;
}

/**
 * Appends the user's message and opens the run that will answer it, in one transaction: the message is durable before
 * the provider is called. The session's draft changes with it, so that a text is never in both places or in none. Rule
 * H14.
 */
export async function beginRun(
	db: HiloDatabase,
	expected: Expected,
	user: NewUserMessage,
	run: NewRun,
	now: number
): Promise<Swap<{ readonly session: Session; readonly message: Message; readonly run: Run }>> {
	return atomic(db, [db.sessions, db.messages, db.runs], async () => {
		const session = await compare(db, expected);
		if (!session || (await db.runs.get(session.id))) return { kind: 'stale' };
		const parent = await parentOf(db, user.parentId);
		const message = attach(user.draft, {
			id: user.id,
			treeId: session.treeId,
			sessionId: session.id,
			now,
			parent
		});
		const isForeign = user.draftBefore && !sameDraft(session.draft, user.draftBefore);
		const draft = isForeign ? session.draft : user.draftAfter;
		const next = { ...withLeaf(session, message.id, now), draft };
		const row = openRun(run, session.id, message.id, now);
		await db.messages.add(message);
		await db.sessions.put(next);
		await db.runs.add(row);
		return { kind: 'done', session: next, message, run: row };
	});
}

/**
 * Opens a run that answers a user message already in the tree: Retry, or an answer that never came. The leaf moves to
 * that message; the old answer stays in the tree as its sibling. `userId` may be a checkpoint that a preflight put below
 * the question. Rule H15.
 * @throws TreeError when there is no question to answer
 */
export async function beginRetry(
	db: HiloDatabase,
	expected: Expected,
	userId: MessageId,
	run: NewRun,
	now: number
): Promise<Swap<{ readonly session: Session; readonly run: Run }>> {
	return atomic(db, [db.sessions, db.messages, db.runs], async () => {
		const session = await compare(db, expected);
		if (!session || (await db.runs.get(session.id))) return { kind: 'stale' };
		if (!(await isQuestion(db, session, userId))) {
			throw new TreeError('There is no question to answer here.');
		}
		const next = session.leafId === userId ? session : withLeaf(session, userId, now);
		const row = {
			...openRun(run, session.id, userId, now),
			...(next === session ? {} : { previousLeafId: session.leafId })
		};
		await db.sessions.put(next);
		await db.runs.add(row);
		return { kind: 'done', session: next, run: row };
	});
}

/** Whether an answer can hang below a message: a user's, or a checkpoint's with nothing but checkpoints up to one. */
async function isQuestion(db: HiloDatabase, session: Session, id: MessageId): Promise<boolean> {
	let message = await db.messages.get(id);
	while (message?.role === 'checkpoint' && message.parentId !== null) {
		message = await db.messages.get(message.parentId);
	}
	return message?.role === 'user' && message.treeId === session.treeId;
}

function openRun(run: NewRun, sessionId: SessionId, parentId: MessageId, now: number): Run {
	return { ...run, sessionId, parentId, parts: [], startedAt: now, updatedAt: now };
}

/** Keeps the answer so far. False when the run is no longer the session's: a late chunk changes nothing. */
export async function saveRun(
	db: HiloDatabase,
	run: Pick<Run, 'sessionId' | 'runId'>,
	parts: readonly Part[],
	now: number
): Promise<boolean> {
	return atomic(db, [db.runs], async () => {
		const row = await db.runs.get(run.sessionId);
		if (row?.runId !== run.runId) return false;
		await db.runs.put({ ...row, parts, updatedAt: now });
		return true;
	});
}

/**
 * Turns a run into a durable answer and removes its row, in one transaction. The leaf follows only if it still stands at
 * the question; otherwise the answer is kept as a branch. Null when the run is no longer there. Rules H16, H17.
 */
export async function finishRun(
	db: HiloDatabase,
	run: Pick<Run, 'sessionId' | 'runId'>,
	answer: { readonly parts: readonly Part[]; readonly metadata: AssistantMetadata },
	now: number
): Promise<{ readonly session: Session; readonly message: Message } | null> {
	return atomic(db, [db.sessions, db.messages, db.runs], async () => {
		const row = await db.runs.get(run.sessionId);
		const session = await db.sessions.get(run.sessionId);
		if (row?.runId !== run.runId || !session) return null;
		const parent = await parentOf(db, row.parentId);
		const message = attach(
			{ role: 'assistant', ...answer },
			{ id: row.messageId, treeId: session.treeId, sessionId: session.id, now, parent }
		);
		const next = session.leafId === row.parentId ? withLeaf(session, message.id, now) : session;
		await db.messages.add(message);
		await db.sessions.put(next);
		await db.runs.delete(run.sessionId);
		return { session: next, message };
	});
}

/**
 * Removes a run that produced nothing. The question stands unanswered, or, after a Retry, the leaf goes back to the answer
 * it came from. False when the run is no longer there.
 */
export async function dropRun(
	db: HiloDatabase,
	run: Pick<Run, 'sessionId' | 'runId'>,
	now: number = Date.now()
): Promise<boolean> {
	return atomic(db, [db.runs, db.sessions], async () => {
		const row = await db.runs.get(run.sessionId);
		if (row?.runId !== run.runId) return false;
		const session = await db.sessions.get(run.sessionId);
		if (row.previousLeafId !== undefined && session?.leafId === row.parentId) {
			await db.sessions.put(withLeaf(session, row.previousLeafId, now));
		}
		await db.runs.delete(run.sessionId);
		return true;
	});
}

async function parentOf(db: HiloDatabase, id: MessageId | null): Promise<Message | null> {
	if (id === null) return null;
	const parent = await db.messages.get(id);
	if (!parent) throw new Error(`Message ${id} is missing: this history is damaged.`);
	return parent;
}
