import type {
	LanguageModelV4,
	LanguageModelV4CallOptions,
	LanguageModelV4Content,
	LanguageModelV4FinishReason,
	LanguageModelV4GenerateResult,
	LanguageModelV4Prompt,
	LanguageModelV4StreamPart,
	LanguageModelV4StreamResult,
	LanguageModelV4Usage
} from '@ai-sdk/provider';
import { estimateText } from '../../context/estimate';
import { writeCheckpoint } from './checkpoint';
import { readCheckpointRequest } from './checkpoint-request';
import { pace, pieces } from './pace';
import { readConversation } from './passages';
import { reply } from './reply';

export interface OfflineModelOptions {
	/** Milliseconds between chunks of a few words, so that an answer can be watched arriving. 0: all at once. */
	readonly paceMs?: number;
}

const finishes = {
	stop: { unified: 'stop', raw: 'stop' },
	length: { unified: 'length', raw: 'length' },
	'tool-calls': { unified: 'tool-calls', raw: 'tool_calls' }
} as const satisfies Record<string, LanguageModelV4FinishReason>;

/** What a call will yield, known whole before the first chunk leaves. */
interface Plan {
	readonly content: LanguageModelV4Content;
	readonly finishReason: LanguageModelV4FinishReason;
	readonly usage: LanguageModelV4Usage;
	readonly paceMs: number;
}

/**
 * Hilo's built-in model. It has no weights and no network: it ranks passages of the prompt and quotes them, calls the
 * search tool where they do not answer, and writes checkpoints by extraction. The same prompt gives the same answer.
 */
export class OfflineModel implements LanguageModelV4 {
	readonly specificationVersion = 'v4';
	readonly provider = 'offline';
	readonly modelId = 'hilo-extractive';
	readonly supportedUrls = {};
	readonly #paceMs: number;

	constructor({ paceMs = 12 }: OfflineModelOptions = {}) {
		this.#paceMs = paceMs;
	}

	async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
		options.abortSignal?.throwIfAborted();
		const { content, finishReason, usage } = this.#plan(options);
		return { content: [content], finishReason, usage, warnings: [] };
	}

	async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
		options.abortSignal?.throwIfAborted();
		const parts = stream(this.#plan(options), options.abortSignal);
		return {
			stream: new ReadableStream<LanguageModelV4StreamPart>({
				async pull(controller) {
					try {
						const next = await parts.next();
						if (next.done) controller.close();
						else controller.enqueue(next.value);
					} catch (error) {
						controller.error(error);
					}
				},
				async cancel() {
					await parts.return(undefined);
				}
			})
		};
	}

	#plan({ prompt, tools, toolChoice, maxOutputTokens }: LanguageModelV4CallOptions): Plan {
		const inputTokens = countPrompt(prompt);
		const checkpoint = readCheckpointRequest(prompt);
		if (checkpoint) {
			const text = writeCheckpoint(checkpoint, maxOutputTokens);
			return textPlan(text, inputTokens, maxOutputTokens, 0);
		}
		const names = toolChoice?.type === 'none' ? [] : (tools ?? []).map((tool) => tool.name);
		const conversation = readConversation(prompt);
		const next = reply(conversation, new Set(names));
		if (next.kind === 'text')
			return textPlan(next.text, inputTokens, maxOutputTokens, this.#paceMs);
		const input = JSON.stringify(next.input);
		return {
			content: {
				type: 'tool-call',
				// Unique within the conversation: every call that came before is in the prompt.
				toolCallId: `offline-${conversation.callCount + 1}`,
				toolName: next.toolName,
				input
			},
			finishReason: finishes['tool-calls'],
			usage: usageOf(inputTokens, estimateText(next.toolName) + estimateText(input)),
			paceMs: this.#paceMs
		};
	}
}

function textPlan(
	text: string,
	inputTokens: number,
	maxOutputTokens: number | undefined,
	paceMs: number
): Plan {
	const kept = maxOutputTokens === undefined ? text : cutTo(text, maxOutputTokens);
	return {
		content: { type: 'text', text: kept },
		finishReason: kept.length < text.length ? finishes.length : finishes.stop,
		usage: usageOf(inputTokens, estimateText(kept)),
		paceMs
	};
}

/** The longest beginning of `text`, at a word, of at most `limit` tokens. */
function cutTo(text: string, limit: number): string {
	if (estimateText(text) <= limit) return text;
	const words = text.match(/\s*\S+/g) ?? [];
	let low = 0;
	let high = words.length;
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (estimateText(words.slice(0, middle).join('')) <= limit) low = middle;
		else high = middle - 1;
	}
	return words.slice(0, low).join('');
}

async function* stream(
	{ content, finishReason, usage, paceMs }: Plan,
	signal: AbortSignal | undefined
): AsyncGenerator<LanguageModelV4StreamPart> {
	yield { type: 'stream-start', warnings: [] };
	if (content.type === 'text') {
		yield { type: 'text-start', id: '0' };
		for await (const delta of pace(pieces(content.text), paceMs, signal))
			yield { type: 'text-delta', id: '0', delta };
		yield { type: 'text-end', id: '0' };
	} else if (content.type === 'tool-call') {
		const { toolCallId: id, toolName, input } = content;
		yield { type: 'tool-input-start', id, toolName };
		yield { type: 'tool-input-delta', id, delta: input };
		yield { type: 'tool-input-end', id };
		yield content;
	}
	yield { type: 'finish', finishReason, usage };
}

function usageOf(input: number, output: number): LanguageModelV4Usage {
	return {
		inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
		outputTokens: { total: output, text: output, reasoning: undefined }
	};
}

/** Tokens a message costs besides its text: its role and its ends. */
const perMessage = 4;

function countPrompt(prompt: LanguageModelV4Prompt): number {
	let tokens = 0;
	for (const message of prompt) {
		tokens += perMessage;
		if (message.role === 'system') tokens += estimateText(message.content);
		else
			for (const part of message.content) {
				if (part.type === 'text' || part.type === 'reasoning') tokens += estimateText(part.text);
				else if (part.type === 'tool-call') tokens += estimateText(JSON.stringify(part.input));
				else if (part.type === 'tool-result') tokens += estimateText(JSON.stringify(part.output));
			}
	}
	return tokens;
}
