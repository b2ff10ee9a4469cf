import type { FilePart, Finish, ModelRef, Part, Usage } from '../history/message';
import type { ModelRequest } from '../context/request';
import type { Failure } from './failure';
import type { ProviderConfig } from './provider';

/** What the loader gives for an attachment: its text, or a data URL of its bytes, or neither when they are gone. */
export interface LoadedFile {
	readonly text?: string;
	readonly dataUrl?: string;
}

export interface AnswerOptions {
	readonly provider: ProviderConfig;
	readonly model: ModelRef;
	readonly request: ModelRequest;
	/** Runs one tool. What it throws becomes the tool's error, told to the model; it does not end the answer. */
	executeTool(
		name: string,
		input: unknown,
		call: { readonly toolCallId: string; readonly signal: AbortSignal }
	): Promise<unknown>;
	loadFile(part: FilePart): Promise<LoadedFile>;
	readonly signal: AbortSignal;
	readonly fetch?: typeof globalThis.fetch;
	/** Model calls one answer may take. Default 8. */
	readonly maxSteps?: number;
	/** Epoch milliseconds. */
	readonly now: () => number;
	/** Milliseconds between the offline model's chunks; its own default when left out. */
	readonly paceMs?: number;
}

export type AnswerEvent =
	/** The answer so far. Parts that did not change since the last event are the same objects. */
	| { readonly type: 'parts'; readonly parts: readonly Part[] }
	/** Exactly one, the last. `usage` is the last step's; `totalUsage` sums the steps. */
	| {
			readonly type: 'end';
			readonly finish: Finish;
			readonly parts: readonly Part[];
			readonly usage?: Usage;
			readonly totalUsage?: Usage;
			readonly failure?: Failure;
			readonly durationMs: number;
	  };

// eslint-disable-next-line require-yield
export async function* streamAnswer(_options: AnswerOptions): AsyncGenerator<AnswerEvent> {
	throw new Error('Not built yet.');
}
