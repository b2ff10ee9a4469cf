import type { ModelMessage, StepResult, TextStreamPart, ToolSet } from 'ai';
import type { MessageId } from '../history/message';
import { outputLimit, type Capacity } from '../context/capacity';
import { estimateText } from '../context/estimate';
import { asText, measureMessage, partTokens } from '../context/measure';
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
import { usageOf } from './usage';

/** The room an answer of several steps has. */
export interface Room {
	readonly capacity: Capacity;
	/** The id the answer will have: its tool results are named after it. */
	readonly messageId: MessageId;
	/** What estimates for this model are multiplied with. Default 1. */
	readonly factor?: number;
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
	/** The calls in the order of the answer's parts, each with its step: providers use ids again. */
	readonly #calls: string[] = [];
	readonly #results = new Map<string, string>();
	#step = -1;
	#shown: Shown = new Map();
	#tokens = 0;
	#failure: Failure | null = null;
	readonly #requestTokens: number;

	constructor(
		readonly room: Room,
		readonly request: ModelRequest
	) {
		this.#requestTokens = requestTokens(request);
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
		if (chunk.type === 'start-step') this.#step++;
		else if (chunk.type === 'tool-input-start') this.#number(chunk.id);
		else if (
			chunk.type === 'tool-call' ||
			chunk.type === 'tool-result' ||
			chunk.type === 'tool-error'
		)
			this.#number(chunk.toolCallId);
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
		return {
			...message,
			content: message.content.map((part) => {
				if (part.type !== 'tool-result') return part;
				const handle = this.#handle(step, part.toolCallId);
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
		const results = step.content.flatMap((part) => {
			const text = textOf(part);
			return text === null || !('toolCallId' in part)
				? []
				: [{ handle: this.#handle(index, part.toolCallId), text }];
		});
		for (const { handle, text } of results) this.#results.set(handle, text);
		const usage = usageOf(step.usage);
		return { written: writtenTokens(step), results, ...(usage ? { usage } : {}) };
	}

	#number(toolCallId: string): void {
		const call = callOf(this.#step, toolCallId);
		if (!this.#calls.includes(call)) this.#calls.push(call);
	}

	#handle(step: number, toolCallId: string): string {
		return handleOf(this.room.messageId, this.#calls.indexOf(callOf(step, toolCallId)) + 1);
	}
}

const callOf = (step: number, toolCallId: string) => `${step} ${toolCallId}`;

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
export function requestTokens(request: ModelRequest): number {
	return (
		request.system.reduce((sum, { text }) => sum + estimateText(text), 0) +
		request.tools.reduce((sum, tool) => sum + estimateText(JSON.stringify(tool)), 0) +
		request.messages.reduce((sum, message) => sum + measureMessage(message), 0)
	);
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
