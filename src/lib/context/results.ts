import type { Capacity } from './capacity';
import { estimateText } from './estimate';

/** One tool result may take at most this share of the safe limit. */
const RESULT_SHARE = 0.25;

/** The most one tool result may take, in tokens. */
export function tokensPerResult(capacity: Capacity): number {
	return Math.floor(RESULT_SHARE * capacity.safeLimit);
}

/** The longest beginning of a text that is at most about `limit` tokens. */
export function cutAt(text: string, limit: number): string {
	const tokens = estimateText(text);
	if (tokens <= limit) return text;
	let length = Math.floor((text.length * limit) / tokens);
	while (length > 1 && estimateText(text.slice(0, length)) > limit) {
		length = Math.floor(length * 0.9);
	}
	return text.slice(0, length);
}
