import type { ConversationMessage } from '../history/message';
import type { FoundReference } from '../compaction/references';
import type { Reading } from '../compaction/compact';
import type { SerialiseLimits } from '../compaction/serialise';
import type { SearchHit } from '../context/recall';
import type { ImportContext, ImportResult } from '../transfer/import';

/** What the worker does: compute only. It has no keys and calls no provider, because a page's CSP does not bind it. */
export interface WorkerApi {
	/** Estimated tokens of a text. */
	estimate(text: string): number;
	/** Estimated tokens of each message, in order. */
	measure(messages: readonly ConversationMessage[]): number[];
	/** Serialises messages and finds their references. */
	read(
		messages: readonly ConversationMessage[],
		limits: SerialiseLimits,
		previous: readonly FoundReference[]
	): Reading;
	/** Searches the messages of one branch. */
	search(messages: readonly ConversationMessage[], query: string): SearchHit[];
	/** Reads an import file. A file that is too large, or not one of ours, is refused with the reason. */
	readImport(file: File, context: ImportContext): Promise<ImportResult>;
}
