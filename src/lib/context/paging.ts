import { estimateText } from './estimate';
import type { SearchHit, SearchResult } from './recall';
import { cutAt } from './results';

/** What `search_history` answers, in at most `limit` tokens: what is left out is counted, never dropped in silence. Rule C98. */
export function searchAnswer({ hits, total }: SearchResult, limit: number) {
	const answerOf = (shown: readonly SearchHit[]) => ({
		hits: shown,
		...(total > shown.length ? { moreHits: total - shown.length } : {})
	});
	let count = hits.length;
	while (count > 1 && jsonTokens(answerOf(hits.slice(0, count))) > limit) count--;
	return answerOf(hits.slice(0, count));
}

/**
 * A page of a text as a tool answers it, in at most `limit` tokens with its frame; at least one character, so that reading
 * on always comes to an end. Rule C98.
 * @param fields what is said beside the text
 * @throws Error with a sentence for the model, when the text ends before `offset`
 */
export function pageOf<Fields extends object>(
	fields: Fields,
	text: string,
	offset: number,
	limit: number
) {
	if (offset > 0 && offset >= text.length) {
		throw new Error(`The text ends at character ${text.length}.`);
	}
	for (let room = limit; ;) {
		const piece = text === '' ? '' : cutAt(text.slice(offset), Math.max(1, room));
		const nextOffset = offset + piece.length;
		const remaining = text.length - nextOffset;
		const page = {
			...fields,
			text: piece,
			...(remaining > 0 ? { nextOffset, remainingCharacters: remaining } : {})
		};
		const tokens = jsonTokens(page);
		if (tokens <= limit || room <= 1) return page;
		// The frame, and line breaks and quotation marks, which cost more as JSON.
		room = Math.max(1, Math.min(room - 1, Math.floor((room * 0.95 * limit) / tokens)));
	}
}

const jsonTokens = (value: unknown) => estimateText(JSON.stringify(value));
