import type { Checkpoint, CheckpointMessage, MessageId, Message } from '../history/message';
import type { Session } from '../history/session';
import { attachCheckpoint, pathTo } from '../history/tree';
import { atomic } from './atomic';
import type { HiloDatabase } from './database';
import { compare, withLeaf, type Expected } from './expected';

/** What became of a checkpoint. Only `committed` wrote anything. */
export type CheckpointCommit =
	| { readonly kind: 'committed'; readonly session: Session; readonly message: CheckpointMessage }
	| { readonly kind: 'stale' }
	| { readonly kind: 'aborted' };

/** A checkpoint that may never be written: a defect of the caller. */
export class CheckpointError extends Error {
	override readonly name = 'CheckpointError';
}

/**
 * The only way a checkpoint comes into the tree: compare-and-swap on leaf and revision, in one transaction. Nothing is
 * written if the branch changed, a run is open, or `signal` aborts before the transaction completes. Rules H30–H36.
 * @throws CheckpointError for a checkpoint that no branch may have (H33–H35), StorageError when the database refused
 */
export async function commitCheckpoint(
	db: HiloDatabase,
	expected: Expected,
	checkpoint: Checkpoint,
	id: MessageId,
	now: number,
	signal: AbortSignal
): Promise<CheckpointCommit> {
	if (signal.aborted) return { kind: 'aborted' };
	let cancel: (() => void) | null = null;
	const onAbort = () => {
		try {
			cancel?.();
		} catch {
			// The transaction has completed meanwhile and cannot be aborted: the checkpoint is there, and is reported.
		}
	};
	signal.addEventListener('abort', onAbort);
	try {
		return await atomic(db, [db.sessions, db.messages, db.runs], async (abort) => {
			cancel = abort;
			// Aborted while the transaction was being opened: nobody could cancel it yet.
			if (signal.aborted) return { kind: 'aborted' };
			// Reads that do not wait for each other: a commit is to take little longer than a bare swap.
			const [session, run] = await Promise.all([
				compare(db, expected),
				db.runs.get(expected.sessionId)
			]);
			if (!session?.leafId || run) return { kind: 'stale' };
			const parent = await db.messages.get(session.leafId);
			if (!parent) return { kind: 'stale' };
			await checkBoundary(db, parent, checkpoint);
			const message = attachCheckpoint(checkpoint, {
				id,
				treeId: session.treeId,
				sessionId: session.id,
				now,
				parent
			});
			const next = withLeaf(session, message.id, now);
			await db.messages.add(message);
			await db.sessions.put(next);
			return { kind: 'committed', session: next, message };
		});
	} catch (error) {
		if (signal.aborted) return { kind: 'aborted' };
		throw error;
	} finally {
		signal.removeEventListener('abort', onAbort);
	}
}

/** The boundary must be a user message on the branch, not before the previous one. Reads the tail only. H33–H35. */
async function checkBoundary(
	db: HiloDatabase,
	parent: Message,
	checkpoint: Checkpoint
): Promise<void> {
	if (checkpoint.summary.trim() === '') throw new CheckpointError('A checkpoint needs a summary.');
	if (checkpoint.previousCheckpointId !== parent.checkpointId) {
		throw new CheckpointError('The previous checkpoint is not the newest on the branch.');
	}
	const { firstKeptMessageId } = checkpoint;
	if (firstKeptMessageId === null) {
		if (await isUnanswered(db, parent)) {
			throw new CheckpointError('An unanswered message must be kept.');
		}
		return;
	}
	const [boundary, previous] = await db.messages.bulkGet([
		firstKeptMessageId,
		parent.checkpointId ?? firstKeptMessageId
	]);
	if (boundary?.role !== 'user' || boundary.treeId !== parent.treeId) {
		throw new CheckpointError('The boundary is not a user message of this tree.');
	}
	const tail = await db.messages
		.where('[treeId+depth]')
		.between([parent.treeId, boundary.depth], [parent.treeId, parent.depth], true, true)
		.toArray();
	if (pathTo(parent.id, tail, boundary.depth)?.[0]?.id !== firstKeptMessageId) {
		throw new CheckpointError('The boundary is not on the branch.');
	}
	if (parent.checkpointId === null) return;
	if (previous?.role !== 'checkpoint')
		throw new CheckpointError('The previous checkpoint is missing.');
	const before = previous.checkpoint.firstKeptMessageId;
	const beforeDepth = before === null ? previous.depth : (await db.messages.get(before))?.depth;
	if (beforeDepth === undefined || boundary.depth < beforeDepth) {
		throw new CheckpointError('The boundary would move back.');
	}
}

/** Whether the newest conversation message at or above `leaf` is a user's. Checkpoints may stand below a question. */
async function isUnanswered(db: HiloDatabase, leaf: Message): Promise<boolean> {
	let message: Message | undefined = leaf;
	while (message?.role === 'checkpoint') {
		message = message.parentId === null ? undefined : await db.messages.get(message.parentId);
	}
	return message?.role === 'user';
}
