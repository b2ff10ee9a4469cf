import type {
	Checkpoint,
	CheckpointMessage,
	ConversationMessage,
	ModelRef,
	Usage
} from '../history/message';
import type { Capacity } from '../context/capacity';
import { estimateText } from '../context/estimate';
import { checkpointBlock } from '../context/request';
import { packPasses } from './passes';
import type { CompactPlan } from './plan';
import { summaryInstructions, summaryRequest, type SummaryRequest } from './prompt';
import { preserve, withoutPreserved, type FoundReference } from './references';
import { TOOL_RESULT_TOKENS, type Block, type SerialiseLimits } from './serialise';
import { verifyAnswer, verifyGain, type Rejection, type SummaryAnswer } from './verify';

/** What a summariser gave back: an answer, or why there is none. */
export type SummariseResult<Failure> =
	| { readonly kind: 'answer'; readonly answer: SummaryAnswer }
	| { readonly kind: 'failed'; readonly failure: Failure };

/** What the storage said to a commit. */
export type CommitResult =
	| { readonly kind: 'committed'; readonly message: CheckpointMessage }
	| { readonly kind: 'stale' }
	| { readonly kind: 'aborted' };

/** The covered messages as a transcript, and what must not be lost of them. */
export interface Reading {
	readonly blocks: readonly Block[];
	readonly references: readonly FoundReference[];
}

export interface Progress {
	readonly phase: 'reading' | 'summarising' | 'verifying' | 'committing';
	/** 1-based; `passes` is 0 until it is known. */
	readonly pass: number;
	readonly passes: number;
}

/** Everything the compaction needs from outside. */
export interface CompactPorts<Failure> {
	/** Serialises the covered messages and finds their references: the heavy part, done in the worker. */
	read(
		messages: readonly ConversationMessage[],
		limits: SerialiseLimits,
		previous: readonly FoundReference[]
	): Promise<Reading>;
	summarise(request: SummaryRequest, signal: AbortSignal): Promise<SummariseResult<Failure>>;
	commit(checkpoint: Checkpoint, signal: AbortSignal): Promise<CommitResult>;
	sha256(text: string): Promise<string>;
	/** Epoch milliseconds. */
	now(): number;
	onProgress(progress: Progress): void;
	readonly signal: AbortSignal;
	/** The model that writes the summary, and its capacity. */
	readonly model: ModelRef;
	readonly summariser: Capacity;
}

export type CompactOutcome<Failure> =
	| { readonly kind: 'committed'; readonly message: CheckpointMessage }
	/** The branch changed meanwhile: nothing was written. */
	| { readonly kind: 'stale' }
	| { readonly kind: 'cancelled' }
	/** No acceptable summary came, also after one repair: nothing was written. */
	| { readonly kind: 'rejected'; readonly rejection: Rejection }
	| { readonly kind: 'failed'; readonly failure: Failure }
	/** The summariser's window holds not even one pass. */
	| { readonly kind: 'no-room' };

/** References put back under their heading take at most this many tokens, and this share of the safe limit. */
const PRESERVED_TOKENS = 1500;
const PRESERVED_SHARE = 0.15;
/** A pass smaller than this would make no headway. Tokens. */
const PASS_MIN = 128;

/** Carries a plan out: serialise, summarise in passes, verify, commit. Nothing is written before the last step. */
export async function compact<Failure>(
	plan: CompactPlan,
	ports: CompactPorts<Failure>
): Promise<CompactOutcome<Failure>> {
	const startedAt = ports.now();
	const { covered } = plan.boundary;
	ports.onProgress({ phase: 'reading', pass: 0, passes: 0 });
	const cap = Math.min(plan.capacity.summaryCap, ports.summariser.summaryCap);
	const room = passRoom(plan, ports.summariser, cap);
	if (room < PASS_MIN) return { kind: 'no-room' };
	const limits = { toolResult: Math.min(TOOL_RESULT_TOKENS, Math.floor(room / 2)), block: room };
	const ledger = plan.previous?.checkpoint.references ?? [];
	const { blocks, references } = await ports.read(covered, limits, ledger);
	// A refresh without newly covered messages is still one pass: the previous summary, written anew.
	const passes = blocks.length === 0 ? [[]] : packPasses(blocks, room);

	let summary = plan.previous ? withoutPreserved(plan.previous.checkpoint.summary) : null;
	let usage: Usage | null = null;
	let repairs = 1;
	for (const [index, pass] of passes.entries()) {
		let repair: string | undefined;
		for (;;) {
			if (ports.signal.aborted) return { kind: 'cancelled' };
			ports.onProgress({ phase: 'summarising', pass: index + 1, passes: passes.length });
			const request = summaryRequest({
				template: plan.template,
				previousSummary: summary,
				transcript: pass.map((block) => block.text),
				target: plan.summaryTarget,
				cap,
				...(plan.focus === undefined ? {} : { focus: plan.focus }),
				...(repair === undefined ? {} : { repair })
			});
			const result = await ports.summarise(request, ports.signal);
			if (ports.signal.aborted) return { kind: 'cancelled' };
			if (result.kind === 'failed') return { kind: 'failed', failure: result.failure };
			usage = addUsage(usage, result.answer.usage);
			const rejection = verifyAnswer(result.answer, plan.template, cap);
			if (!rejection) {
				summary = result.answer.text.trim();
				break;
			}
			if (repairs === 0) return { kind: 'rejected', rejection };
			repairs--;
			repair = rejection.sentence;
		}
	}

	ports.onProgress({ phase: 'verifying', pass: passes.length, passes: passes.length });
	const written = summary ?? '';
	const preserved = preserve(written, references, preservedBudget(plan, written));
	const tokensAfter = plan.staying + estimateText(checkpointBlock(preserved.summary).text);
	const refresh = covered.length === 0;
	const rejection = verifyGain(plan.before.tokens, tokensAfter, plan.capacity.safeLimit, refresh);
	if (rejection) return { kind: 'rejected', rejection };

	const digest = await ports.sha256(
		[...covered.map((message) => message.id), plan.previous?.checkpoint.summary ?? ''].join('\n')
	);
	if (ports.signal.aborted) return { kind: 'cancelled' };
	ports.onProgress({ phase: 'committing', pass: passes.length, passes: passes.length });
	const committed = await ports.commit(
		{
			summary: preserved.summary,
			firstKeptMessageId: plan.boundary.firstKeptMessageId,
			previousCheckpointId: plan.previous?.id ?? null,
			references: preserved.references,
			template: plan.template,
			trigger: plan.trigger,
			model: ports.model,
			usage,
			tokensBefore: plan.before.tokens,
			tokensAfter,
			coveredMessageCount: covered.length,
			passes: passes.length,
			digest,
			durationMs: ports.now() - startedAt,
			...(plan.focus === undefined ? {} : { focus: plan.focus })
		},
		ports.signal
	);
	return committed.kind === 'aborted' ? { kind: 'cancelled' } : committed;
}

/** Transcript tokens one pass can hold: the summariser's safe limit less prompt, running summary and focus. */
function passRoom(plan: CompactPlan, summariser: Capacity, cap: number): number {
	const instructions = estimateText(summaryInstructions(plan.template));
	const frame = 120 + estimateText(plan.focus ?? '');
	return summariser.safeLimit - instructions - cap - frame;
}

/** Room for "Preserved references": by the two limits above, and never more than half of what the summary freed. */
function preservedBudget(plan: CompactPlan, summary: string): number {
	const freed = plan.before.tokens - plan.staying - estimateText(checkpointBlock(summary).text);
	const budget = Math.min(
		PRESERVED_TOKENS,
		PRESERVED_SHARE * plan.capacity.safeLimit,
		Math.max(0, freed) / 2
	);
	return Math.floor(budget);
}

function addUsage(sum: Usage | null, usage: Usage | null): Usage | null {
	if (!sum || !usage) return usage ?? sum;
	return {
		inputTokens: sum.inputTokens + usage.inputTokens,
		outputTokens: sum.outputTokens + usage.outputTokens,
		cachedInputTokens: (sum.cachedInputTokens ?? 0) + (usage.cachedInputTokens ?? 0),
		reasoningTokens: (sum.reasoningTokens ?? 0) + (usage.reasoningTokens ?? 0)
	};
}
