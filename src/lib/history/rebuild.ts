import { readablePart, type Examination } from './integrity';
import {
	shortId,
	type Checkpoint,
	type Message,
	type MessageId,
	type SessionId,
	type TreeId
} from './message';
import { attach, attachCheckpoint } from './tree';

/** A branch made anew from what could be read of another. */
export interface Rebuilt {
	readonly messages: readonly Message[];
	/** The new id of each message that was taken over. */
	readonly ids: ReadonlyMap<MessageId, MessageId>;
	/** Checkpoints that could be read, but not kept: their boundary or the one before is not in the part. */
	readonly droppedCheckpoints: number;
}

/** What the copies are born with. */
export interface Birth {
	readonly treeId: TreeId;
	readonly sessionId: SessionId;
	readonly newId: () => MessageId;
}

/**
 * Copies the readable part of a branch into a tree of its own: new ids, places derived anew, texts and times as they were.
 * A checkpoint comes along where its boundary and its previous checkpoint do. Rules H57, H58.
 */
export function rebuild(examination: Examination, birth: Birth): Rebuilt {
	const part = readablePart(examination);
	const ids = new Map<MessageId, MessageId>();
	const messages: Message[] = [];
	const users = new Set<MessageId>();
	let droppedCheckpoints = 0;
	let parent: Message | null = null;
	for (const message of part) {
		const id = withShortId(birth.newId(), message.id);
		const { treeId, sessionId } = birth;
		const place = { id, treeId, sessionId, now: message.createdAt, parent };
		let copy: Message;
		if (message.role === 'checkpoint') {
			const checkpoint = moved(message.checkpoint, ids, users, parent);
			if (!checkpoint) {
				droppedCheckpoints++;
				continue;
			}
			copy = attachCheckpoint(checkpoint, place);
		} else copy = attach(message, place);
		if (message.role === 'user') users.add(message.id);
		ids.set(message.id, id);
		messages.push(copy);
		parent = copy;
	}
	return { messages, ids, droppedCheckpoints };
}

/** The checkpoint with the new ids, or null where it cannot stand there. */
function moved(
	checkpoint: Checkpoint,
	ids: ReadonlyMap<MessageId, MessageId>,
	users: ReadonlySet<MessageId>,
	parent: Message | null
): Checkpoint | null {
	const { firstKeptMessageId: kept, previousCheckpointId: previous } = checkpoint;
	if (!parent) return null;
	if (kept !== null && !users.has(kept)) return null;
	const newPrevious = previous === null ? null : ids.get(previous);
	if (newPrevious === undefined || newPrevious !== parent.checkpointId) return null;
	const here = (id: MessageId) => ids.get(id) ?? [];
	return {
		...checkpoint,
		firstKeptMessageId: kept === null ? null : (ids.get(kept) ?? null),
		previousCheckpointId: newPrevious,
		references: checkpoint.references.map((reference) => ({
			...reference,
			messageIds: reference.messageIds.flatMap(here)
		})),
		...(checkpoint.pinned && {
			pinned: checkpoint.pinned.map(({ messageId, text }) => ({
				messageId: messageId === null ? null : (ids.get(messageId) ?? null),
				text
			}))
		})
	};
}

/** A new id that keeps the old one's short form: by that, summaries and answers cite messages in their text. */
function withShortId(id: MessageId, old: MessageId): MessageId {
	const short = shortId(old);
	return /^[0-9a-f]{10}$/.test(short) ? ((id.slice(0, -10) + short) as MessageId) : id;
}
