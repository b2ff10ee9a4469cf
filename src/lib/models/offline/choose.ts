import { estimateText } from '../../context/estimate';
import type { Claim } from './claims';
import type { ProgressGroup } from './section-kinds';

/** Below this a claim is not worth its tokens, even with room left. */
const worthSaying = 1;
/** What each further bullet of a section must beat: one busy section must not starve the others. */
const crowding = 0.16;
/** Tokens of the shortest bullet there can be: mark, a few words, citation. */
const bulletMin = 14;
/** Share of the room that is offered to the transcript first: old claims share words and would keep out what is new. */
const newShare = 0.35;
/** Share of the room that is offered to what stands, next: no number of findings outweighs what a person ruled. */
const standingShare = 0.45;

/** A claim with its place in the checkpoint and what it is worth there. */
export interface Placed {
	readonly claim: Claim;
	readonly section: number;
	readonly group: ProgressGroup;
	readonly score: number;
	readonly line: string;
	/** Carried, and a person's own requirement or decision. */
	readonly standing: boolean;
	/** Place in the given order: carried ones first, then the transcript. */
	readonly order: number;
}

/**
 * Chooses within `room` tokens: a share for what is new, one for what stands, then the best of every section, then the
 * best of all.
 */
export function choose(placed: readonly Placed[], sections: number, room: number): Placed[] {
	const chosen = new Set<Placed>();
	const taken = Array.from({ length: sections }, () => 0);

	const fill = (from: readonly Placed[], budget: number, everySection: boolean): number => {
		let spent = 0;
		const queues = taken.map((_, index) =>
			from
				.filter((p) => p.section === index && p.score >= worthSaying && !chosen.has(p))
				.sort((a, b) => b.score - a.score)
		);
		const take = (index: number): void => {
			const next = queues[index]?.shift();
			if (!next) return;
			const cost = estimateText(next.line) + 1;
			if (spent + cost > budget) return;
			spent += cost;
			taken[index] = (taken[index] ?? 0) + 1;
			chosen.add(next);
		};
		if (everySection) taken.forEach((count, index) => count === 0 && take(index));
		for (;;) {
			let best = -1;
			let height = -Infinity;
			queues.forEach(([head], index) => {
				const score = head ? head.score - crowding * (taken[index] ?? 0) : -Infinity;
				if (score > height) [best, height] = [index, score];
			});
			// No bullet is shorter than this: what is left of the room cannot be used.
			if (best === -1 || budget - spent < bulletMin) return spent;
			take(best);
		}
	};
	const onNew = fill(
		placed.filter((p) => !p.claim.carried),
		room * newShare,
		false
	);
	const onStanding = fill(
		placed.filter((p) => p.standing),
		room * standingShare,
		false
	);
	fill(placed, room - onNew - onStanding, true);
	return [...chosen];
}
