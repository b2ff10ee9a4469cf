import type { ToolSet } from 'ai';
import type { Finish, ModelRef, Part, Usage } from '../history/message';
import type { ModelRequest } from '../context/request';
import { callContext } from './call';
import { classify, emptyAnswer, type Failure } from './failure';
import { toModelMessages, type FilePartLoader } from './messages';
import { assertPairs } from './pairs';
import { PartsCollector } from './parts';
import type { ProviderConfig } from './provider';
import { resolveModel } from './resolve';
import { errorTextOf, RunRoom, tooManySteps, type Room } from './run-room';
import { loadSdk, type Sdk } from './sdk';
import { usageOf } from './usage';

export type { FilePartLoader, LoadedFile } from './messages';
export type { Room } from './run-room';

/** What a tool is told of its call. */
export interface ToolCallContext {
	readonly toolCallId: string;
	readonly signal: AbortSignal;
	/** A whole result of an earlier step of the same answer, by its handle. */
	readonly result: (handle: string) => string | null;
}

export interface AnswerOptions {
	readonly provider: ProviderConfig;
	readonly model: ModelRef;
	readonly request: ModelRequest;
	/** Runs one tool. What it throws becomes the tool's error, told to the model; it does not end the answer. */
	readonly executeTool: (name: string, input: unknown, call: ToolCallContext) => Promise<unknown>;
	/** The room the steps have together. Without it nothing is shortened. */
	readonly room?: Room;
	readonly loadFile: FilePartLoader;
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
	{ readonly type: 'parts'; readonly parts: readonly Part[] } | AnswerEnd;

/**
 * Exactly one, the last. `usage` is the last step's; `totalUsage` sums the steps. `failure` is there whenever `finish`
 * is `error`, with `stop` when the answer is empty, and with calls at the end when a further step had no room or was one too
 * many.
 */
export interface AnswerEnd {
	readonly type: 'end';
	readonly finish: Finish;
	readonly parts: readonly Part[];
	readonly usage?: Usage;
	readonly totalUsage?: Usage;
	/** Results of this answer were left out in its last steps, so `usage` is less than the next request will be. */
	readonly hasLeftOut?: boolean;
	readonly failure?: Failure;
	readonly durationMs: number;
}

/**
 * Asks a model and yields its answer as it grows. Failures of provider, network and tools are values, never thrown;
 * what arrived before one is kept. Nothing is retried behind the user's back. Leaving the loop early ends the request.
 */
export async function* streamAnswer(options: AnswerOptions): AsyncGenerator<AnswerEvent> {
	const { provider, model, request, signal, now } = options;
	const startedAt = now();
	const leave = new AbortController();
	const either = AbortSignal.any([signal, leave.signal]);
	const collector = new PartsCollector();
	const room = options.room ? new RunRoom(options.room, request) : null;
	const maxSteps = options.maxSteps ?? 8;
	let finish: Finish = 'other';
	let usage: Usage | undefined;
	let totalUsage: Usage | undefined;
	let failed: { readonly error: unknown } | null = null;
	let sent = false;
	let complete = false;
	let steps = 0;

	try {
		if (!signal.aborted) {
			const sdk = await loadSdk();
			const stream = sdk.streamText({
				model: await resolveModel(provider, model, options),
				instructions: request.system
					.filter(({ text }) => text.trim() !== '')
					.map(({ text }) => ({ role: 'system' as const, content: text })),
				messages: await toModelMessages(
					request.messages,
					options.loadFile,
					sdk.convertToModelMessages
				),
				tools: toolSet(options, room, sdk),
				maxOutputTokens: request.maxOutputTokens,
				stopWhen: ({ steps }) => steps.length >= maxSteps || (room?.isFull(steps) ?? false),
				onChunk: ({ chunk }) => room?.note(chunk),
				prepareStep: ({ messages, initialMessages }) => {
					const prepared = room?.prepare(messages, initialMessages.length) ?? { messages };
					assertPairs(prepared.messages);
					return prepared;
				},
				maxRetries: 0,
				abortSignal: either,
				// Errors arrive in the stream; the default would print the whole request to the console.
				onError: () => {}
			}).stream;

			for await (const part of stream) {
				const before = collector.parts;
				switch (part.type) {
					case 'start-step':
						collector.startStep();
						break;
					case 'text-delta':
						collector.append('text', part.id, part.text);
						break;
					case 'text-end':
						collector.close('text', part.id);
						break;
					case 'reasoning-start':
					case 'reasoning-end':
						collector.append('reasoning', part.id, '', part.providerMetadata);
						if (part.type === 'reasoning-end') collector.close('reasoning', part.id);
						break;
					case 'reasoning-delta':
						collector.append('reasoning', part.id, part.text, part.providerMetadata);
						break;
					case 'tool-input-start':
						collector.tool({
							type: 'dynamic-tool',
							toolName: part.toolName,
							toolCallId: part.id,
							state: 'input-streaming',
							input: undefined
						});
						break;
					case 'tool-call':
						collector.tool({ ...toolBase(part), state: 'input-available' });
						break;
					case 'tool-result':
						if (!part.preliminary)
							collector.tool({ ...toolBase(part), state: 'output-available', output: part.output });
						break;
					case 'tool-error':
						collector.tool({
							...toolBase(part),
							state: 'output-error',
							errorText: errorTextOf(part.error)
						});
						break;
					case 'error':
						failed ??= { error: part.error };
						break;
					case 'finish-step':
						steps++;
						usage = usageOf(part.usage);
						finish = part.finishReason;
						break;
					case 'finish':
						finish = part.finishReason;
						totalUsage = usageOf(part.totalUsage);
						complete = true;
						break;
				}
				sent ||= collector.parts !== before;
				if (collector.parts !== before) yield { type: 'parts', parts: collector.parts };
			}
		}
	} catch (error) {
		failed ??= { error };
	} finally {
		leave.abort();
	}

	let failure: Failure | undefined;
	if (signal.aborted && !complete) finish = 'stopped';
	else if (failed || finish === 'error') {
		finish = 'error';
		failure = classify(failed?.error, callContext(provider, model.model, sent));
	} else if (room?.failure) failure = room.failure;
	else if (steps >= maxSteps && endsWithCall(collector)) failure = tooManySteps(steps);
	else failure = emptiness(collector, finish, model.model);

	collector.settle(
		finish === 'stopped'
			? 'Stopped before it had a result.'
			: 'The answer ended before this call had a result.'
	);
	yield {
		type: 'end',
		finish,
		parts: collector.parts,
		...(usage ? { usage } : {}),
		...(totalUsage ? { totalUsage } : {}),
		...(room?.hasLeftOut ? { hasLeftOut: true } : {}),
		...(failure ? { failure } : {}),
		durationMs: now() - startedAt
	};
}

function toolBase(part: {
	readonly toolName: string;
	readonly toolCallId: string;
	readonly input: unknown;
}) {
	return {
		type: 'dynamic-tool' as const,
		toolName: part.toolName,
		toolCallId: part.toolCallId,
		input: part.input
	};
}

function toolSet(
	{ request, executeTool }: AnswerOptions,
	room: RunRoom | null,
	{ dynamicTool, jsonSchema }: Sdk
): ToolSet {
	return Object.fromEntries(
		request.tools.map((tool) => [
			tool.name,
			dynamicTool({
				description: tool.description,
				inputSchema: jsonSchema(tool.inputSchema),
				execute: (input, { toolCallId, abortSignal }) =>
					executeTool(tool.name, input, {
						toolCallId,
						signal: abortSignal ?? new AbortController().signal,
						result: (handle) => room?.result(handle) ?? null
					})
			})
		])
	);
}

/** Whether the last step called tools, so that a further one would have followed. */
function endsWithCall(collector: PartsCollector): boolean {
	return collector.stepParts.some((part) => part.type === 'dynamic-tool');
}

/** An answer that ended normally and says nothing: no text anywhere, and no call in its last step either. */
function emptiness(collector: PartsCollector, finish: Finish, model: string): Failure | undefined {
	if (finish !== 'stop' && finish !== 'other') return undefined;
	const hasText = collector.parts.some((p) => p.type === 'text' && p.text.trim() !== '');
	if (hasText || endsWithCall(collector)) return undefined;
	return emptyAnswer(
		model,
		collector.stepParts.some((p) => p.type === 'reasoning')
	);
}
