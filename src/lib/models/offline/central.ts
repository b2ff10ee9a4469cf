import { identifierSpans } from './identifiers';
import type { Passage } from './passages';
import { likeness, terms } from './words';

/**
 * The passages that carry most of a text: those that share words with many others and hold concrete things. In the
 * order they stand in.
 */
export function central(passages: readonly Passage[], limit: number): Passage[] {
	const rows = passages.map((passage, at) => ({
		passage,
		at,
		words: new Set(terms(passage.text))
	}));
	const spread = new Map<string, number>();
	for (const { words } of rows)
		for (const word of words) spread.set(word, (spread.get(word) ?? 0) + 1);
	const scored = rows
		.filter(({ words }) => words.size > 2)
		.map((row) => {
			let shared = 0;
			for (const word of row.words) shared += Math.log(spread.get(word) ?? 1);
			const concrete = Math.min(3, identifierSpans(row.passage.text).length);
			return { ...row, score: shared / Math.sqrt(row.words.size) + 0.5 * concrete };
		})
		.sort((a, b) => b.score - a.score);
	const kept: typeof scored = [];
	for (const row of scored) {
		if (kept.length === limit) break;
		if (!kept.some((other) => likeness(other.words, row.words) > 0.6)) kept.push(row);
	}
	return kept.sort((a, b) => a.at - b.at).map((row) => row.passage);
}
