import type { FilePart, MessageId, ModelRef, SessionId, TemplateName, TreeId } from './message';

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
	readonly pinned: boolean;
}
