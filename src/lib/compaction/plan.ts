import type {
	CheckpointMessage,
	ConversationMessage,
	PinnedText,
	TemplateName,
	Trigger
} from '../history/message';
import { turnsOf } from '../history/turns';
import { capacityTable, type Capacity } from '../context/capacity';
import type { Estimator, Measure } from '../context/measure';
import { estimated, fixedTokens, occupancyOf, type Occupancy } from '../context/occupancy';
import { verbatim, type Projection } from '../context/projection';
import { recallTools } from '../context/recall';
import type { ToolSpec } from '../context/request';
import { chooseBoundary, type Boundary } from './boundary';
import {
	frameTokens,
	pinnedTokens,
	quarterOf,
	SUMMARY_TARGET_MIN,
	summaryLeast,
	targetOf
} from './summary-size';

/** What a compaction is planned from. The three triggers share everything but their conditions. */
export interface PlanInput {
	readonly trigger: Trigger;
	readonly projection: Projection;
	/** The message waiting to be sent, if it is not durable yet. Never part of the summary. */
	readonly pending: ConversationMessage | null;
	readonly instructions: string;
	readonly tools: readonly ToolSpec[];
	/** The tools of the request after a checkpoint; by default `tools` and the recall tools, which come with it. */
	readonly toolsAfter?: readonly ToolSpec[];
	readonly capacity: Capacity;
	readonly provider: string;
	/** The provider's name for the model that will be asked; without it any of the provider's. */
	readonly model?: string;
	readonly template: TemplateName;
	/** No run, tool call, result or approval is open. */
	readonly stable: boolean;
	readonly focus?: string;
	/** What the user has pinned on this branch, oldest first. */
	readonly pins?: readonly PinnedText[];
	readonly estimator: Estimator;
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
	| 'cannot-fit'
	| 'pins-do-not-fit';

export interface CompactPlan {
	readonly kind: 'compact';
	readonly trigger: Trigger;
	readonly template: TemplateName;
	readonly previous: CheckpointMessage | null;
	readonly boundary: Boundary;
	readonly capacity: Capacity;
	/** Estimated parts of the request before, without usage: the same measure as after. */
	readonly before: Occupancy;
	/** Tokens of instructions, tools after, pinned texts, kept messages and pending message: all that stays beside the summary. */
	readonly staying: number;
	/** Tokens of the newly covered messages. */
	readonly coveredTokens: number;
	/** The pinned texts the checkpoint must carry: those that are not sent in their place. */
	readonly pinned: readonly PinnedText[];
	/** What they take, as part of `staying`. */
	readonly pinnedTokens: number;
	readonly estimator: Estimator;
	/** The length the prompt asks for, in tokens. */
	readonly summaryTarget: number;
	readonly focus?: string;
}

/** Nothing to do, and why. */
export interface Noop {
	readonly kind: 'noop';
	readonly reason: NoopReason;
	readonly before: Occupancy;
	/** Tokens of the pinned texts, where they are the reason. */
	readonly pinnedTokens?: number;
}

export type Plan = CompactPlan | Noop;

/** Decides whether to compact, and where. Pure: nothing is read or written. Rules C20–C28, C34, C36. */
export function planCompaction(input: PlanInput): Plan {
	const before = occupancyOf(input);
	const reason = reasonNotTo(input, before);
	if (reason) return { kind: 'noop', reason, before };
	const budget = tailBudget(input);
	const plan = planWithin(input, before, budget);
	const isFirstByHand = input.trigger === 'manual' && !input.projection.checkpoint;
	if (!isFirstByHand || plan.kind === 'compact' || plan.reason !== 'gain-too-small') {
		return orBlamePins(input, plan);
	}
	// All but the first turn fits the tail, and that turn is not worth a summary: half of what is there may be.
	const open = sum(verbatim(input.projection), input.estimator.message);
	const half = planWithin(input, before, Math.min(budget, Math.floor(open / 2)));
	return half.kind === 'compact' ? half : orBlamePins(input, plan);
}

/** Where there would be a gain without the pins, they are the reason that there is none. Rule C122. */
function orBlamePins(input: PlanInput, plan: Plan): Plan {
	if (plan.kind === 'compact' || plan.reason !== 'gain-too-small' || !input.pins?.length)
		return plan;
	if (planCompaction({ ...input, pins: [] }).kind !== 'compact') return plan;
	const tokens = pinnedTokens(input.pins, input.estimator);
	return { ...plan, reason: 'pins-do-not-fit', pinnedTokens: tokens };
}

/** Why there is nothing to plan, whatever the boundary, or null. Rules C20–C22. */
function reasonNotTo(input: PlanInput, before: Occupancy): NoopReason | null {
	const { trigger, projection, capacity } = input;
	const open = verbatim(projection);
	if (open.length === 0 && !projection.checkpoint) return 'empty';
	if (!input.stable) return 'unstable';
	if (fixedTokens(input.instructions, input.tools, input.estimator) > capacity.safeLimit) {
		return 'cannot-fit';
	}
	const limit = trigger === 'auto' ? capacity.autoThreshold : capacity.safeLimit;
	if (trigger !== 'manual') return before.tokens <= limit ? 'below-threshold' : null;
	if (projection.checkpoint) return projection.later.length === 0 ? 'checkpoint-is-leaf' : null;
	return turnsOf(open).length < 2 ? 'one-turn' : null;
}

/** Tokens of instructions and tools of the request after. Rule C27. */
function fixedAfter({ instructions, tools, toolsAfter, estimator }: PlanInput): number {
	return fixedTokens(instructions, toolsAfter ?? withRecall(tools), estimator);
}

function pendingTokens({ pending, estimator }: PlanInput): number {
	return pending ? estimator.message(pending) : 0;
}

/** Tokens that kept turns may take. In preflight it shrinks until everything else fits beside them. Rule C34. */
function tailBudget(input: PlanInput): number {
	const { capacity, estimator } = input;
	if (input.trigger !== 'preflight') return capacity.tailBudget;
	// Which pins will not be sent in their place depends on the boundary, which depends on this: all are counted.
	const beside =
		fixedAfter(input) +
		quarterOf(capacity) +
		frameTokens(estimator) +
		pinnedTokens(input.pins ?? [], estimator) +
		pendingTokens(input);
	return Math.max(0, Math.min(capacity.tailBudget, capacity.safeLimit - beside));
}

/** The plan whose tail is at most `budget` tokens, or why it is not worth a summary. Rules C23–C28. */
function planWithin(input: PlanInput, before: Occupancy, budget: number): Plan {
	const { trigger, projection, capacity, estimator } = input;
	const noop = (reason: NoopReason): Noop => ({ kind: 'noop', reason, before });
	const previous = projection.checkpoint;
	const frame = frameTokens(estimator);
	const fixed = fixedAfter(input);
	const boundary = chooseBoundary({
		open: verbatim(projection),
		tailBudget: budget,
		measure: estimator.message,
		coverFirstTurn: trigger === 'manual' && !previous
	});

	const pinned = pinnedBeside(boundary, input.pins ?? []);
	const pins = pinnedTokens(pinned, estimator);
	const unpinned = fixed + sum(boundary.kept, estimator.message) + pendingTokens(input);
	const staying = unpinned + pins;
	if (staying + frame + SUMMARY_TARGET_MIN > capacity.safeLimit) {
		if (unpinned + frame + SUMMARY_TARGET_MIN <= capacity.safeLimit) {
			return { ...noop('pins-do-not-fit'), pinnedTokens: pins };
		}
		return noop(trigger === 'preflight' ? 'cannot-advance' : 'gain-too-small');
	}

	const old = before.parts.checkpoint;
	const isRefresh = boundary.covered.length === 0;
	const isOverlong = old - frame > quarterOf(capacity);
	const mayRefresh = trigger === 'manual' || (trigger === 'preflight' && isOverlong);
	if (isRefresh && !(previous && mayRefresh)) return noop('cannot-advance');
	const coveredTokens = sum(boundary.covered, estimator.message);
	const summaryTarget = targetOf(
		capacity,
		Math.min((coveredTokens + old) / 2, capacity.safeLimit - staying - frame)
	);
	const newPins = pins - pinnedTokens(previous?.checkpoint.pinned ?? [], estimator);
	const gain = coveredTokens + old - Math.max(summaryTarget + frame, old) - newPins;
	if (trigger === 'auto' && gain < capacityTable.minimumGainShare * capacity.safeLimit) {
		return noop('gain-too-small');
	}
	const newTools = fixed - fixedTokens(input.instructions, input.tools, estimator);
	const replacing = frame + pins + summaryLeast(input.template, estimator) + newTools;
	if (!isRefresh && coveredTokens + old <= replacing) return noop('gain-too-small');
	return {
		kind: 'compact',
		trigger,
		template: input.template,
		previous,
		boundary,
		capacity,
		before: { tokens: estimated(before.parts), source: 'estimated', parts: before.parts },
		staying,
		coveredTokens,
		pinned,
		pinnedTokens: pins,
		estimator,
		summaryTarget,
		...(input.focus === undefined ? {} : { focus: input.focus })
	};
}

/** The pinned texts that a boundary leaves without their message in the tail. Rule C120. */
export function pinnedBeside(
	boundary: Boundary,
	pins: readonly PinnedText[]
): readonly PinnedText[] {
	const kept = new Set(boundary.kept.map((message) => message.id));
	return pins.filter(({ messageId }) => messageId === null || !kept.has(messageId));
}

/** With a checkpoint something is no longer sent, so the tools that read it back come along. Rule C27. */
function withRecall(tools: readonly ToolSpec[]): readonly ToolSpec[] {
	const names = new Set(tools.map((tool) => tool.name));
	return [...tools, ...recallTools.filter((tool) => !names.has(tool.name))];
}

function sum(messages: readonly ConversationMessage[], measure: Measure): number {
	return messages.reduce((total, message) => total + measure(message), 0);
}
