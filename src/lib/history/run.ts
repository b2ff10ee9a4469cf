import type { MessageId, ModelRef, Part, SessionId } from './message';

/** An answer in progress. It becomes a durable message in the transaction that removes this row. */
export interface Run {
	/** One run a session. */
	readonly sessionId: SessionId;
	/** Tells this run from a later one, so that late chunks of a stopped run are ignored. */
	readonly runId: string;
	/** The user message being answered, or the checkpoint that a preflight has put below it. */
	readonly parentId: MessageId;
	/** The id the answer will have. */
	readonly messageId: MessageId;
	readonly model: ModelRef;
	readonly parts: readonly Part[];
	/** Epoch milliseconds. */
	/** Where the leaf was before a Retry moved it to the question; it goes back there when the run says nothing. */
	readonly previousLeafId?: MessageId | null;
	readonly startedAt: number;
	readonly updatedAt: number;
}
