import { isDepth } from './shape';
import type {
	Checkpoint,
	CheckpointMessage,
	ConversationMessage,
	Message,
	MessageDraft,
	MessageId,
	SessionId,
	TreeId
} from './message';

/** What a new entry needs besides its content. Clock and ids come in as arguments so that the core stays pure. */
export interface Place {
	readonly id: MessageId;
	readonly treeId: TreeId;
	readonly sessionId: SessionId;
	/** Epoch milliseconds. */
	readonly now: number;
	readonly parent: Message | null;
}

/** A broken invariant of the tree: a defect of the caller, never an expected outcome. */
export class TreeError extends Error {
	override readonly name = 'TreeError';
}

function place({ id, treeId, sessionId, now, parent }: Place) {
	if (parent && parent.treeId !== treeId)
		throw new TreeError('The parent belongs to another tree.');
	return {
		id,
		treeId,
		parentId: parent?.id ?? null,
		depth: parent ? parent.depth + 1 : 0,
		originSessionId: sessionId,
		createdAt: now
	};
}

/**
 * Gives a conversation message its place below `parent`. Depth and checkpoint are derived here and never change; what the
 * draft carries beside its content is left behind, so that it cannot forge them. Rules H2–H4.
 */
export function attach(draft: MessageDraft, at: Place): ConversationMessage {
	const entry = {
		...place(at),
		checkpointId: at.parent?.checkpointId ?? null,
		parts: draft.parts
	};
	return draft.role === 'user'
		? { ...entry, role: draft.role, metadata: draft.metadata }
		: { ...entry, role: draft.role, metadata: draft.metadata };
}

/** Gives a checkpoint its place below `parent`, which it must have. A checkpoint is its own newest checkpoint. */
export function attachCheckpoint(checkpoint: Checkpoint, at: Place): CheckpointMessage {
	if (!at.parent) throw new TreeError('A checkpoint needs a parent.');
	return {
		...place(at),
		checkpointId: at.id,
		role: 'checkpoint',
		parts: [],
		metadata: {},
		checkpoint
	};
}

/**
 * The path that ends at `leafId`, oldest first, from rows in any order: down to the root, or to `fromDepth` where only a
 * range of depths was read. Rows of other branches are ignored. Null, never a shorter path, when the history is damaged:
 * rule H5.
 */
export function pathTo(
	leafId: MessageId,
	rows: Iterable<Message>,
	fromDepth = 0
): Message[] | null {
	const byId = new Map<MessageId, Message>();
	for (const row of rows) byId.set(row.id, row);
	const path: Message[] = [];
	let message = byId.get(leafId);
	// Depths fall with every step, so a circle ends; an endless number is as deep as the one above it.
	while (message && isDepth(message.depth)) {
		path.push(message);
		if (message.depth === 0 && !isRoot(message)) return null;
		if (message.depth <= fromDepth) return path.reverse();
		const parent: Message | undefined =
			message.parentId === null ? undefined : byId.get(message.parentId);
		if (!parent || !isChild(message, parent)) return null;
		message = parent;
	}
	return null;
}

function isRoot(message: Message): boolean {
	return message.parentId === null && message.checkpointId === null;
}

/** Whether a row stands where H2 and H3 put a child of `parent`. Depths fall with every step, so a cycle never does. */
function isChild(message: Message, parent: Message): boolean {
	const checkpointId = message.role === 'checkpoint' ? message.id : parent.checkpointId;
	return (
		parent.depth === message.depth - 1 &&
		parent.treeId === message.treeId &&
		message.checkpointId === checkpointId
	);
}
