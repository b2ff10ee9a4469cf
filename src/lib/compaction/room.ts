import type { Capacity } from '../context/capacity';
import { estimateText } from '../context/estimate';
import { checkpointBlock } from '../context/request';
import type { CompactPlan } from './plan';
import { withoutPreserved } from './preserve';
import { frameTokens } from './summary-size';
import { summaryInstructions } from './prompt';
import { quoted } from './quote';

/** A pass smaller than this would make no headway. Tokens. */
export const PASS_MIN = 128;
/** Tags, limits, and the sentence of a repair. Tokens. */
const PROMPT_FRAME = 200;
/** References put back under their heading take at most this many tokens, and this share of the safe limit. */
export const PRESERVED_TOKENS = 1500;
const PRESERVED_SHARE = 0.25;

/** The most a summary may be: what both models allow, and what is left beside what stays. Rule C81. */
export function summaryCap(plan: CompactPlan, summariser: Capacity): number {
	const left = plan.capacity.safeLimit - plan.staying - frameTokens(plan.estimator);
	return Math.min(plan.capacity.summaryCap, summariser.summaryCap, left);
}

/**
 * Transcript tokens one pass can hold, uncalibrated: the summariser's safe limit less prompt, running summary and focus.
 * Rule C80.
 * @param factor the summariser's own calibration
 */
export function passRoom(
	plan: CompactPlan,
	summariser: Capacity,
	factor: number,
	cap: number
): number {
	const instructions = estimateText(summaryInstructions(plan.template));
	const focus = estimateText(quoted(plan.focus ?? ''));
	return Math.floor(summariser.safeLimit / factor) - instructions - cap - PROMPT_FRAME - focus;
}

/** The most output that fits a summariser's window beside any pass: min(M, R). Tokens. Rule C66. */
export function outputMost({ maxOutput, reserve }: Capacity): number {
	return Math.min(maxOutput ?? reserve, reserve);
}

/** What "Preserved references" take in the checkpoint before. Tokens. */
export function putBackBefore({ previous, estimator }: CompactPlan): number {
	if (!previous) return 0;
	const { summary } = previous.checkpoint;
	const tokens = (text: string) => estimator.text(checkpointBlock(text).text);
	return tokens(summary) - tokens(withoutPreserved(summary));
}

/** Room for "Preserved references" beside `summary`: rule C75. */
export function preservedRoom(plan: CompactPlan, summary: string): number {
	const block = plan.estimator.text(checkpointBlock(summary).text);
	const freed = plan.before.tokens - plan.staying - block;
	// What was put back before may take its room again; of what is freed besides, half. A refresh frees only what it replaces.
	const again = Math.min(freed, putBackBefore(plan));
	const share = plan.boundary.covered.length === 0 ? freed : again + (freed - again) / 2;
	const { safeLimit } = plan.capacity;
	const left = safeLimit - plan.staying - block;
	// A summary that says less than it was asked for leaves its room to what it did not say.
	const unused = Math.max(0, plan.summaryTarget - (block - frameTokens(plan.estimator)));
	const most = PRESERVED_SHARE * safeLimit + unused;
	return Math.floor(Math.min(PRESERVED_TOKENS, most, share, left));
}
