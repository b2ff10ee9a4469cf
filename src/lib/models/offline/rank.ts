import MiniSearch from 'minisearch';
import type { Passage } from './passages';
import { likeness, terms } from './words';

export interface Ranked {
	readonly passage: Passage;
	readonly score: number;
	/** Share of the question's words that the passage holds, 0 to 1. */
	readonly coverage: number;
}

/** Below this share of the question's words a passage is no answer. */
export const weakCoverage = 0.5;

/** A person's words and a tool's are evidence; a model's are hearsay. */
const weight = { user: 1.15, tool: 1.1, attachment: 1.1, checkpoint: 1, model: 0.9 } as const;

/**
 * The passages that answer a question best, by BM25 over stemmed words, near-copies left out.
 * @param limit at most so many
 */
export function rank(question: string, passages: readonly Passage[], limit: number): Ranked[] {
	const asked = [...new Set(terms(question))];
	if (asked.length === 0) return [];
	const index = new MiniSearch<{ id: number; text: string }>({
		fields: ['text'],
		tokenize: terms,
		processTerm: (term) => term
	});
	index.addAll(passages.map(({ text }, id) => ({ id, text })));
	const found = index
		.search(asked.join(' '), {
			tokenize: (text) => text.split(' '),
			prefix: (term) => term.length > 3,
			fuzzy: (term) => (term.length > 5 ? 0.15 : false)
		})
		.flatMap((hit): Ranked[] => {
			const passage = passages[Number(hit.id)];
			if (!passage) return [];
			const coverage = hit.queryTerms.length / asked.length;
			return [
				{ passage, coverage, score: hit.score * weight[passage.origin.kind] * (0.4 + coverage) }
			];
		})
		.sort((a, b) => b.score - a.score);

	const kept: (Ranked & { readonly words: ReadonlySet<string> })[] = [];
	const floor = (found[0]?.score ?? 0) * 0.3;
	for (const hit of found) {
		if (kept.length === limit || hit.score < floor) break;
		const words = new Set(terms(hit.passage.text));
		if (kept.some((other) => likeness(other.words, words) > 0.7)) continue;
		kept.push({ ...hit, words });
	}
	return kept;
}
