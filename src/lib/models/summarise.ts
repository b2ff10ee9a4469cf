import type { Finish, ModelRef, Usage } from '../history/message';
import type { Failure } from './failure';
import type { ProviderConfig } from './provider';

export interface SummariseOptions {
	readonly provider: ProviderConfig;
	readonly model: ModelRef;
	readonly system: string;
	readonly prompt: string;
	/** Tokens. */
	readonly maxOutputTokens: number;
	readonly signal: AbortSignal;
	/** Called with the text so far. */
	readonly onText?: (text: string) => void;
	readonly fetch?: typeof globalThis.fetch;
}

export interface SummariseResult {
	readonly text: string;
	/** `stopped` when the signal was aborted, `error` when the call failed. */
	readonly finish: Finish;
	readonly usage: Usage | null;
	/** The model reasoned and wrote nothing. */
	readonly hadReasoningOnly: boolean;
	/** The model tried to call a tool although it was given none. */
	readonly hadToolCall: boolean;
	readonly failure?: Failure;
}

export async function summarise(_options: SummariseOptions): Promise<SummariseResult> {
	throw new Error('Not built yet.');
}
