import { capacityOf, type Capacity } from '../../src/lib/context/capacity';
import { uncalibrated } from '../../src/lib/context/measure';
import { project } from '../../src/lib/context/projection';
import { recallTools } from '../../src/lib/context/recall';
import {
	compact,
	type CompactOutcome,
	type CompactPorts,
	type SummariseResult
} from '../../src/lib/compaction/compact';
import {
	planCompaction,
	type CompactPlan,
	type Plan,
	type PlanInput
} from '../../src/lib/compaction/plan';
import type { SummaryRequest } from '../../src/lib/compaction/prompt';
import { templates } from '../../src/lib/compaction/template';
import { inBatches } from '../../src/lib/compaction/batches';
import { openTranscript } from '../../src/lib/compaction/transcript';
import type { SummaryAnswer } from '../../src/lib/compaction/verify';
import type { Checkpoint, TemplateName } from '../../src/lib/history/message';
import type { Grower } from './tree';

export const known = (contextWindow: number, maxOutput: number | null = null): Capacity =>
	capacityOf({ contextWindow, maxOutput });

/** The smallest window a newcomer meets: S 6,144, tail 1,229, summary cap 1,638, target 409, auto threshold 5,836. */
export const small = known(8192);

/** Plans a compaction of the branch a tree has grown to. */
export function planOf(tree: Grower, more: Partial<PlanInput> = {}): Plan {
	const projection = project(tree.branch());
	return planCompaction({
		trigger: 'manual',
		projection,
		pending: null,
		instructions: '',
		tools: projection.checkpoint ? recallTools : [],
		capacity: small,
		provider: 'p',
		template: 'general',
		stable: true,
		estimator: uncalibrated,
		...more
	});
}

/** A plan that must be one. */
export function mustPlan(tree: Grower, more: Partial<PlanInput> = {}): CompactPlan {
	const plan = planOf(tree, more);
	if (plan.kind === 'noop') throw new Error(`Expected a plan, got a no-op: ${plan.reason}.`);
	return plan;
}

/** A summary with all sections, `body` under the first. */
export function summaryOf(
	body = '- [user] something (m:0000000001)',
	template: TemplateName = 'general'
) {
	return templates[template]
		.map(({ heading }, index) => `## ${heading}\n\n${index === 0 ? body : '—'}`)
		.join('\n\n');
}

/** An answer as a well-behaved summariser gives it. */
export function answerOf(text = summaryOf(), more: Partial<SummaryAnswer> = {}): SummaryAnswer {
	return {
		text,
		finish: 'stop',
		usage: { inputTokens: 6000, outputTokens: 10 },
		hadReasoningOnly: false,
		hadToolCall: false,
		...more
	};
}

/** What a summariser of a test does with a request. `call` counts from 1. */
export type Summariser = (
	request: SummaryRequest,
	call: number
) => SummaryAnswer | SummariseResult<string> | Promise<SummaryAnswer>;

export interface Ran {
	readonly outcome: CompactOutcome<string>;
	readonly requests: readonly SummaryRequest[];
	readonly commits: readonly Checkpoint[];
	readonly phases: readonly string[];
}

/** Runs a plan over fake ports; a commit grows the tree. Without a summariser each pass gets a good short summary. */
export async function run(
	tree: Grower,
	plan: CompactPlan,
	summariser: Summariser = () => answerOf(),
	more: Partial<CompactPorts<string>> = {}
): Promise<Ran> {
	const requests: SummaryRequest[] = [];
	const commits: Checkpoint[] = [];
	const phases: string[] = [];
	const outcome = await compact<string>(plan, {
		read: async (messages, options) => openTranscript(inBatches(messages), options),
		summarise: async (request) => {
			requests.push(request);
			const result = await summariser(request, requests.length);
			return 'kind' in result ? result : { kind: 'answer', answer: result };
		},
		commit: async (checkpoint) => {
			commits.push(checkpoint);
			return { kind: 'committed', message: tree.checkpoint(null, checkpoint) };
		},
		sha256: async (text) => `sha of ${text}`,
		now: () => 0,
		onProgress: ({ phase }) => phases.push(phase),
		signal: new AbortController().signal,
		model: { provider: 'p', model: 'm' },
		summariser: plan.capacity,
		summariserFactor: 1,
		...more
	});
	return { outcome, requests, commits, phases };
}

/** The transcript of a request, as the summariser reads it. */
export function transcriptOf(request: SummaryRequest): string {
	return /<transcript>\n([\s\S]*)\n<\/transcript>/.exec(request.prompt)?.[1] ?? '';
}
