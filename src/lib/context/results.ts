import type { Capacity } from './capacity';
import { prefixWithin } from './estimate';

/** One tool result may take at most this share of the safe limit. */
const RESULT_SHARE = 0.25;

/** The most one tool result may take, in tokens. Rule C7. */
export function tokensPerResult(capacity: Capacity): number {
	return Math.floor(RESULT_SHARE * capacity.safeLimit);
}

/** The longest beginning of a text that is at most `limit` tokens. Rule C7. */
export function cutAt(text: string, limit: number): string {
	return text.slice(0, prefixWithin(text, limit));
}
