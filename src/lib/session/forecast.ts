import { checkpointCost, costOf, type CheckpointCost, type Price } from '$lib/context/price';
import { checkpointTokens } from '$lib/context/occupancy';
import { estimateText } from '$lib/context/estimate';
import { summaryInstructions } from '$lib/compaction/prompt';
import {
	PASS_MIN,
	passRoom,
	PRESERVED_TOKENS,
	putBackBefore,
	summaryCap
} from '$lib/compaction/room';
import type { CompactPlan } from '$lib/compaction/plan';
import { frameTokens } from '$lib/compaction/summary-size';
import type { Checkpoint, ModelRef } from '$lib/history/message';
import type { SummariserChoice } from './summarisers';
import type { CompactionForecast } from './view';

/** About what references take of a text that is full of them. */
const PUT_BACK_SHARE = 0.1;

/** What a model costs, or null where that is unknown. */
export type PriceList = (model: ModelRef) => Price | null;

/** What a plan would cost and free. */
export function forecastOf(
	plan: CompactPlan,
	{ model, capacity, factor }: SummariserChoice,
	session: ModelRef,
	priceOf: PriceList
): CompactionForecast {
	const prompt = estimateText(summaryInstructions(plan.template));
	const cap = summaryCap(plan, capacity);
	const room = passRoom(plan, capacity, factor, cap);
	if (room < PASS_MIN) return { kind: 'noop', reason: 'no-room' };
	const passes = Math.max(1, Math.ceil(plan.coveredTokens / room));
	const old = plan.previous ? checkpointTokens(plan.previous.checkpoint, plan.estimator) : 0;
	// References put back come on top: as many as before, or a share of what is newly covered.
	const putBack = Math.min(
		PRESERVED_TOKENS,
		Math.max(putBackBefore(plan), PUT_BACK_SHARE * plan.coveredTokens)
	);
	const wished = plan.staying + frameTokens(plan.estimator) + plan.summaryTarget + putBack;
	const after = Math.floor(Math.min(wished, plan.before.tokens));
	const prices = { summary: priceOf(model), session: priceOf(session) };
	return {
		kind: 'compact',
		before: plan.before.tokens,
		after,
		coveredMessageCount: plan.boundary.covered.length,
		model,
		passes,
		cost:
			prices.summary && prices.session
				? checkpointCost(
						costOf(
							{
								// Each pass reads the instructions and the summary so far again.
								inputTokens:
									plan.coveredTokens + old + passes * prompt + (passes - 1) * plan.summaryTarget,
								outputTokens: passes * plan.summaryTarget
							},
							prices.summary
						),
						plan.before.tokens,
						after,
						prices.session
					)
				: null
	};
}

/** What a checkpoint has cost, by what its summariser reported. Null where a report or a price is unknown. */
export function costOfCheckpoint(
	checkpoint: Checkpoint,
	session: ModelRef,
	priceOf: PriceList
): CheckpointCost | null {
	const summariser = priceOf(checkpoint.model);
	const price = priceOf(session);
	if (!summariser || !price || !checkpoint.usage) return null;
	const { tokensBefore, tokensAfter } = checkpoint;
	return checkpointCost(costOf(checkpoint.usage, summariser), tokensBefore, tokensAfter, price);
}
