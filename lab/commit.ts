import type { Checkpoint, CheckpointMessage, Message, MessageId } from '../src/lib/history/message';
import { attachCheckpoint } from '../src/lib/history/tree';
import { branchOf } from './situation';
import type { Workbench } from './workbench';

/** A checkpoint that may never be written: a defect of the core or of the laboratory. */
export class CheckpointError extends Error {
	override readonly name = 'CheckpointError';
}

/**
 * Puts a checkpoint at the leaf, by the rules of the app's own commit (H33–H35). There is one writer, so nothing is
 * compared. No message is changed.
 */
export function commitTo(
	bench: Workbench,
	checkpoint: Checkpoint,
	id: MessageId,
	now: number
): { readonly bench: Workbench; readonly message: CheckpointMessage } {
	const branch = branchOf(bench);
	const parent = branch.at(-1);
	if (!parent) throw new CheckpointError('An empty session has no checkpoint.');
	checkBoundary(branch, parent, checkpoint);
	const { session } = bench;
	const message = attachCheckpoint(checkpoint, {
		id,
		treeId: session.treeId,
		sessionId: session.id,
		now,
		parent
	});
	return {
		message,
		bench: {
			...bench,
			messages: [...bench.messages, message],
			session: {
				...session,
				leafId: id,
				branchRevision: session.branchRevision + 1,
				updatedAt: Math.max(now, session.updatedAt)
			},
			underWay: null
		}
	};
}

/** The boundary must be a user message on the branch, not before the previous one. */
function checkBoundary(branch: readonly Message[], parent: Message, checkpoint: Checkpoint): void {
	if (checkpoint.summary.trim() === '') throw new CheckpointError('A checkpoint needs a summary.');
	if (checkpoint.previousCheckpointId !== parent.checkpointId) {
		throw new CheckpointError('The previous checkpoint is not the newest on the branch.');
	}
	const { firstKeptMessageId } = checkpoint;
	if (firstKeptMessageId === null) {
		const newest = branch.findLast((message) => message.role !== 'checkpoint');
		if (newest?.role === 'user') throw new CheckpointError('An unanswered message must be kept.');
		return;
	}
	const boundary = branch.find((message) => message.id === firstKeptMessageId);
	if (boundary?.role !== 'user') {
		throw new CheckpointError('The boundary is not a user message on the branch.');
	}
	const previous = branch.find((message) => message.id === parent.checkpointId);
	if (previous?.role !== 'checkpoint') return;
	const before = previous.checkpoint.firstKeptMessageId;
	const depth = branch.find((message) => message.id === (before ?? previous.id))?.depth;
	if (depth === undefined || boundary.depth < depth) {
		throw new CheckpointError('The boundary would move back.');
	}
}
