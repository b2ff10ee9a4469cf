import MiniSearch, { type SearchOptions, type SearchResult as MiniSearchHit } from 'minisearch';
import type { MessageId, TreeId } from '../history/message';
import { isOneUnspaced, queryTerms, searchTerms } from '../context/search-terms';

/** A message as an index takes it: where it stands, and its plain text; checkpoints have none. */
export interface SearchEntry {
	readonly id: MessageId;
	readonly parentId: MessageId | null;
	readonly depth: number;
	readonly text: string;
}

/** What an index found on one branch. */
export interface Candidates {
	/** The best, best first. */
	readonly best: readonly { readonly id: MessageId; readonly score: number }[];
	/** What to show a passage around, the most telling first. */
	readonly words: readonly string[];
	/** At least so many messages hold one of the words. */
	readonly total: number;
}

type Shard = MiniSearch<{ id: number; text: string }>;

interface Entry {
	readonly id: MessageId;
	readonly parentId: MessageId | null;
	readonly depth: number;
	readonly serial: number;
}

/** So many are looked at for whole phrases, of which the best are shown. */
const BEST = 32;
/**
 * Messages a search weighs. Of a query's words the rarest are taken up to this; where even one stands in more messages,
 * the newest of them. So the time of a search grows with this, not with the history.
 */
const BREADTH = 10_000;
/** Depths to a shard: a search that has weighed enough leaves the shards of older messages alone. */
const SHARD = 5000;

/**
 * The search index of one tree. Messages are immutable, so what is in it stays right; it grows by what a branch has that
 * it has not. A search sees the ancestors of one leaf only, by the parents the messages name. Rule C99.
 */
export class SearchIndex {
	readonly #entries = new Map<MessageId, Entry>();
	readonly #bySerial: Entry[] = [];
	/** In how many messages each term stands. */
	readonly #holding = new Map<string, number>();
	/** By depth divided by `SHARD`. */
	readonly #shards = new Map<number, Shard>();
	#branch: { readonly leafId: MessageId; readonly serials: Set<number> } | null = null;

	add(entries: readonly SearchEntry[]): void {
		for (const { id, parentId, depth, text } of entries) {
			if (this.#entries.has(id)) continue;
			const entry = { id, parentId, depth, serial: this.#bySerial.length };
			this.#entries.set(id, entry);
			this.#bySerial.push(entry);
			const terms = searchTerms(text);
			for (const term of new Set(terms)) {
				this.#holding.set(term, (this.#holding.get(term) ?? 0) + 1);
			}
			if (terms.length > 0) this.#shard(depth).add({ id: entry.serial, text: terms.join(' ') });
		}
	}

	/**
	 * The newest message at or above `from` that is not here yet; null when all up to the root are.
	 * @throws when parents do not lead to a root
	 */
	missing(from: MessageId): MessageId | null {
		for (let id = from, below: Entry | null = null; ;) {
			const entry = this.#entries.get(id);
			if (!entry) return id;
			if (below && entry.depth !== below.depth - 1) throw new Error('This history is damaged.');
			if (entry.parentId === null || this.#branch?.leafId === id) return null;
			below = entry;
			id = entry.parentId;
		}
	}

	/** Searches the branch that ends at `leafId`. Null where `missing` says that something of it is not here. */
	find(leafId: MessageId, query: string): Candidates | null {
		if (this.missing(leafId) !== null) return null;
		const branch = this.#ancestors(leafId);
		const terms = this.#affordable(queryTerms(query));
		if (terms.length === 0) return { best: [], words: [], total: 0 };
		const asked: SearchOptions = {
			prefix: (term) => isOneUnspaced(term) || (term.length > 2 && !this.#isCommon(term)),
			// A word that stands somewhere is no typing error, and a number with another digit is another number.
			fuzzy: (term) => !this.#holding.has(term) && /^\p{L}{4,}$/u.test(term) && 0.2,
			filter: ({ id }) => branch.has(id)
		};
		const found: MiniSearchHit[] = [];
		for (const [, shard] of [...this.#shards].sort(([a], [b]) => b - a)) {
			if (found.length > BREADTH) break;
			found.push(...shard.search(terms.join(' '), asked));
		}
		found.sort((a, b) => b.score - a.score || b.id - a.id);
		const best = found.slice(0, BEST).flatMap(({ id, score }) => {
			const entry = this.#bySerial[id];
			return entry ? [{ id: entry.id, score }] : [];
		});
		const likes = new Set(found.slice(0, BEST).flatMap((hit) => hit.terms));
		return { best, words: [...terms, ...likes], total: found.length };
	}

	#shard(depth: number): Shard {
		const at = Math.floor(depth / SHARD);
		const known = this.#shards.get(at);
		if (known) return known;
		const shard: Shard = new MiniSearch({
			fields: ['text'],
			// What is indexed has been divided already, so that its terms could be counted.
			tokenize: (text) => text.split(' '),
			processTerm: (term) => term
		});
		this.#shards.set(at, shard);
		return shard;
	}

	/** The terms of a query with the rarest first, up to the breadth of a search; at least one. */
	#affordable(terms: readonly string[]): string[] {
		let breadth = 0;
		return terms
			.map((term) => ({ term, holding: this.#holding.get(term) ?? 0 }))
			.sort((a, b) => a.holding - b.holding)
			.filter(({ holding }, index) => (breadth += holding) <= BREADTH || index === 0)
			.map(({ term }) => term);
	}

	#isCommon(term: string): boolean {
		return (this.#holding.get(term) ?? 0) > BREADTH / 10;
	}

	/** The branch that ends at `leafId`; where it goes on from the one before, only its new end is walked. */
	#ancestors(leafId: MessageId): ReadonlySet<number> {
		const before = this.#branch;
		if (before?.leafId === leafId) return before.serials;
		const walked: number[] = [];
		let entry = this.#entries.get(leafId);
		while (entry && entry.id !== before?.leafId) {
			walked.push(entry.serial);
			entry = entry.parentId === null ? undefined : this.#entries.get(entry.parentId);
		}
		const serials = entry && before ? before.serials : new Set<number>();
		for (const serial of walked) serials.add(serial);
		this.#branch = { leafId, serials };
		return serials;
	}
}

/** Indexes kept at once: a search in one session and its fork, or in two open side by side. */
const KEPT = 2;

/** The indexes of the trees searched last. What was dropped is built anew when it is needed. */
export class SearchIndexes {
	readonly #trees = new Map<TreeId, SearchIndex>();

	/** The index of a tree, which is now the newest. */
	of(tree: TreeId): SearchIndex {
		const index = this.#trees.get(tree) ?? new SearchIndex();
		this.#trees.delete(tree);
		this.#trees.set(tree, index);
		for (const oldest of this.#trees.keys()) {
			if (this.#trees.size <= KEPT) break;
			this.#trees.delete(oldest);
		}
		return index;
	}
}
