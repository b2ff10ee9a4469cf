import type { Usage } from '../history/message';

/** US dollars for a million tokens. */
export interface Price {
	readonly input: number;
	/** Input that the provider still had in its cache. */
	readonly cachedInput: number;
	readonly output: number;
}

const MILLION = 1_000_000;

/**
 * What a reported usage cost, in US dollars. Cached tokens are part of the input and cost their own price; a report whose
 * cached tokens exceed its input has left them out of it (rule C16).
 */
export function costOf(usage: Usage, price: Price): number {
	const cached = usage.cachedInputTokens ?? 0;
	const fresh = cached > usage.inputTokens ? usage.inputTokens : usage.inputTokens - cached;
	const sum = fresh * price.input + cached * price.cachedInput + usage.outputTokens * price.output;
	return sum / MILLION;
}

/** What a checkpoint costs and saves, in US dollars. */
export interface CheckpointCost {
	/** The summary. */
	readonly summary: number;
	/** The first request after it, whose input is in no cache. */
	readonly firstRequest: number;
	/** Turns after which it has paid for itself, or null where it never does. */
	readonly paysOffAfter: number | null;
}

/**
 * What a checkpoint costs, and after how many turns it has paid for itself: from then on each turn reads `after` tokens
 * instead of `before`, both from the cache. Rule C105.
 * @param summary what the summary cost
 * @param before tokens of the context without it
 * @param after tokens of the context with it
 */
export function checkpointCost(
	summary: number,
	before: number,
	after: number,
	price: Price
): CheckpointCost {
	const firstRequest = (after * price.input) / MILLION;
	const saved = ((before - after) * price.cachedInput) / MILLION;
	// Without the checkpoint the next request would have been read from the cache as well.
	const extra = summary + firstRequest - (after * price.cachedInput) / MILLION;
	const paysOffAfter = extra <= 0 ? 0 : saved > 0 ? Math.ceil(extra / saved) : null;
	return { summary, firstRequest, paysOffAfter };
}
