import type { PullMessages } from './batches';
import { packPasses } from './passes';
import { findReferences, type FoundReference } from './references';
import { serialise, type Block, type SerialiseLimits } from './serialise';

/** How a transcript is read. */
export interface TranscriptOptions {
	readonly limits: SerialiseLimits;
	/** Tokens of one pass. */
	readonly room: number;
	/** What the passes begin with: a previous summary that is too large to stand beside a transcript. */
	readonly first: readonly Block[];
	/** The previous ledger. */
	readonly references: readonly FoundReference[];
}

/** A transcript, read pass by pass. */
export interface Transcript {
	/** The next pass, or null at the end. One call at a time. */
	next(): Promise<readonly Block[] | null>;
	/** The references found so far with those of the previous ledger; all of them once `next` gave null. */
	references(): Promise<readonly FoundReference[]>;
	/** Lets go of what is held. */
	close(): Promise<void>;
}

/**
 * Opens a transcript over messages that are fetched as it is read. At any moment it holds one batch of messages, the pass
 * it gives, and the turn it reads: memory does not grow with the history. Rules C45, C49.
 */
export function openTranscript(pull: PullMessages, options: TranscriptOptions): Transcript {
	let found = options.references.length > 0 ? findReferences([], options.references) : [];
	const passes = packPasses(blocks(), options.room);

	async function* blocks(): AsyncGenerator<Block> {
		yield* options.first;
		for (let batch = await pull(); batch !== null; batch = await pull()) {
			found = findReferences(batch, found);
			yield* serialise(batch, options.limits);
		}
	}
	return {
		next: async () => (await passes.next()).value ?? null,
		references: async () => found,
		close: async () => void (await passes.return(undefined))
	};
}
