import type {
	CheckpointMessage,
	ConversationMessage,
	Message,
	MessageId
} from '../history/message';

/** What the model receives of a branch. Together with the covered messages it is the whole branch, each message once. */
export interface Projection {
	/** The newest checkpoint on the branch. */
	readonly checkpoint: CheckpointMessage | null;
	/** Verbatim messages from the checkpoint's boundary to its parent. */
	readonly tail: readonly ConversationMessage[];
	/** Verbatim messages after the checkpoint; the whole branch where there is none. */
	readonly later: readonly ConversationMessage[];
}

/** A branch whose newest checkpoint points at something that is not there, or says nothing: a damaged history. */
export class BoundaryError extends Error {
	override readonly name = 'BoundaryError';
}

/**
 * The projection of a branch. Rules C90, C91.
 * @param branch the path to the leaf, oldest first; it must reach back at least to the newest checkpoint's boundary
 * @throws BoundaryError when the boundary is not a user message on the branch before the checkpoint, or the checkpoint has
 * no summary
 */
export function project(branch: readonly Message[]): Projection {
	const at = branch.findLastIndex((message) => message.role === 'checkpoint');
	const checkpoint = branch[at];
	if (checkpoint?.role !== 'checkpoint') {
		return { checkpoint: null, tail: [], later: conversation(branch) };
	}
	const later = conversation(branch.slice(at + 1));
	const { summary, firstKeptMessageId } = checkpoint.checkpoint;
	// Everything before it would be gone without a word: a damaged import, since no commit writes one.
	if (summary.trim() === '') {
		throw new BoundaryError(`Checkpoint ${checkpoint.id} has no summary.`);
	}
	if (firstKeptMessageId === null) return { checkpoint, tail: [], later };
	const from = branch.findIndex((message) => message.id === firstKeptMessageId);
	if (from === -1 || from > at || branch[from]?.role !== 'user') {
		throw new BoundaryError(`The boundary of checkpoint ${checkpoint.id} is not on its branch.`);
	}
	return { checkpoint, tail: conversation(branch.slice(from, at)), later };
}

/** The message a projection ends with: the leaf of the branch it is of. */
export function leafOf({ checkpoint, later }: Projection): MessageId | null {
	return later.at(-1)?.id ?? checkpoint?.id ?? null;
}

/** What a next checkpoint may cover or keep: everything the newest checkpoint has not summarised. */
export function verbatim(projection: Projection): readonly ConversationMessage[] {
	return [...projection.tail, ...projection.later];
}

function conversation(messages: readonly Message[]): ConversationMessage[] {
	return messages.filter((message) => message.role !== 'checkpoint');
}
