import type {
	Checkpoint,
	CheckpointMessage,
	ConversationMessage,
	ModelRef
} from '../history/message';
import type { Capacity } from '../context/capacity';
import type { SummaryRequest } from './prompt';
import type { Transcript, TranscriptOptions } from './transcript';
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

export interface Progress {
	readonly phase: 'reading' | 'summarising' | 'verifying' | 'committing';
	/** 1-based; `passes` is 0 until it is known, and an estimate until the last pass. */
	readonly pass: number;
	readonly passes: number;
}

/** Everything the compaction needs from outside. */
export interface CompactPorts<Failure> {
	/** Opens the covered messages as a transcript and finds their references: the heavy part, done in the worker. */
	read(messages: readonly ConversationMessage[], options: TranscriptOptions): Promise<Transcript>;
	summarise(request: SummaryRequest, signal: AbortSignal): Promise<SummariseResult<Failure>>;
	commit(checkpoint: Checkpoint, signal: AbortSignal): Promise<CommitResult>;
	sha256(text: string): Promise<string>;
	/** Epoch milliseconds. */
	now(): number;
	onProgress(progress: Progress): void;
	readonly signal: AbortSignal;
	/** The model that writes the summary, its capacity, and its calibration factor. */
	readonly model: ModelRef;
	readonly summariser: Capacity;
	readonly summariserFactor: number;
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
