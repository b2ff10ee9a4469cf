import type { ModelRef } from '../src/lib/history/message';
import { replies, type Step } from './carry-out';
import { Fault } from './fault';
import { planOf, situationOf } from './situation';
import type { Terms } from './terms';
import { noops } from './words';
import type { Reply, Workbench } from './workbench';
import type { World } from './world';

/** The pass that comes next. Counts from 1. */
export const nextPass = (bench: Workbench): number => (bench.underWay?.replies.length ?? 0) + 1;

/** The accepted answers before a pass. */
export function repliesBefore(bench: Workbench, pass: number): readonly Reply[] {
	const known = bench.underWay?.replies ?? [];
	if (pass > known.length + 1) {
		throw new Fault(
			`Pass ${pass} folds into the answer to pass ${pass - 1}, which is not there yet. The next is pass ${known.length + 1}.`,
			2
		);
	}
	return known.slice(0, pass - 1);
}

/** Plays the compaction that `terms` ask for, as far as answers go. */
export async function play(
	bench: Workbench,
	terms: Terms,
	given: readonly Reply[],
	world: World,
	model: ModelRef
): Promise<Step> {
	const plan = planOf(bench, terms, situationOf(bench, terms));
	if (plan.kind === 'noop') {
		throw new Fault(`There is nothing to compact (${plan.reason}): ${noops[plan.reason]}`);
	}
	return replies({ bench, plan, model, world }, given);
}
