import type {
	AssistantMessage,
	ConversationMessage,
	MessageId,
	PinnedText,
	Usage
} from '../history/message';
import { uncalibrated, type Estimator, type Measure } from './measure';
import type { Projection } from './projection';
import { checkpointBlock, type ToolSpec } from './request';

/** What the next request is made of. */
export interface OccupancyInput {
	readonly instructions: string;
	readonly tools: readonly ToolSpec[];
	readonly projection: Projection;
	/** The message that is not durable yet, if any. */
	readonly pending: ConversationMessage | null;
	/** Who will be asked: usage reported by another is not valid here. */
	readonly provider: string;
	/** The provider's name for the model. Without it a report of any model of the provider counts. */
	readonly model?: string;
	/** Default: uncalibrated. */
	readonly estimator?: Estimator;
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

/** What a usage report says of our estimates. Tokens, both of the same context, images left out. */
export interface UsageReport {
	/** Without calibration. */
	readonly estimated: number;
	readonly reported: number;
}

/** Above this share of a context, images say more of how they are counted than of the tokenizer. */
const IMAGE_SHARE = 0.2;

/**
 * What the report of one answer says of our estimates. Null where it says nothing of them: it is no valid report, much of
 * the context was images, or the answer reasoned between its steps, which counts in its input and is not sent again.
 * Rule C14.
 * @param input `estimator` is without calibration
 */
export function reportOf(
	input: Omit<OccupancyInput, 'pending'>,
	answerId: MessageId
): UsageReport | null {
	const { projection } = input;
	const at = projection.later.findIndex((message) => message.id === answerId);
	const answer = projection.later[at];
	if (!answer || !hasValidUsage(answer, input) || reasonsBetween(answer)) return null;
	const later = projection.later.slice(0, at + 1);
	const { parts } = occupancyOf({ ...input, projection: { ...projection, later }, pending: null });
	const images = [...projection.tail, ...later].reduce(
		(sum, message) => sum + (input.estimator ?? uncalibrated).images(message),
		0
	);
	const whole = estimated(parts);
	if (images > IMAGE_SHARE * whole) return null;
	return { estimated: whole - images, reported: contextAfter(answer.metadata.usage) - images };
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
	const whole = estimated(parts);
	const at = projection.later.findLastIndex((message) => hasValidUsage(message, input));
	const base = projection.later[at];
	if (!base || !hasValidUsage(base, input)) {
		return { tokens: whole, source: 'estimated', parts };
	}
	const { usage, fixedTokens: fixedThen } = base.metadata;
	const since = total(projection.later.slice(at + 1), measure) + parts.pending;
	const fixed = parts.instructions + parts.tools;
	// Instructions or tools may have changed since the answer.
	const grown = fixedThen === undefined ? 0 : fixed - estimator.scale(fixedThen);
	const reported = contextAfter(usage) + grown;
	return isPlausible(reported, whole - since)
		? { tokens: reported + since, source: 'reported', parts }
		: { tokens: whole, source: 'estimated', parts };
}

/** Less than this share of our estimate: the server counts only what was not cached. */
const PLAUSIBLE_SHARE = 0.4;
/** A small context says little: a few tokens more or less are half of it. */
const PLAUSIBLE_FROM = 500;
/** More than this: it sums up requests. Generous, because a server may put much around a request of its own. */
const PLAUSIBLE_TIMES = 10;
const SERVER_FRAME = 200_000;

/** Whether a report can be one of the context that was sent. Rule C15. */
function isPlausible(reported: number, estimate: number): boolean {
	if (reported > PLAUSIBLE_TIMES * estimate + SERVER_FRAME) return false;
	return estimate < PLAUSIBLE_FROM || reported >= PLAUSIBLE_SHARE * estimate;
}

/** The sum of the estimated parts: the measure in which "before" and "after" of a checkpoint are compared. Rule C18. */
export function estimated(parts: OccupancyParts): number {
	return Object.values(parts).reduce((sum: number, tokens: number) => sum + tokens, 0);
}

/** Tokens in the context once an answer is part of it: last step's input (cached included once) + its output. Rule C16. */
function contextAfter(usage: Usage): number {
	const reasoning = usage.reasoningTokens ?? 0;
	const cached = usage.cachedInputTokens ?? 0;
	// More cached than input, or more reasoning than output: this report counts them apart.
	const input = cached > usage.inputTokens ? usage.inputTokens + cached : usage.inputTokens;
	const output =
		reasoning > usage.outputTokens ? usage.outputTokens : usage.outputTokens - reasoning;
	return input + output;
}

/** An answer with a report that may be a base. */
type ReportedAnswer = AssistantMessage & { readonly metadata: { readonly usage: Usage } };

function hasValidUsage(
	message: ConversationMessage,
	asked: Pick<OccupancyInput, 'provider' | 'model'>
): message is ReportedAnswer {
	if (message.role !== 'assistant') return false;
	const { usage, finish, model, hasLeftOut } = message.metadata;
	// An answer that ended with calls has results that its last step's report knows nothing of.
	const isFinished = finish === 'stop' || finish === 'length';
	const isSame = model?.provider === asked.provider && model.model === (asked.model ?? model.model);
	return isFinished && isSame && !hasLeftOut && (usage?.inputTokens ?? 0) > 0;
}

function reasonsBetween({ parts }: AssistantMessage): boolean {
	const steps = parts.filter((part) => part.type === 'step-start').length;
	return steps > 1 && parts.some((part) => part.type === 'reasoning');
}

function total(messages: readonly ConversationMessage[], measure: Measure): number {
	return messages.reduce((sum, message) => sum + measure(message), 0);
}
