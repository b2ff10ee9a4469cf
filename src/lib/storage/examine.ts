import Dexie from 'dexie';
import { examineBranch, type BranchEnd, type Examination } from '../history/integrity';
import type { Message, MessageId, TreeId } from '../history/message';
import { isId, isWhole } from '../history/shape';
import type { BranchRead } from './branch';
import type { HiloDatabase } from './database';

/** Examines the whole branch of a session. Reads its tree: only for what was found damaged, or when asked to. */
export async function examineSession(db: HiloDatabase, end: BranchEnd): Promise<Examination> {
	return examineBranch(end, await readTreeRows(db, end));
}

/**
 * Every row that belongs to a session, as far as it can be found: by its tree, whatever stands for its depth; by the
 * session that wrote it; and by the links of the branch, which may lead to rows that name another tree.
 */
export async function readTreeRows(db: HiloDatabase, end: BranchEnd): Promise<Message[]> {
	const rows = new Map<MessageId, Message>();
	const add = (found: readonly (Message | undefined)[]) => {
		for (const row of found) if (row) rows.set(row.id, row);
	};
	const addTree = async (treeId: TreeId) => {
		if (typeof treeId !== 'string') return;
		const range = db.messages.where('[treeId+depth]');
		add(await range.between([treeId, Dexie.minKey], [treeId, Dexie.maxKey], true, true).toArray());
	};
	await addTree(end.treeId);
	const leaf = isId(end.leafId) && (rows.get(end.leafId) ?? (await db.messages.get(end.leafId)));
	if (leaf && leaf.treeId !== end.treeId) await addTree(leaf.treeId);
	const written = await db.messages.where('originSessionId').equals(end.id).primaryKeys();
	add(await db.messages.bulkGet(written.filter((id) => !rows.has(id))));

	const seen = new Set<MessageId>();
	for (let id = end.leafId; isId(id) && !seen.has(id);) {
		seen.add(id);
		if (!rows.has(id)) add([await db.messages.get(id)]);
		id = rows.get(id)?.parentId ?? null;
	}
	return [...rows.values()];
}

/**
 * The branch read, if each of its rows can be taken as it is; `damaged` otherwise. So the window and the context are
 * checked as they are read, and opening a session costs no more than before. Rule H50.
 */
export function checked(read: BranchRead, treeId: TreeId): BranchRead {
	if (read.kind === 'damaged') return read;
	let newest: MessageId | null | undefined;
	for (const message of read.messages) {
		if (!isWhole(message) || message.treeId !== treeId) {
			return { kind: 'damaged', what: 'A message of this branch cannot be read.' };
		}
		if (message.role === 'checkpoint') {
			const { previousCheckpointId } = message.checkpoint;
			if (newest !== undefined && previousCheckpointId !== newest) {
				return { kind: 'damaged', what: 'A checkpoint does not follow the one before it.' };
			}
		}
		newest = message.checkpointId;
	}
	return read;
}
