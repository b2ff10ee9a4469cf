import type { AssistantMessage, ConversationMessage, PinnedText, Usage } from '../history/message';
import type { ImageCount } from './images';
import { estimatorOf, uncalibrated, type Estimator, type Measure } from './measure';
import type { Projection } from './projection';
import { checkpointBlock, type ToolSpec } from './request';

/** What the next request is made of. */
export interface OccupancyInput {
	readonly instructions: string;
	readonly tools: readonly ToolSpec[];
	readonly projection: Projection;
	/** The message that is not durable yet, if any. */
	readonly pending: ConversationMessage | null;
	/** The provider that will be asked: usage reported by another is not valid here. */
	readonly provider: string;
	/** Default: uncalibrated. */
	readonly estimator?: Estimator;
	/** Whether this provider receives earlier reasoning again. */
	readonly replaysReasoning?: boolean;
}

/** Estimated tokens by part. */
export interface OccupancyParts {
	readonly instructions: number;
	readonly tools: number;
	readonly checkpoint: number;
	readonly tail: number;
	readonly later: number;
	readonly pending: number;
}

/** Estimated tokens of the next request. Never a billed total. */
export interface Occupancy {
	readonly tokens: number;
	/** `reported`: the provider's figure for the last answer plus estimates of what came after it. */
	readonly source: 'reported' | 'estimated';
	/** Every part estimated, whatever `tokens` is based on. */
	readonly parts: OccupancyParts;
}

/** Estimated tokens of instructions and tool schemas: what no compaction can free. */
export function fixedTokens(
	instructions: string,
	tools: readonly ToolSpec[],
	estimator: Estimator = uncalibrated
): number {
	return estimator.text(instructions) + toolsTokens(tools, estimator);
}

function toolsTokens(tools: readonly ToolSpec[], estimator: Estimator): number {
	return tools.reduce((sum, tool) => sum + estimator.text(JSON.stringify(tool)), 0);
}

/** Estimated tokens a checkpoint takes in a request: summary, pinned texts, and the words around them. */
export function checkpointTokens(
	checkpoint: { readonly summary: string; readonly pinned?: readonly PinnedText[] },
	estimator: Estimator
): number {
	return estimator.text(checkpointBlock(checkpoint.summary, checkpoint.pinned).text);
}

/**
 * What the newest usage report says of our estimates: the context it was for, as the provider counts it and as we do
 * without calibration. Null where no report is valid. Rule C14.
 */
export function reportOf(
	input: Omit<OccupancyInput, 'pending' | 'estimator'> & {
		readonly measure?: Measure;
		readonly images?: ImageCount;
	}
): { readonly estimated: number; readonly reported: number } | null {
	const { later } = input.projection;
	const at = later.findLastIndex((message) => hasValidUsage(message, input.provider));
	const base = later[at];
	if (base?.role !== 'assistant' || !base.metadata.usage) return null;
	const { parts } = occupancyOf({
		...input,
		projection: { ...input.projection, later: later.slice(0, at + 1) },
		pending: null,
		estimator: estimatorOf(1, input.measure, input.images)
	});
	return {
		estimated: estimated(parts),
		reported: contextAfter(base.metadata.usage, input.replaysReasoning ?? false)
	};
}

/** Occupancy of the next request. Rules C15–C17. */
export function occupancyOf(input: OccupancyInput): Occupancy {
	const estimator = input.estimator ?? uncalibrated;
	const measure = estimator.message;
	const { projection, pending } = input;
	const parts: OccupancyParts = {
		instructions: estimator.text(input.instructions),
		tools: toolsTokens(input.tools, estimator),
		checkpoint: projection.checkpoint
			? checkpointTokens(projection.checkpoint.checkpoint, estimator)
			: 0,
		tail: total(projection.tail, measure),
		later: total(projection.later, measure),
		pending: pending ? measure(pending) : 0
	};
	const at = projection.later.findLastIndex((message) => hasValidUsage(message, input.provider));
	const base = projection.later[at];
	if (base?.role === 'assistant' && base.metadata.usage) {
		const since = total(projection.later.slice(at + 1), measure);
		const tokens =
			contextAfter(base.metadata.usage, input.replaysReasoning ?? false) + since + parts.pending;
		return { tokens, source: 'reported', parts };
	}
	return { tokens: estimated(parts), source: 'estimated', parts };
}

/** The sum of the estimated parts: the measure in which "before" and "after" of a checkpoint are compared. Rule C18. */
export function estimated(parts: OccupancyParts): number {
	return Object.values(parts).reduce((sum: number, tokens: number) => sum + tokens, 0);
}

/** Tokens in the context once an answer is part of it: last step's input (cached included once) + its output. Rule C16. */
function contextAfter(usage: Usage, replaysReasoning: boolean): number {
	const reasoning = replaysReasoning ? 0 : (usage.reasoningTokens ?? 0);
	const cached = usage.cachedInputTokens ?? 0;
	// More cached than input: this report counts them apart, and they do fill the window.
	const input = cached > usage.inputTokens ? usage.inputTokens + cached : usage.inputTokens;
	return input + Math.max(0, usage.outputTokens - reasoning);
}

function hasValidUsage(
	message: ConversationMessage,
	provider: string
): message is AssistantMessage {
	if (message.role !== 'assistant') return false;
	const { usage, finish, model, hasLeftOut } = message.metadata;
	if (hasLeftOut) return false;
	const finished = finish === 'stop' || finish === 'length' || finish === 'tool-calls';
	return finished && model?.provider === provider && (usage?.inputTokens ?? 0) > 0;
}

function total(messages: readonly ConversationMessage[], measure: Measure): number {
	return messages.reduce((sum, message) => sum + measure(message), 0);
}
