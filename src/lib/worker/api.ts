import type { ProxyMarked } from 'comlink';
import type { ConversationMessage, MessageId, TreeId } from '../history/message';
import type { PullMessages } from '../compaction/batches';
import type { Transcript, TranscriptOptions } from '../compaction/transcript';
import type { SearchResult } from '../context/recall';
import type { ImportContext, ImportResult } from '../transfer/import';
import type { Candidates, SearchEntry } from './search-index';

/** What the worker does: compute only. It has no keys and calls no provider, because a page's CSP does not bind it. */
export interface WorkerApi {
	/** Estimated tokens of a text. */
	estimate(text: string): number;
	/** Estimated tokens of each message, in order. */
	measure(messages: readonly ConversationMessage[]): number[];
	/** Opens messages as a transcript, which stays in the worker; they are pulled as it is read. */
	read(pull: PullMessages & ProxyMarked, options: TranscriptOptions): Transcript & ProxyMarked;
	/** Searches the messages of one branch, by a scan: for short ones. */
	search(messages: readonly ConversationMessage[], query: string): SearchResult;
	/** The newest message at or above `from` that the tree's index lacks, or null. */
	unindexed(tree: TreeId, from: MessageId): MessageId | null;
	/** Adds messages to the tree's index. */
	index(tree: TreeId, entries: readonly SearchEntry[]): void;
	/** Searches the branch that ends at `leafId` in the tree's index. Null where the index lacks some of it. */
	find(tree: TreeId, leafId: MessageId, query: string): Candidates | null;
	/** Reads an import file. A file that is too large, or not one of ours, is refused with the reason. */
	readImport(file: File, context: ImportContext): Promise<ImportResult>;
}
