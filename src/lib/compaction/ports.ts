import type {
	Checkpoint,
	CheckpointMessage,
	ConversationMessage,
	ModelRef
} from '../history/message';
import type { Capacity } from '../context/capacity';
import type { SummaryRequest } from './prompt';
import type { FoundReference } from './references';
import type { Block, SerialiseLimits } from './serialise';
import type { Rejection, SummaryAnswer } from './verify';

/** What a summariser gave back: an answer, or why there is none. */
export type SummariseResult<Failure> =
	| { readonly kind: 'answer'; readonly answer: SummaryAnswer }
	| { readonly kind: 'failed'; readonly failure: Failure };

/** What the storage said to a commit. */
export type CommitResult =
	| { readonly kind: 'committed'; readonly message: CheckpointMessage }
	| { readonly kind: 'stale' }
	| { readonly kind: 'aborted' };

/** The covered messages as a transcript, and what must not be lost of them. */
export interface Reading {
	readonly blocks: readonly Block[];
	readonly references: readonly FoundReference[];
}

export interface Progress {
	readonly phase: 'reading' | 'summarising' | 'verifying' | 'committing';
	/** 1-based; `passes` is 0 until it is known. */
	readonly pass: number;
	readonly passes: number;
}

/** Everything the compaction needs from outside. */
export interface CompactPorts<Failure> {
	/** Serialises the covered messages and finds their references: the heavy part, done in the worker. */
	read(
		messages: readonly ConversationMessage[],
		limits: SerialiseLimits,
		previous: readonly FoundReference[]
	): Promise<Reading>;
	summarise(request: SummaryRequest, signal: AbortSignal): Promise<SummariseResult<Failure>>;
	commit(checkpoint: Checkpoint, signal: AbortSignal): Promise<CommitResult>;
	sha256(text: string): Promise<string>;
	/** Epoch milliseconds. */
	now(): number;
	onProgress(progress: Progress): void;
	readonly signal: AbortSignal;
	/** The model that writes the summary, and its capacity. */
	readonly model: ModelRef;
	readonly summariser: Capacity;
}

export type CompactOutcome<Failure> =
	| { readonly kind: 'committed'; readonly message: CheckpointMessage }
	/** The branch changed meanwhile: nothing was written. */
	| { readonly kind: 'stale' }
	| { readonly kind: 'cancelled' }
	/** No acceptable summary came, also after one repair: nothing was written. */
	| { readonly kind: 'rejected'; readonly rejection: Rejection }
	| { readonly kind: 'failed'; readonly failure: Failure }
	/** The summariser's window holds not even one pass. */
	| { readonly kind: 'no-room' };
