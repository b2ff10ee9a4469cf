import type { Usage } from '../history/message';
import { FACTOR_MAX, FACTOR_MIN, PLAUSIBLE_MAX, PLAUSIBLE_MIN } from './calibration';
import type { Capacity } from './capacity';
import { estimateText } from './estimate';
import { MARKER_TOKENS, shownResult, tokensPerResult } from './results';

/** One tool result of the run. */
export interface RunResult {
	readonly handle: string;
	/** The whole result as the text a model reads. */
	readonly text: string;
}

/** One model call of the run that is over, with the results of the tools it called. */
export interface RunStep {
	/** Estimated tokens of what the model wrote: reasoning, text and calls. All of it is sent again within the run. */
	readonly written: number;
	readonly results: readonly RunResult[];
	readonly usage?: Usage;
}

/** The most each result may take in what is sent, by handle, in tokens; 0 leaves the handle only. */
export type Shown = ReadonlyMap<string, number>;

export interface WithinRunInput {
	readonly capacity: Capacity;
	/** Estimated tokens of the request the run began with. */
	readonly request: number;
	/** The steps so far, oldest first. */
	readonly steps: readonly RunStep[];
	/** How the results were shown in the last call. */
	readonly shown: Shown;
	/** What estimates for this model are multiplied with where its provider reports no usage. Default 1. */
	readonly factor?: number;
}

export type NextCall =
	/** The next call may be made, with results shown so. `tokens`: what its input will take. */
	| { readonly kind: 'go'; readonly shown: Shown; readonly tokens: number }
	/** Even with every result left out it would take `tokens`: the run must end with what it has. */
	| { readonly kind: 'no-room'; readonly tokens: number };

/** Added around a result by the provider. Tokens; the call itself counts its own. */
const RESULT_FRAME = 4;
/** Below so many tokens the beginning of a result says less than it costs. */
const LEAST_SHOWN = MARKER_TOKENS + 96;

/**
 * Decides how the results of a run are shown in its next model call, so that the call fits the safe limit: oldest first
 * they give way to their handles; those of the newest step are cut only where that is not enough. What was once left out
 * stays left out, so that the beginning of the request stays the same bytes. Rules C111–C115.
 */
export function nextCall(input: WithinRunInput): NextCall {
	const { capacity, steps } = input;
	const perResult = tokensPerResult(capacity);
	const shown = new Map<string, number>();
	const tokensOf = ({ handle, text }: RunResult, limit = shown.get(handle) ?? perResult) =>
		estimateText(shownResult(text, handle, limit)) + RESULT_FRAME;
	const sum = (results: readonly RunResult[]) =>
		results.reduce((total, result) => total + tokensOf(result), 0);

	for (const { handle } of steps.flatMap(({ results }) => results)) {
		shown.set(handle, input.shown.get(handle) ?? perResult);
	}
	const older = steps.slice(0, -1).flatMap(({ results }) => results);
	const newest = steps.at(-1)?.results ?? [];
	const written = input.request + steps.reduce((total, step) => total + step.written, 0);
	const scale = scaleOf(steps.at(-1)?.usage, written + sum(older)) ?? input.factor ?? 1;
	const limit = Math.floor(capacity.safeLimit / scale);
	let tokens = written + sum(older) + sum(newest);

	for (const result of older) {
		if (tokens <= limit) break;
		tokens -= leaveOut(result);
	}
	if (tokens > limit) {
		const room = limit - (tokens - sum(newest));
		const level = levelOf(
			newest.map((result) => tokensOf(result)),
			room
		);
		for (const result of newest) {
			if (level < LEAST_SHOWN) leaveOut(result);
			else if (tokensOf(result) > level) shown.set(result.handle, level - RESULT_FRAME);
		}
		tokens = written + sum(older) + sum(newest);
	}
	const scaled = Math.ceil(tokens * scale);
	return tokens <= limit
		? { kind: 'go', shown, tokens: scaled }
		: { kind: 'no-room', tokens: scaled };

	/** Leaves the handle only, where that is shorter. Returns the tokens it frees. */
	function leaveOut(result: RunResult): number {
		const freed = tokensOf(result) - tokensOf(result, 0);
		if (freed <= 0) return 0;
		shown.set(result.handle, 0);
		return freed;
	}
}

/** What one of our tokens is of the provider's, by its report on the last call and its answer. Null without a report. */
function scaleOf(usage: Usage | undefined, estimated: number): number | null {
	if (!usage || usage.inputTokens <= 0 || estimated <= 0) return null;
	const cached = usage.cachedInputTokens ?? 0;
	// More cached than input: this report counts them apart, and they do fill the window. Rule C16.
	const input = cached > usage.inputTokens ? usage.inputTokens + cached : usage.inputTokens;
	const ratio = (input + usage.outputTokens) / estimated;
	// Such a server counts something else: as in `calibration.ts`.
	if (ratio < PLAUSIBLE_MIN || ratio > PLAUSIBLE_MAX) return null;
	return Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, ratio));
}

/** The height at which sizes must be cut so that together they fit `room`. */
function levelOf(sizes: readonly number[], room: number): number {
	let left = room;
	for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
		const level = Math.floor(left / (sizes.length - index));
		if (size > level) return level;
		left -= size;
	}
	return Infinity;
}
