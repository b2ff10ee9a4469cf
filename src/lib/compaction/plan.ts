import type {
	CheckpointMessage,
	ConversationMessage,
	TemplateName,
	Trigger
} from '../history/message';
import { turnsOf } from '../history/turns';
import { capacityTable, type Capacity } from '../context/capacity';
import type { Measure } from '../context/measure';
import { estimated, fixedTokens, occupancyOf, type Occupancy } from '../context/occupancy';
import { verbatim, type Projection } from '../context/projection';
import type { ToolSpec } from '../context/request';
import { chooseBoundary, type Boundary } from './boundary';

/** What a compaction is planned from. The three triggers share everything but their conditions. */
export interface PlanInput {
	readonly trigger: Trigger;
	readonly projection: Projection;
	/** The message waiting to be sent, if it is not durable yet. Never part of the summary. */
	readonly pending: ConversationMessage | null;
	readonly instructions: string;
	readonly tools: readonly ToolSpec[];
	readonly capacity: Capacity;
	readonly provider: string;
	readonly template: TemplateName;
	/** No run, tool call, result or approval is open. */
	readonly stable: boolean;
	readonly focus?: string;
	readonly measure: Measure;
}

/** Why nothing is compacted, where that is no failure. */
export type NoopReason =
	| 'empty'
	| 'one-turn'
	| 'checkpoint-is-leaf'
	| 'below-threshold'
	| 'cannot-advance'
	| 'gain-too-small'
	| 'unstable'
	| 'cannot-fit';

export interface CompactPlan {
	readonly kind: 'compact';
	readonly trigger: Trigger;
	readonly template: TemplateName;
	readonly previous: CheckpointMessage | null;
	readonly boundary: Boundary;
	readonly capacity: Capacity;
	/** Estimated parts of the request before, without usage: the same measure as after. */
	readonly before: Occupancy;
	/** Tokens of instructions, tools, kept messages and pending message: all that stays beside the summary. */
	readonly staying: number;
	/** The length the prompt asks for, in tokens. */
	readonly summaryTarget: number;
	readonly focus?: string;
}

export type Plan =
	CompactPlan | { readonly kind: 'noop'; readonly reason: NoopReason; readonly before: Occupancy };

/** Below this a summary has no room for its headings. Tokens. */
const SUMMARY_TARGET_MIN = 160;

/** Decides whether to compact, and where. Pure: nothing is read or written. Rules C15–C25. */
export function planCompaction(input: PlanInput): Plan {
	const { trigger, projection, capacity, measure } = input;
	const before = occupancyOf(input);
	const noop = (reason: NoopReason): Plan => ({ kind: 'noop', reason, before });
	const open = verbatim(projection);
	const previous = projection.checkpoint;
	const fixed = fixedTokens(input.instructions, input.tools);
	const pendingTokens = input.pending ? measure(input.pending) : 0;

	if (open.length === 0 && !previous) return noop('empty');
	if (!input.stable) return noop('unstable');
	if (fixed > capacity.safeLimit) return noop('cannot-fit');
	if (trigger === 'auto' && before.tokens <= capacity.autoThreshold) return noop('below-threshold');
	if (trigger === 'preflight' && before.tokens <= capacity.safeLimit)
		return noop('below-threshold');
	if (trigger === 'manual') {
		if (previous && projection.later.length === 0) return noop('checkpoint-is-leaf');
		if (!previous && turnsOf(open).length < 2) return noop('one-turn');
	}

	const target = Math.floor(capacityTable.summaryTargetShare * capacity.summaryCap);
	const tailBudget =
		trigger === 'preflight'
			? Math.min(capacity.tailBudget, capacity.safeLimit - fixed - target - pendingTokens)
			: capacity.tailBudget;
	const boundary = chooseBoundary({
		open,
		tailBudget: Math.max(0, tailBudget),
		measure,
		coverFirstTurn: trigger === 'manual' && !previous
	});

	const advances = boundary.covered.length > 0;
	if (!advances && (trigger !== 'manual' || !previous)) return noop('cannot-advance');
	const coveredTokens = sum(boundary.covered, measure);
	const gain = coveredTokens + before.parts.checkpoint - Math.max(target, before.parts.checkpoint);
	if (trigger === 'auto' && gain < capacityTable.minimumGainShare * capacity.safeLimit) {
		return noop('gain-too-small');
	}
	return {
		kind: 'compact',
		trigger,
		template: input.template,
		previous,
		boundary,
		capacity,
		before: { tokens: estimated(before.parts), source: 'estimated', parts: before.parts },
		staying: fixed + sum(boundary.kept, measure) + pendingTokens,
		summaryTarget: summaryTarget(target, coveredTokens, before.parts.checkpoint),
		...(input.focus === undefined ? {} : { focus: input.focus })
	};
}

/** A summary of little text must be little: at most half of what it replaces. */
function summaryTarget(target: number, coveredTokens: number, checkpointTokens: number): number {
	const replaced = coveredTokens + checkpointTokens;
	return Math.min(target, Math.max(SUMMARY_TARGET_MIN, Math.floor(replaced / 2)));
}

function sum(messages: readonly ConversationMessage[], measure: Measure): number {
	return messages.reduce((total, message) => total + measure(message), 0);
}
