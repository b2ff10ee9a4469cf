import { TreeError } from './tree';
import type {
	FilePart,
	Message,
	MessageId,
	ModelRef,
	ReferenceKind,
	SessionId,
	TemplateName,
	TreeId
} from './message';

/** What the user is writing and has not sent. Kept per session; writing it changes no branch. */
export interface Draft {
	readonly text: string;
	readonly files: readonly FilePart[];
}

export const emptyDraft: Draft = { text: '', files: [] };

/** Whether two drafts hold the same text and files. */
export function sameDraft(a: Draft, b: Draft): boolean {
	return (
		a.text === b.text &&
		a.files.length === b.files.length &&
		a.files.every((file, index) => file.sha256 === b.files[index]?.sha256)
	);
}

/** What a person pinned: a message, or one reference by its exact text. Pins belong to the session, not to the message. */
export type Pin =
	| { readonly kind: 'message'; readonly messageId: MessageId }
	| { readonly kind: 'reference'; readonly reference: ReferenceKind; readonly text: string };

/** Whether two pins are of the same thing. */
export function samePin(a: Pin, b: Pin): boolean {
	return a.kind === 'message'
		? b.kind === 'message' && a.messageId === b.messageId
		: b.kind === 'reference' && a.text === b.text;
}

/** Compactions that failed one after the other, each asked of the same model. */
export interface CompactionFailures {
	readonly count: number;
	/** The model that was asked. */
	readonly model: ModelRef;
}

/**
 * A conversation as the user sees it: one leaf of one tree. Sessions made by Fork share a tree, so messages are never
 * copied. `branchRevision` rises only when the branch's durable content or leaf changes.
 */
export interface Session {
	readonly id: SessionId;
	readonly treeId: TreeId;
	/** The newest message of the active branch, or null while the session is empty. */
	readonly leafId: MessageId | null;
	readonly branchRevision: number;
	readonly title: string;
	/** Epoch milliseconds. */
	readonly createdAt: number;
	readonly updatedAt: number;
	readonly model: ModelRef;
	/** The system instructions, in the user's words. */
	readonly instructions: string;
	readonly template: TemplateName;
	readonly draft: Draft;
	/** The session is pinned in the sidebar. */
	readonly pinned: boolean;
	/** Texts that every later checkpoint carries. Absent where none are. */
	readonly pins?: readonly Pin[];
	/** Absent, or null, where the last compaction did not fail. After three automatic triggers rest. */
	readonly failures?: CompactionFailures | null;
	/** Checkpoints that were undone here: switching branches does not bring them back. */
	readonly undone?: readonly MessageId[];
	/** Epoch milliseconds when it was deleted: out of sight, and for a while it can be brought back. Absent: it was not. */
	readonly discardedAt?: number | null;
}

/** What a new session needs besides what it takes over. Clock and ids come in as arguments. */
export interface NewSession {
	readonly id: SessionId;
	/** Epoch milliseconds. */
	readonly now: number;
	readonly title: string;
}

/**
 * A session that goes on from `message` of the same tree: nothing is copied, and what follows there in the other session
 * is another branch here. Its checkpoint is the one above the message, if there is one. Rule H60.
 * @throws TreeError when the message is of another tree, or not an assistant's
 */
export function forkOf(session: Session, message: Message, fresh: NewSession): Session {
	if (message.treeId !== session.treeId || message.role !== 'assistant') {
		throw new TreeError('A session is forked from an answer of its own tree.');
	}
	return { ...copyOf(session, fresh), leafId: message.id, draft: emptyDraft };
}

/** A session of the same branch, to go on from where this one stands. The copy is neither pinned nor deleted. Rule H61. */
export function copyOf(session: Session, { id, now, title }: NewSession): Session {
	return {
		...session,
		id,
		title,
		branchRevision: 0,
		createdAt: now,
		updatedAt: now,
		pinned: false,
		failures: null,
		discardedAt: null
	};
}
