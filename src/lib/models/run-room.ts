import type { ModelMessage, StepResult, TextStreamPart, ToolSet } from 'ai';
import type { MessageId } from '../history/message';
import { outputLimit, type Capacity } from '../context/capacity';
import { estimateText } from '../context/estimate';
import { asText, estimatorOf, partTokens, type Estimator } from '../context/measure';
import type { ModelRequest } from '../context/request';
import {
	handleOf,
	nameOf,
	readHandle,
	resultText,
	shownResult,
	tokensPerResult
} from '../context/results';
import { nextCall, type RunStep, type Shown } from '../context/within-run';
import type { Failure } from './failure';
import { StepCalls } from './step-calls';
import { usageOf } from './usage';

/** The room an answer of several steps has. */
export interface Room {
	readonly capacity: Capacity;
	/** The id the answer will have: its tool results are named after it. */
	readonly messageId: MessageId;
	/** What estimates for this model are multiplied with. Default 1. */
	readonly factor?: number;
	/** What measures the request, with the model's own formula for images. Default: by the factor alone. */
	readonly estimator?: Estimator;
}

type Steps = readonly StepResult<ToolSet>[];
type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;

/** Added around each message by the provider: an answer's step is two, what was written and what the tools said. */
const STEP_FRAME = 8;

/**
 * Keeps the steps of one answer under the safe limit: asked after each step whether there can be another, then how its
 * messages must be. Only the contents of this answer's tool results are ever rewritten, in what is sent.
 */
export class RunRoom {
	/** The calls of each step, in the order of the answer's parts: providers use ids again, also within a step. */
	readonly #calls: StepCalls[] = [];
	readonly #results = new Map<string, string>();
	#shown: Shown = new Map();
	#tokens = 0;
	#failure: Failure | null = null;
	readonly #requestTokens: number;

	constructor(
		readonly room: Room,
		readonly request: ModelRequest
	) {
		const { factor = 1, estimator = estimatorOf(factor) } = room;
		// `nextCall` multiplies with a factor of its own: the provider's report on the last call, or this one.
		this.#requestTokens = Math.ceil(requestTokens(request, estimator) / factor);
	}

	/** Why there could be no further step, or null. */
	get failure(): Failure | null {
		return this.#failure;
	}

	/** Whether results were left out, or cut shorter than any request cuts them, to make a step fit. */
	get hasLeftOut(): boolean {
		const usual = tokensPerResult(this.room.capacity);
		return [...this.#shown.values()].some((limit) => limit < usual);
	}

	/** A whole result of an earlier step of this answer, by its handle. */
	result(handle: string): string | null {
		const known = readHandle(handle);
		return known ? (this.#results.get(nameOf(known)) ?? null) : null;
	}

	/**
	 * Follows the stream, so that calls are numbered as the answer's parts are. The SDK calls this before a step counts as
	 * over, which the reader of the stream may learn later.
	 */
	note(chunk: TextStreamPart<ToolSet>): void {
		const calls = this.#calls.at(-1);
		if (chunk.type === 'start-step') this.#calls.push(new StepCalls());
		else if (chunk.type === 'tool-input-start') calls?.begin(chunk.id);
		else if (chunk.type === 'tool-call') calls?.call(chunk.toolCallId, chunk.input);
		else if ((chunk.type === 'tool-result' && !chunk.preliminary) || chunk.type === 'tool-error')
			calls?.settle(chunk.toolCallId, chunk.input);
	}

	/** Whether the answer must end here, because no further call would fit. Rule C114. */
	isFull(steps: Steps): boolean {
		const next = nextCall({
			capacity: this.room.capacity,
			request: this.#requestTokens,
			steps: steps.map((step, index) => this.#stepOf(step, index)),
			shown: this.#shown,
			...(this.room.factor === undefined ? {} : { factor: this.room.factor })
		});
		if (next.kind === 'no-room') {
			this.#failure = noRoom(next.tokens, this.room.capacity.safeLimit);
			return true;
		}
		this.#shown = next.shown;
		this.#tokens = next.tokens;
		return false;
	}

	/** The messages of the next call, and the output that still fits beside them. Rules C111, C116. */
	prepare(messages: readonly ModelMessage[], initial: number) {
		let step = -1;
		return {
			messages: messages.map((message, index) => {
				if (index < initial) return message;
				if (message.role === 'assistant') step++;
				return message.role === 'tool' ? this.#shorten(message, step) : message;
			}),
			...(step < 0 ? {} : { maxOutputTokens: this.#maxOutputTokens() })
		};
	}

	#maxOutputTokens(): number {
		return Math.min(this.request.maxOutputTokens, outputLimit(this.room.capacity, this.#tokens));
	}

	#shorten(message: ToolMessage, step: number): ToolMessage {
		const nth = counter();
		return {
			...message,
			content: message.content.map((part) => {
				if (part.type !== 'tool-result') return part;
				const handle = this.#handle(step, part.toolCallId, nth(part.toolCallId));
				const limit = this.#shown.get(handle);
				const text = this.#results.get(handle);
				if (limit === undefined || text === undefined) return part;
				const shown = shownResult(text, handle, limit);
				if (shown === text) return part;
				const isError = part.output.type === 'error-text' || part.output.type === 'error-json';
				return { ...part, output: { type: isError ? 'error-text' : 'text', value: shown } };
			})
		};
	}

	#stepOf(step: Steps[number], index: number): RunStep {
		const nth = counter();
		const results = step.content.flatMap((part) => {
			const text = textOf(part);
			return text === null || !('toolCallId' in part)
				? []
				: [{ handle: this.#handle(index, part.toolCallId, nth(part.toolCallId)), text }];
		});
		for (const { handle, text } of results) this.#results.set(handle, text);
		const usage = usageOf(step.usage);
		return { written: writtenTokens(step), results, ...(usage ? { usage } : {}) };
	}

	/** The handle of the result that came as number `nth` of those with this id in a step. */
	#handle(step: number, toolCallId: string, nth: number): string {
		const before = this.#calls.slice(0, step).reduce((sum, calls) => sum + calls.count, 0);
		const place = this.#calls[step]?.settled(toolCallId, nth) ?? -1;
		return handleOf(this.room.messageId, before + place + 1);
	}
}

/** Counts from 0 how often an id came before. */
function counter(): (id: string) => number {
	const seen = new Map<string, number>();
	return (id) => {
		const before = seen.get(id) ?? 0;
		seen.set(id, before + 1);
		return before;
	};
}

/** What a tool said or why it failed, as it is stored; null for anything else. */
function textOf(part: Steps[number]['content'][number]): string | null {
	if (part.type === 'tool-result') return resultText({ output: part.output });
	if (part.type === 'tool-error') return errorTextOf(part.error);
	return null;
}

/** The words of what a tool threw. */
export function errorTextOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

/** Tokens of what the model wrote in one step. Its reasoning counts: within an answer it is sent again. */
function writtenTokens(step: Steps[number]): number {
	return step.content.reduce((sum, part) => {
		switch (part.type) {
			case 'text':
			case 'reasoning':
				return sum + estimateText(part.text);
			case 'tool-call': {
				const { toolName, toolCallId, input } = part;
				const state = 'input-available';
				return (
					sum +
					partTokens({ type: 'dynamic-tool', toolName, toolCallId, state, input: asText(input) })
				);
			}
			default:
				return sum;
		}
	}, STEP_FRAME);
}

/** Estimated tokens of a whole request. */
export function requestTokens(request: ModelRequest, estimator: Estimator): number {
	return (
		request.system.reduce((sum, { text }) => sum + estimator.text(text), 0) +
		request.tools.reduce((sum, tool) => sum + estimator.text(JSON.stringify(tool)), 0) +
		request.messages.reduce((sum, message) => sum + estimator.message(message), 0)
	);
}

/** The failure of an answer that was stopped because it called tools again and again. */
export function tooManySteps(steps: number): Failure {
	return {
		kind: 'too-many-steps',
		title: `It called tools ${steps} times in a row and was stopped.`,
		advice: 'Ask it to go on, or to answer with what it has found.',
		detail: ''
	};
}

function noRoom(tokens: number, limit: number): Failure {
	return {
		kind: 'no-room',
		title: 'The answer needed more room than this model has.',
		advice:
			'Compact the conversation or choose a model with a larger window; then ask it to go on.',
		detail: `The next step would have been about ${tokens} tokens, and this model takes ${limit}. What the tools found is kept whole.`
	};
}
