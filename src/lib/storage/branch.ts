import type { Message, MessageId, TreeId } from '../history/message';
import { isDepth, isMoment } from '../history/shape';
import { pathTo } from '../history/tree';
import type { HiloDatabase } from './database';

/** A read of a branch: `damaged` means a parent is missing or out of place. An error is thrown, never an empty branch. */
export type BranchRead =
	| { readonly kind: 'branch'; readonly messages: readonly Message[]; readonly complete: boolean }
	| { readonly kind: 'damaged'; readonly what: string };

/** Messages of one window of the timeline. */
export const WINDOW = 80;

/** Reads the newest end of a branch: one range of depths, not one read a message. */
export async function readWindow(
	db: HiloDatabase,
	leafId: MessageId | null,
	count = WINDOW
): Promise<BranchRead> {
	if (leafId === null) return { kind: 'branch', messages: [], complete: true };
	const leaf = await db.messages.get(leafId);
	if (!leaf) return { kind: 'damaged', what: 'The newest message of this session is missing.' };
	return readPath(db, leaf, leaf.depth - count + 1);
}

/**
 * Reads what a projection is built from: the branch back to the boundary of its newest checkpoint, that checkpoint
 * included; all of it where there is none. Rules H41, H42.
 */
export async function readContext(db: HiloDatabase, leafId: MessageId | null): Promise<BranchRead> {
	if (leafId === null) return { kind: 'branch', messages: [], complete: true };
	const leaf = await db.messages.get(leafId);
	if (!leaf) return { kind: 'damaged', what: 'The newest message of this session is missing.' };
	if (leaf.checkpointId === null) return readPath(db, leaf, 0);
	const checkpoint = await db.messages.get(leaf.checkpointId);
	if (checkpoint?.role !== 'checkpoint') {
		return { kind: 'damaged', what: 'The newest checkpoint of this branch is missing.' };
	}
	const { firstKeptMessageId } = checkpoint.checkpoint;
	const first =
		firstKeptMessageId === null ? checkpoint : await db.messages.get(firstKeptMessageId);
	if (!first) {
		return { kind: 'damaged', what: 'The message where the checkpoint’s tail begins is missing.' };
	}
	const read = await readPath(db, leaf, first.depth);
	if (read.kind === 'damaged') return read;
	// Depths alone could lead up another branch: then the beginning of this one would be missing without a word.
	const isOnBranch =
		read.messages[0]?.id === first.id && read.messages.some(({ id }) => id === checkpoint.id);
	return isOnBranch
		? read
		: { kind: 'damaged', what: 'The newest checkpoint, or its tail, is not on this branch.' };
}

/** Reads the messages above `first`, which is the oldest one already read. */
export async function readEarlier(
	db: HiloDatabase,
	first: Message,
	count = WINDOW
): Promise<BranchRead> {
	if (first.parentId === null) return { kind: 'branch', messages: [], complete: true };
	const parent = await db.messages.get(first.parentId);
	if (!parent) return { kind: 'damaged', what: 'An earlier message is missing.' };
	return readPath(db, parent, parent.depth - count + 1);
}

/** Reads the whole branch that ends at `leafId`. */
export async function readWhole(db: HiloDatabase, leafId: MessageId): Promise<BranchRead> {
	return readWindow(db, leafId, Infinity);
}

/**
 * Those of `ids` that are on the branch that ends at `leafId`, oldest first. What is missing, or on another branch, is left
 * out.
 * @throws when the branch is damaged: what is on it cannot be known then
 */
export async function readAncestors(
	db: HiloDatabase,
	leafId: MessageId,
	ids: readonly MessageId[]
): Promise<readonly Message[]> {
	if (ids.length === 0) return [];
	const rows = await db.messages.bulkGet([leafId, ...ids]);
	const [leaf, ...asked] = rows;
	const there = asked.filter((row) => row?.treeId === leaf?.treeId);
	const depths = there.flatMap((row) => (row ? [row.depth] : []));
	if (!leaf || depths.length === 0) return [];
	const read = await readPath(db, leaf, Math.min(...depths));
	if (read.kind === 'damaged') throw new Error(read.what);
	const wanted = new Set(ids);
	return read.messages.filter((message) => wanted.has(message.id));
}

/** How many messages of a tree are not on the branch that ends at `leaf`. A count of keys: no message is read. */
export async function countElsewhere(
	db: HiloDatabase,
	leaf: Pick<Message, 'treeId' | 'depth'>
): Promise<number> {
	const all = await db.messages
		.where('[treeId+depth]')
		.between([leaf.treeId, 0], [leaf.treeId, Infinity], true, true)
		.count();
	return Math.max(0, all - leaf.depth - 1);
}

async function readPath(db: HiloDatabase, leaf: Message, from: number): Promise<BranchRead> {
	const fromDepth = Math.max(0, Number.isFinite(from) ? from : 0);
	const rows = await depthRange(db, leaf.treeId, fromDepth, leaf.depth);
	const messages = pathTo(leaf.id, rows, fromDepth);
	if (!messages)
		return { kind: 'damaged', what: 'A message in the middle of the branch is missing.' };
	return { kind: 'branch', messages, complete: fromDepth === 0 };
}

function depthRange(db: HiloDatabase, treeId: TreeId, from: number, to: number) {
	return db.messages
		.where('[treeId+depth]')
		.between([treeId, from], [treeId, to], true, true)
		.toArray();
}

/** The children of each of `parents`, oldest first: the branch points of a window. Roots are read by depth. Rule H43. */
export async function readSiblings(
	db: HiloDatabase,
	messages: readonly Message[]
): Promise<Map<MessageId, readonly MessageId[]>> {
	const parents = messages.flatMap((message) => (message.parentId ? [message.parentId] : []));
	const rows = await db.messages.where('parentId').anyOf(parents).toArray();
	const root = messages.find((message) => message.parentId === null);
	if (root) rows.push(...(await depthRange(db, root.treeId, 0, 0)));
	const siblings = new Map<MessageId, readonly MessageId[]>();
	const groups = new Map<MessageId | null, Message[]>();
	for (const row of rows) {
		const group = groups.get(row.parentId);
		if (group) group.push(row);
		else groups.set(row.parentId, [row]);
	}
	for (const group of groups.values()) {
		const ids = group.toSorted(byAge).map((message) => message.id);
		for (const id of ids) siblings.set(id, ids);
	}
	return siblings;
}

/**
 * The newest leaf below `id`, by the newest child each time: where switching to a sibling leads. Rule H44.
 * @param undone checkpoints that were undone: their branches are not gone into
 */
export async function newestLeafBelow(
	db: HiloDatabase,
	id: MessageId,
	undone: readonly MessageId[] = []
): Promise<MessageId> {
	let leaf = await db.messages.get(id);
	for (let next = leaf; next && isDepth(next.depth);) {
		leaf = next;
		const children = await db.messages.where('parentId').equals(leaf.id).toArray();
		const depth = leaf.depth + 1;
		// Depths rise with every step, so that damaged rows which form a circle end it.
		next = children
			.filter((child) => child.depth === depth && !undone.includes(child.id))
			.toSorted(byAge)
			.at(-1);
	}
	return leaf?.id ?? id;
}

/** Oldest first; of one moment by id, which begins with the clock. A row of another branch may hold anything for a time. */
function byAge(a: Message, b: Message): number {
	return timeOf(a) - timeOf(b) || (a.id < b.id ? -1 : 1);
}

function timeOf({ createdAt }: Message): number {
	return isMoment(createdAt) ? createdAt : 0;
}
