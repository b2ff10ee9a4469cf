import type { Finish, ModelRef, Usage } from '../history/message';
import { callContext } from './call';
import { classify, type Failure } from './failure';
import type { ProviderConfig } from './provider';
import { resolveModel } from './resolve';
import { loadSdk } from './sdk';
import { usageOf } from './usage';

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

/** Asks a model for one text, without tools. Never throws: a failure or an abort is in the result, with what came. */
export async function summarise(options: SummariseOptions): Promise<SummariseResult> {
	const { provider, model, signal } = options;
	let text = '';
	let reasoned = false;
	let hadToolCall = false;
	let complete = false;
	let finish: Finish = 'other';
	let usage: Usage | null = null;
	let failed: { readonly error: unknown } | null = null;
	try {
		if (!signal.aborted) {
			const sdk = await loadSdk();
			const stream = sdk.streamText({
				model: await resolveModel(provider, model, options),
				instructions: options.system,
				messages: [{ role: 'user', content: options.prompt }],
				maxOutputTokens: options.maxOutputTokens,
				maxRetries: 0,
				abortSignal: signal,
				onError: () => {}
			}).stream;
			for await (const part of stream) {
				if (part.type === 'text-delta') {
					text += part.text;
					options.onText?.(text);
				} else if (part.type === 'reasoning-delta') reasoned = true;
				else if (part.type === 'tool-input-start' || part.type === 'tool-call') hadToolCall = true;
				else if (part.type === 'error') failed ??= { error: part.error };
				else if (part.type === 'finish-step') usage = usageOf(part.usage) ?? null;
				else if (part.type === 'finish') {
					finish = part.finishReason;
					complete = true;
				}
			}
		}
	} catch (error) {
		failed ??= { error };
	}
	const base = { text, usage, hadToolCall, hadReasoningOnly: reasoned && text.trim() === '' };
	if (signal.aborted && !complete) return { ...base, finish: 'stopped' };
	if (failed || finish === 'error')
		return {
			...base,
			finish: 'error',
			failure: classify(failed?.error, callContext(provider, model.model, text !== '' || reasoned))
		};
	return { ...base, finish };
}
