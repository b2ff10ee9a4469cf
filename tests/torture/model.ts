/**
 * What sessions and messages should be, told plainly: a value, and for each action what it makes of it. Written from the
 * rules, not from the code; nothing here knows of a database.
 */
import type { Message, MessageId, SessionId } from '../../src/lib/history/message';
import type { Run } from '../../src/lib/history/run';
import type { Session } from '../../src/lib/history/session';
import type { Stored } from './verdict';

export interface ModelMessage {
	readonly role: Message['role'];
	readonly text: string;
	readonly parent: MessageId | null;
	readonly depth: number;
	/** The newest checkpoint at or above it. */
	readonly checkpoint: MessageId | null;
	readonly tree: string;
	readonly writer: SessionId;
	/** Of a checkpoint: where verbatim text resumes. */
	readonly kept: MessageId | null;
}

export interface ModelRun {
	readonly runId: string;
	readonly question: MessageId;
	readonly answer: MessageId;
	/** Where the leaf goes back to when nothing comes; undefined where it stays. */
	readonly back: MessageId | null | undefined;
	readonly text: string;
}

export interface ModelSession {
	readonly tree: string;
	readonly leaf: MessageId | null;
	readonly revision: number;
	readonly title: string;
	readonly draft: string;
	readonly pins: readonly string[];
	readonly discarded: boolean;
	readonly run: ModelRun | null;
}

export interface Model {
	readonly messages: Readonly<Record<MessageId, ModelMessage>>;
	readonly sessions: Readonly<Record<SessionId, ModelSession>>;
}

export const empty: Model = { messages: {}, sessions: {} };

/** The model with a session changed; `leaf` raises the revision. */
export function withSession(
	model: Model,
	id: SessionId,
	change: Partial<Omit<ModelSession, 'revision'>>
): Model {
	const before = model.sessions[id];
	if (!before) throw new Error(`No ${id}.`);
	const hasMoved = change.leaf !== undefined && change.leaf !== before.leaf;
	const next = { ...before, ...change, revision: before.revision + (hasMoved ? 1 : 0) };
	return { ...model, sessions: { ...model.sessions, [id]: next } };
}

export function withMessage(
	model: Model,
	id: MessageId,
	message: Pick<ModelMessage, 'role' | 'text' | 'parent' | 'tree' | 'writer'> &
		Partial<Pick<ModelMessage, 'kept'>>
): Model {
	const parent = message.parent === null ? undefined : model.messages[message.parent];
	const full: ModelMessage = {
		kept: null,
		...message,
		depth: parent ? parent.depth + 1 : 0,
		checkpoint: message.role === 'checkpoint' ? id : (parent?.checkpoint ?? null)
	};
	return { ...model, messages: { ...model.messages, [id]: full } };
}

/** Ids from the root to a message. */
export function pathOf(model: Model, leaf: MessageId | null): MessageId[] {
	const path: MessageId[] = [];
	for (let id = leaf; id !== null; id = model.messages[id]?.parent ?? null) path.unshift(id);
	return path;
}

export function idsOf(model: Model, tree: string): MessageId[] {
	return Object.keys(model.messages).filter(
		// Keys of the record are ids; the language forgets that.
		(id) => model.messages[id as MessageId]?.tree === tree
	) as MessageId[];
}

/** The newest message below one, by the newest child each time: ids rise with time here. */
export function newestBelow(model: Model, id: MessageId): MessageId {
	const children = idsOf(model, model.messages[id]?.tree ?? '').filter(
		(child) => model.messages[child]?.parent === id
	);
	const newest = children.toSorted().at(-1);
	return newest === undefined ? id : newestBelow(model, newest);
}

/** Without a session, and, where it was the last of its tree, without the tree's messages. */
export function withoutSession(model: Model, gone: SessionId): Model {
	const sessions = Object.fromEntries(
		Object.entries(model.sessions).filter(([id]) => id !== gone)
	) as Model['sessions'];
	const tree = model.sessions[gone]?.tree;
	const isNeeded = Object.values(sessions).some((session) => session.tree === tree);
	const messages = Object.fromEntries(
		Object.entries(model.messages).filter(([, message]) => isNeeded || message.tree !== tree)
	);
	return { messages, sessions };
}

/** A database as the model would tell it. */
export function modelOf({ messages, sessions, runs }: Stored): Model {
	const byId = new Map(runs.map((run) => [run.sessionId, run]));
	return {
		messages: Object.fromEntries(messages.map((row) => [row.id, messageOf(row)])),
		sessions: Object.fromEntries(
			sessions.map((row) => [row.id, sessionOf(row, byId.get(row.id) ?? null)])
		)
	};
}

/** A model as text, keys in order, so that two can be compared. */
export function told(model: Model): string {
	return JSON.stringify(model, (_, value: unknown) =>
		typeof value === 'object' && value !== null && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
			: value
	);
}

function messageOf(row: Message): ModelMessage {
	const isCheckpoint = row.role === 'checkpoint';
	return {
		role: row.role,
		text: isCheckpoint ? row.checkpoint.summary : textOf(row.parts),
		parent: row.parentId,
		depth: row.depth,
		checkpoint: row.checkpointId,
		tree: row.treeId,
		writer: row.originSessionId,
		kept: isCheckpoint ? row.checkpoint.firstKeptMessageId : null
	};
}

function sessionOf(row: Session, run: Run | null): ModelSession {
	return {
		tree: row.treeId,
		leaf: row.leafId,
		revision: row.branchRevision,
		title: row.title,
		draft: row.draft.text,
		pins: (row.pins ?? []).map((pin) => (pin.kind === 'message' ? pin.messageId : pin.text)),
		discarded: typeof row.discardedAt === 'number',
		run: run && {
			runId: run.runId,
			question: run.parentId,
			answer: run.messageId,
			back: run.previousLeafId,
			text: textOf(run.parts)
		}
	};
}

const textOf = (parts: Message['parts']) =>
	parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
