import type { Message, MessageId, TreeId } from '../history/message';
import type { Session } from '../history/session';
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
 * included; all of it where there is none.
 */
export async function readContext(db: HiloDatabase, leafId: MessageId | null): Promise<BranchRead> {
	if (leafId === null) return { kind: 'branch', messages: [], complete: true };
	const leaf = await db.messages.get(leafId);
	if (!leaf) return { kind: 'damaged', what: 'The newest message of this session is missing.' };
	const boundary = await boundaryDepth(db, leaf);
	if (boundary === null) {
		return { kind: 'damaged', what: 'A checkpoint, or the message it points at, is missing.' };
	}
	return readPath(db, leaf, boundary);
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

async function readPath(db: HiloDatabase, leaf: Message, from: number): Promise<BranchRead> {
	const fromDepth = Math.max(0, Number.isFinite(from) ? from : 0);
	const rows = await depthRange(db, leaf.treeId, fromDepth, leaf.depth);
	const messages = pathTo(leaf.id, rows, fromDepth);
	if (!messages)
		return { kind: 'damaged', what: 'A message in the middle of the branch is missing.' };
	return { kind: 'branch', messages, complete: fromDepth === 0 };
}

/** The depth from which the projection is verbatim, or null where the checkpoint or its boundary is missing. */
async function boundaryDepth(db: HiloDatabase, leaf: Message): Promise<number | null> {
	if (leaf.checkpointId === null) return 0;
	const checkpoint = await db.messages.get(leaf.checkpointId);
	if (checkpoint?.role !== 'checkpoint') return null;
	const { firstKeptMessageId } = checkpoint.checkpoint;
	if (firstKeptMessageId === null) return checkpoint.depth;
	return (await db.messages.get(firstKeptMessageId))?.depth ?? null;
}

function depthRange(db: HiloDatabase, treeId: TreeId, from: number, to: number) {
	return db.messages
		.where('[treeId+depth]')
		.between([treeId, from], [treeId, to], true, true)
		.toArray();
}

/** The children of each of `parents`, oldest first: the branch points of a window. Roots are read by depth. */
export async function readSiblings(
	db: HiloDatabase,
	messages: readonly Message[]
): Promise<Map<MessageId, readonly MessageId[]>> {
	const parents = messages.flatMap((message) => (message.parentId ? [message.parentId] : []));
	const rows = await db.messages.where('parentId').anyOf(parents).toArray();
	const root = messages.find((message) => message.parentId === null);
	if (root) rows.push(...(await depthRange(db, root.treeId, 0, 0)));
	const groups = new Map<MessageId | null, Message[]>();
	for (const row of rows) groups.set(row.parentId, [...(groups.get(row.parentId) ?? []), row]);
	const siblings = new Map<MessageId, readonly MessageId[]>();
	for (const group of groups.values()) {
		const ids = group
			.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
			.map((m) => m.id);
		for (const id of ids) siblings.set(id, ids);
	}
	return siblings;
}

/** The newest leaf below `id`, by the last child each time: where switching to a sibling leads. */
export async function newestLeafBelow(db: HiloDatabase, id: MessageId): Promise<MessageId> {
	let leaf = id;
	for (;;) {
		const children = await db.messages.where('parentId').equals(leaf).toArray();
		const newest = children.reduce<Message | null>(
			(best, child) => (best === null || child.createdAt >= best.createdAt ? child : best),
			null
		);
		if (!newest) return leaf;
		leaf = newest.id;
	}
}
