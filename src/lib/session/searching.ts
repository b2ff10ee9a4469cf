import { withFileTexts } from '$lib/context/files';
import { bestPassages, plainText, type SearchResult } from '$lib/context/recall';
import type { ConversationMessage, Message, MessageId, TreeId } from '$lib/history/message';
import { readWhole, readWindow } from '$lib/storage/branch';
import type { HiloDatabase } from '$lib/storage/database';
import type { Compute } from '$lib/worker/client';
import type { SearchEntry } from '$lib/worker/search-index';
import { fileTexts } from './file-texts';

/** Branches of fewer messages are scanned: no index pays for itself there. */
const SCANNED = 200;
/** Messages sent to the index at once: few at first, because most often it lacks only the last ones. */
const CHUNK_FIRST = 16;
const CHUNK_MOST = 1000;
/** Characters sent to the index at once, about. */
const CHARACTERS = 2_000_000;

/**
 * Searches the branch that ends at `leafId`, covered messages too, and no other. A long branch is searched in an index that
 * the worker keeps: only messages it has not seen yet, and those whose passages are shown, are read from the database.
 * Rules C97, C99.
 * @throws when the history is damaged
 */
export async function searchBranch(
	db: HiloDatabase,
	worker: Compute,
	leafId: MessageId,
	query: string
): Promise<SearchResult> {
	const leaf = await db.messages.get(leafId);
	if (!leaf) throw new Error('The newest message of this session is missing.');
	if (leaf.depth + 1 < SCANNED) {
		const read = await readWhole(db, leafId);
		if (read.kind === 'damaged') throw new Error(read.what);
		const messages = await withFileTexts(read.messages.filter(isConversation), fileTexts(db));
		return worker.search(messages, query);
	}
	let found = null;
	// Searches of other trees meanwhile can push an index out between its last message and the search.
	for (let tries = 0; !found && tries < 3; tries++) {
		await fill(db, worker, leaf.treeId, leafId);
		found = await worker.find(leaf.treeId, leafId, query);
	}
	if (!found) throw new Error('The search was disturbed by other searches. Try again.');
	const rows = await db.messages.bulkGet(found.best.map(({ id }) => id));
	const candidates = [];
	for (const [index, row] of rows.entries()) {
		if (!row || !isConversation(row)) continue;
		const [message = row] = await withFileTexts([row], fileTexts(db));
		candidates.push({ message, score: found.best[index]?.score ?? 0 });
	}
	return { hits: bestPassages(candidates, query, found.words), total: found.total };
}

/** Gives the index what it lacks of a branch, from its end upwards. */
async function fill(
	db: HiloDatabase,
	worker: Compute,
	tree: TreeId,
	leafId: MessageId
): Promise<void> {
	let lacks = await worker.unindexed(tree, leafId);
	for (let count = CHUNK_FIRST; lacks; count = Math.min(CHUNK_MOST, count * 4)) {
		const read = await readWindow(db, lacks, count);
		if (read.kind === 'damaged') throw new Error(read.what);
		await index(db, worker, tree, read.messages);
		const above = read.messages[0]?.parentId;
		lacks = above ? await worker.unindexed(tree, above) : null;
	}
}

/** Gives messages to the index, with the texts of their files, no more than about `CHARACTERS` of them at once. */
async function index(
	db: HiloDatabase,
	worker: Compute,
	tree: TreeId,
	messages: readonly Message[]
): Promise<void> {
	let entries: SearchEntry[] = [];
	let characters = 0;
	for (const message of messages) {
		const { id, parentId, depth } = message;
		const [read] = isConversation(message) ? await withFileTexts([message], fileTexts(db)) : [];
		const text = read ? plainText(read) : '';
		entries.push({ id, parentId, depth, text });
		characters += text.length;
		if (characters < CHARACTERS) continue;
		await worker.index(tree, entries);
		entries = [];
		characters = 0;
	}
	if (entries.length > 0) await worker.index(tree, entries);
}

function isConversation(message: Message): message is ConversationMessage {
	return message.role !== 'checkpoint';
}
