import type { ConversationMessage } from '../history/message';
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

/** Gives the next messages, oldest first, or null at the end. */
export type PullMessages = () => Promise<readonly ConversationMessage[] | null>;

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

/** Characters a batch may hold before it is closed. A message is never divided. */
const BATCH_CHARACTERS = 200_000;

/** Gives messages in batches, so that no more than one is copied to a worker at a time. */
export function inBatches(messages: readonly ConversationMessage[]): PullMessages {
	let at = 0;
	return async () => {
		if (at >= messages.length) return null;
		const from = at;
		for (let characters = 0; at < messages.length && characters < BATCH_CHARACTERS; at++) {
			const message = messages[at];
			if (message) characters += roughLength(message);
		}
		return messages.slice(from, at);
	};
}

function roughLength(message: ConversationMessage): number {
	return message.parts.reduce((sum, part) => {
		if (part.type === 'text') return sum + part.text.length;
		if (part.type !== 'dynamic-tool') return sum;
		return sum + (typeof part.output === 'string' ? part.output.length : 2000);
	}, 0);
}
