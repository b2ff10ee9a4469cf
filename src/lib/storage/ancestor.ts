import { shortId, type Message, type MessageId } from '../history/message';
import { readWindow } from './branch';
import type { HiloDatabase } from './database';

/**
 * The message above `leafId`, or at it, with this short id; null where the branch has none. Only the ids of the tree are
 * read, and where another branch has a message beside it, the branch down to it. Rule C98.
 */
export async function findAncestor(
	db: HiloDatabase,
	leafId: MessageId,
	short: string
): Promise<Message | null> {
	const leaf = await db.messages.get(leafId);
	if (!leaf) return null;
	const { treeId } = leaf;
	const ids = await db.messages
		.where('[treeId+depth]')
		.between([treeId, 0], [treeId, leaf.depth], true, true)
		.primaryKeys();
	for (const id of ids.filter((id) => shortId(id) === short)) {
		const message = await db.messages.get(id);
		if (!message) continue;
		const beside = await db.messages
			.where('[treeId+depth]')
			.equals([treeId, message.depth])
			.count();
		// Every branch as deep as this has a message at each depth: one that is alone there is on all of them.
		if (beside === 1) return message;
		const read = await readWindow(db, leafId, leaf.depth - message.depth + 1);
		if (read.kind === 'branch' && read.messages[0]?.id === id) return message;
	}
	return null;
}
