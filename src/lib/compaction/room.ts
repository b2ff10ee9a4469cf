import type { Capacity } from '../context/capacity';
import { estimateText } from '../context/estimate';
import { checkpointBlock } from '../context/request';
import type { CompactPlan } from './plan';
import { frameTokens } from './summary-size';
import { summaryInstructions } from './prompt';
import { quoted } from './quote';

/** Tags, limits, and the sentence of a repair. Tokens. */
const PROMPT_FRAME = 200;
/** References put back under their heading take at most this many tokens, and this share of the safe limit. */
const PRESERVED_TOKENS = 1500;
const PRESERVED_SHARE = 0.15;

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

/** Room for "Preserved references" beside `summary`: rule C75. */
export function preservedRoom(plan: CompactPlan, summary: string): number {
	const block = plan.estimator.text(checkpointBlock(summary).text);
	const freed = plan.before.tokens - plan.staying - block;
	// What a summary replaced is gone; a refresh replaces only the summary before, references put back included.
	const share = plan.boundary.covered.length === 0 ? freed : freed / 2;
	const { safeLimit } = plan.capacity;
	const left = safeLimit - plan.staying - block;
	// A summary that says less than it was asked for leaves its room to what it did not say.
	const unused = Math.max(0, plan.summaryTarget - (block - frameTokens(plan.estimator)));
	const most = PRESERVED_SHARE * safeLimit + unused;
	return Math.floor(Math.min(PRESERVED_TOKENS, most, share, left));
}
