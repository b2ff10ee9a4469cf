import { turnTokens } from '../src/lib/compaction/boundary';
import { measureMessage } from '../src/lib/context/measure';
import { isAnswered, type Turn } from '../src/lib/history/turns';
import type { Failure } from '../src/lib/models/failure';
import { carryOut, type CarryOptions } from './carry-out';
import { rowOf, type CompactionRow } from './compaction-row';
import { grow, startAgain } from './growth';
import { planOf, situationOf } from './situation';
import type { Terms } from './terms';
import { noops, whyNot } from './words';
import type { Workbench } from './workbench';
import type { World } from './world';

export interface Replay {
	readonly bench: Workbench;
	readonly rows: readonly CompactionRow[];
	/** Compactions that were tried and wrote nothing, each as a sentence. */
	readonly failures: readonly string[];
}

/** When a conversation that grows again is compacted. */
export type Cuts =
	/** After each answered turn where the automatic trigger asks for it, at most so many times. */
	| { readonly kind: 'auto'; readonly most: number }
	/** By hand, at the ends of so many parts of about the same size; where that is too early, after the next turn. */
	| { readonly kind: 'even'; readonly parts: number };

export interface ReplayOptions extends Pick<CarryOptions<Failure>, 'model' | 'summarise'> {
	readonly terms: Terms;
	readonly cuts: Cuts;
	readonly world: World;
	/** Called after each compaction with the state before and after it. */
	readonly onCompacted?: (before: Workbench, after: Workbench) => void;
}

/**
 * Lives a conversation through again, turn by turn, and compacts it on the way as `cuts` say. What comes after the last
 * compaction is added too, so that the whole conversation stands in the result.
 */
export async function replay(start: Workbench, options: ReplayOptions): Promise<Replay> {
	const { cuts, world } = options;
	const { bench: empty, turns } = startAgain(start, world);
	const ends = cuts.kind === 'even' ? evenCuts(turns, cuts.parts) : null;
	const most = cuts.kind === 'auto' ? cuts.most : cuts.parts;
	const trigger = ends ? 'manual' : 'auto';
	const rows: CompactionRow[] = [];
	const failures: string[] = [];
	let bench = empty;
	let due = 0;
	for (const [index, turn] of turns.entries()) {
		bench = grow(bench, turn, world);
		if (ends?.has(index)) due++;
		const isTime = ends ? due > rows.length : isAnswered(turn);
		if (!isTime || rows.length >= most) continue;
		// A checkpoint is dated by what it follows: in a replay that was long ago.
		const at = turn.messages.at(-1)?.createdAt;
		const tried = await compactNow(bench, { ...options.terms, trigger }, options, at);
		if (tried.kind === 'failed') {
			failures.push(`After turn ${index + 1}: ${tried.why}`);
		} else if (tried.kind === 'committed') {
			options.onCompacted?.(bench, tried.bench);
			bench = tried.bench;
			rows.push(rowOf(rows.length + 1, index + 1, tried.passes, tried.message));
		}
	}
	return { bench, rows, failures };
}

/**
 * One whole compaction of the branch as it is.
 * @param at when the checkpoint is said to be made, if not now. Epoch milliseconds
 */
export async function compactNow(
	bench: Workbench,
	terms: Terms,
	options: Pick<ReplayOptions, 'model' | 'summarise' | 'world'>,
	at?: number
) {
	const plan = planOf(bench, terms, situationOf(bench, terms));
	if (plan.kind === 'noop') {
		const { reason } = plan;
		return { kind: 'noop', reason, why: `${noops[reason]} (${reason})` } as const;
	}
	let passes = 0;
	const { outcome, bench: after } = await carryOut<Failure>({
		...options,
		bench,
		plan,
		onPasses: (count) => (passes = count),
		...(at === undefined ? {} : { at })
	});
	return outcome.kind === 'committed'
		? ({ kind: 'committed', bench: after, message: outcome.message, passes } as const)
		: ({ kind: 'failed', why: whyNot(outcome) } as const);
}

/**
 * The turns after which a part ends. Each part has about its share of the tokens that are left, so that one huge turn does
 * not leave the next parts empty.
 */
function evenCuts(turns: readonly Turn[], parts: number): ReadonlySet<number> {
	const sizes = turns.map((turn) => turnTokens(turn, measureMessage));
	const cuts = new Set<number>();
	let left = sizes.reduce((sum, tokens) => sum + tokens, 0);
	let part = 0;
	sizes.forEach((tokens, index) => {
		part += tokens;
		if (cuts.size === parts || part < left / (parts - cuts.size)) return;
		cuts.add(index);
		left -= part;
		part = 0;
	});
	return cuts;
}
