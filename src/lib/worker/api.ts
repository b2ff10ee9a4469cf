import type { ProxyMarked } from 'comlink';
import type { ConversationMessage } from '../history/message';
import type { PullMessages, Transcript, TranscriptOptions } from '../compaction/transcript';
import type { SearchHit } from '../context/recall';
import type { ImportContext, ImportResult } from '../transfer/import';

/** What the worker does: compute only. It has no keys and calls no provider, because a page's CSP does not bind it. */
export interface WorkerApi {
	/** Estimated tokens of a text. */
	estimate(text: string): number;
	/** Estimated tokens of each message, in order. */
	measure(messages: readonly ConversationMessage[]): number[];
	/** Opens messages as a transcript, which stays in the worker; they are pulled as it is read. */
	read(pull: PullMessages & ProxyMarked, options: TranscriptOptions): Transcript & ProxyMarked;
	/** Searches the messages of one branch. */
	search(messages: readonly ConversationMessage[], query: string): SearchHit[];
	/** Reads an import file. A file that is too large, or not one of ours, is refused with the reason. */
	readImport(file: File, context: ImportContext): Promise<ImportResult>;
}
