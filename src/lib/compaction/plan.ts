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
import { checkpointBlock, type ToolSpec } from '../context/request';
import { chooseBoundary, type Boundary } from './boundary';

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

/** Below this a summary has no room for its headings. Tokens. */
const SUMMARY_TARGET_MIN = 160;
/** What eight sections need to hold more than one bullet each. Tokens. */
const SUMMARY_ROOMY = 800;
/** A summary cannot be less than its headings. Tokens. */
const SUMMARY_LEAST = 16;
/** Decides whether to compact, and where. Pure: nothing is read or written. Rules C20–C27, C34, C36. */
export function planCompaction(input: PlanInput): Plan {
	const { trigger, projection, capacity, estimator } = input;
	const measure = estimator.message;
	const frame = frameTokens(estimator);
	const before = occupancyOf(input);
	const noop = (reason: NoopReason): Plan => ({ kind: 'noop', reason, before });
	const open = verbatim(projection);
	const previous = projection.checkpoint;

	if (open.length === 0 && !previous) return noop('empty');
	if (!input.stable) return noop('unstable');
	const fixedNow = fixedTokens(input.instructions, input.tools, estimator);
	if (fixedNow > capacity.safeLimit) return noop('cannot-fit');
	const limit = trigger === 'auto' ? capacity.autoThreshold : capacity.safeLimit;
	if (trigger !== 'manual' && before.tokens <= limit) return noop('below-threshold');
	if (trigger === 'manual') {
		if (previous && projection.later.length === 0) return noop('checkpoint-is-leaf');
		if (!previous && turnsOf(open).length < 2) return noop('one-turn');
	}

	const toolsAfter = input.toolsAfter ?? withRecall(input.tools);
	const fixed = fixedTokens(input.instructions, toolsAfter, estimator);
	const pendingTokens = input.pending ? measure(input.pending) : 0;
	const quarter = Math.floor(capacityTable.summaryTargetShare * capacity.summaryCap);
	// Which of them will not be sent in their place depends on the boundary, which depends on their room: all are counted.
	const allPinned = pinnedTokens(input.pins ?? [], estimator);
	const besideTail = fixed + quarter + frame + allPinned + pendingTokens;
	const boundary = chooseBoundary({
		open,
		tailBudget:
			trigger === 'preflight'
				? Math.max(0, Math.min(capacity.tailBudget, capacity.safeLimit - besideTail))
				: capacity.tailBudget,
		measure,
		coverFirstTurn: trigger === 'manual' && !previous
	});

	const keptIds = new Set(boundary.kept.map((message) => message.id));
	const pinned = (input.pins ?? []).filter(
		({ messageId }) => messageId === null || !keptIds.has(messageId)
	);
	const pinTokens = pinnedTokens(pinned, estimator);
	const unpinned = fixed + sum(boundary.kept, measure) + pendingTokens;
	const staying = unpinned + pinTokens;
	if (staying + frame + SUMMARY_TARGET_MIN > capacity.safeLimit) {
		if (unpinned + frame + SUMMARY_TARGET_MIN <= capacity.safeLimit) {
			return { kind: 'noop', reason: 'pins-do-not-fit', before, pinnedTokens: pinTokens };
		}
		return noop(trigger === 'preflight' ? 'cannot-advance' : 'gain-too-small');
	}
	const old = before.parts.checkpoint;
	const isRefresh = boundary.covered.length === 0;
	const mayRefresh = trigger === 'manual' || (trigger === 'preflight' && old - frame > quarter);
	if (isRefresh && !(previous && mayRefresh)) return noop('cannot-advance');
	const coveredTokens = sum(boundary.covered, measure);
	const asked = summaryTarget(
		capacity,
		Math.min((coveredTokens + old) / 2, capacity.safeLimit - staying - frame)
	);
	const newPins = pinTokens - pinnedTokens(previous?.checkpoint.pinned ?? [], estimator);
	const gain = coveredTokens + old - Math.max(asked + frame, old) - newPins;
	if (trigger === 'auto' && gain < capacityTable.minimumGainShare * capacity.safeLimit) {
		return noop('gain-too-small');
	}
	const replacing = frame + pinTokens + SUMMARY_LEAST + fixed - fixedNow;
	if (!isRefresh && coveredTokens + old <= replacing) {
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
		staying,
		coveredTokens,
		pinned,
		pinnedTokens: pinTokens,
		estimator,
		summaryTarget: asked,
		...(input.focus === undefined ? {} : { focus: input.focus })
	};
}

/** What a request puts around any summary. Tokens. */
export function frameTokens(estimator: Estimator): number {
	return estimator.text(checkpointBlock('').text);
}

/** What pinned texts add to a checkpoint. Tokens. */
export function pinnedTokens(pinned: readonly PinnedText[], estimator: Estimator): number {
	if (pinned.length === 0) return 0;
	return estimator.text(checkpointBlock('', pinned).text) - frameTokens(estimator);
}

/** With a checkpoint something is no longer sent, so the tools that read it back come along. Rule C27. */
function withRecall(tools: readonly ToolSpec[]): readonly ToolSpec[] {
	const names = new Set(tools.map((tool) => tool.name));
	return [...tools, ...recallTools.filter((tool) => !names.has(tool.name))];
}

/**
 * The length to ask for: a quarter of the cap, and in a small window up to `SUMMARY_ROOMY`, because a quarter there is one
 * bullet a section. A summary of little text must be little: never more than `most`. Rule C53.
 */
function summaryTarget(capacity: Capacity, most: number): number {
	const cap = capacity.summaryCap;
	const quarter = capacityTable.summaryTargetShare * cap;
	const wished = Math.max(quarter, Math.min(SUMMARY_ROOMY, cap / 2));
	return Math.floor(Math.min(wished, Math.max(SUMMARY_TARGET_MIN, most)));
}

function sum(messages: readonly ConversationMessage[], measure: Measure): number {
	return messages.reduce((total, message) => total + measure(message), 0);
}
