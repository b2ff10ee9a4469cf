import type { Usage } from '../history/message';
import { checkpointBlock } from '../context/request';
import { summaryText } from './answer';
import type { CompactOutcome, CompactPorts } from './ports';
import type { CompactPlan } from './plan';
import { byFocus } from './focus';
import { preserve, withoutPreserved, type Preserved } from './preserve';
import { summaryRequest, type SummaryRequest } from './prompt';
import { outputMost, PASS_MIN, passRoom, preservedRoom, summaryCap } from './room';
import { summarySize } from './summary-size';
import { serialiseSummary, TOOL_RESULT_TOKENS, type Block } from './serialise';
import type { Transcript } from './transcript';
import { verifyAnswer, verifyGain, verifyRead, type Rejection } from './verify';

export type * from './ports';

/**
 * Carries a plan out: serialise, summarise in passes, verify, commit. Nothing is written before the last step. A port
 * that throws is thrown on, unless the signal was aborted: then the outcome is `cancelled`. Rules C80–C86.
 */
export async function compact<Failure>(
	plan: CompactPlan,
	ports: CompactPorts<Failure>
): Promise<CompactOutcome<Failure>> {
	const startedAt = ports.now();
	try {
		const written = await write(plan, ports);
		if (written.kind !== 'written') return written;
		const digest = await ports.sha256(digested(plan));
		if (ports.signal.aborted) return { kind: 'cancelled' };
		const { preserved, tokensAfter, usage, calls } = written;
		ports.onProgress({ phase: 'committing', pass: written.passes, passes: written.passes });
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
				coveredMessageCount: plan.boundary.covered.length,
				passes: calls,
				digest,
				durationMs: ports.now() - startedAt,
				...(plan.focus === undefined ? {} : { focus: plan.focus }),
				...(plan.pinned.length === 0 ? {} : { pinned: plan.pinned })
			},
			ports.signal
		);
		return committed.kind === 'aborted' ? { kind: 'cancelled' } : committed;
	} catch (error) {
		if (ports.signal.aborted) return { kind: 'cancelled' };
		throw error;
	}
}

/** A verified summary, not yet committed. */
interface Written {
	readonly kind: 'written';
	readonly preserved: Preserved;
	readonly tokensAfter: number;
	readonly usage: Usage | null;
	readonly passes: number;
	/** Model calls, the repair too. */
	readonly calls: number;
}

/** Everything of a compaction but its commit. */
async function write<Failure>(
	plan: CompactPlan,
	ports: CompactPorts<Failure>
): Promise<Written | CompactOutcome<Failure>> {
	ports.onProgress({ phase: 'reading', pass: 0, passes: 0 });
	const cap = summaryCap(plan, ports.summariser);
	const room = passRoom(plan, ports.summariser, ports.summariserFactor, cap);
	if (room < PASS_MIN) return { kind: 'no-room' };
	const { running, first } = startOf(plan, cap, room);
	const transcript = await ports.read(plan.boundary.covered, {
		limits: { toolResult: Math.min(TOOL_RESULT_TOKENS, Math.floor(room / 2)), block: room },
		room,
		first,
		references: plan.previous?.checkpoint.references ?? []
	});
	try {
		return await fold({ plan, ports, transcript, cap, room, running });
	} finally {
		await transcript.close();
	}
}

interface Folding<Failure> {
	readonly plan: CompactPlan;
	readonly ports: CompactPorts<Failure>;
	readonly transcript: Transcript;
	readonly cap: number;
	readonly room: number;
	/** The summary before the first pass. */
	readonly running: string | null;
}

/** Folds the transcript into the running summary, pass by pass. The last is known by reading one pass ahead. */
async function fold<Failure>(
	folding: Folding<Failure>
): Promise<Written | CompactOutcome<Failure>> {
	const { plan, ports, transcript, cap } = folding;
	const expected = Math.max(1, Math.ceil(plan.coveredTokens / folding.room));
	let summary = folding.running;
	let preserved: Preserved = { summary: '', references: [] };
	let tokensAfter = 0;
	let usage: Usage | null = null;
	let calls = 0;
	let hasRepaired = false;
	let passes = 0;
	// A refresh without newly covered messages is still one pass: the previous summary, written anew.
	let pass: readonly Block[] | null = (await transcript.next()) ?? [];
	while (pass) {
		const next: readonly Block[] | null = await transcript.next();
		passes++;
		const progress = { pass: passes, passes: next ? Math.max(expected, passes + 1) : passes };
		let repair: Repair | undefined;
		for (;;) {
			if (ports.signal.aborted) return { kind: 'cancelled' };
			ports.onProgress({ phase: 'summarising', ...progress });
			const request = requestOf(folding, pass, summary, repair);
			const result = await ports.summarise(request, ports.signal);
			if (ports.signal.aborted) return { kind: 'cancelled' };
			if (result.kind === 'failed') return { kind: 'failed', failure: result.failure };
			calls++;
			usage = addUsage(usage, result.answer.usage);
			ports.onProgress({ phase: 'verifying', ...progress });
			const unread = verifyRead(request, result.answer.usage);
			// A repair would be cut too.
			if (unread) return { kind: 'rejected', rejection: unread };
			let rejection = verifyAnswer(result.answer, plan.template, cap, plan.estimator);
			const text = summaryText(result.answer.text);
			if (!rejection && !next) {
				preserved = preserve(
					text,
					byFocus(await transcript.references(), plan.focus),
					preservedRoom(plan, withoutPreserved(text)),
					(summary) => summaryTokens(plan, summary),
					plan.pinned.map(({ text }) => text).join('\n')
				);
				tokensAfter = tokensWith(plan, preserved.summary);
				rejection = gainOf(plan, tokensAfter);
			}
			if (!rejection) {
				summary = withoutPreserved(text);
				break;
			}
			if (hasRepaired) return { kind: 'rejected', rejection };
			hasRepaired = true;
			repair = { sentence: rejection.sentence, wasCut: result.answer.finish === 'length' };
		}
		pass = next;
	}
	return { kind: 'written', preserved, tokensAfter, usage, passes, calls };
}

/** The next request with a summary, measured as the request itself will be. Tokens. */
function tokensWith(plan: CompactPlan, summary: string): number {
	const block = checkpointBlock(summary, plan.pinned).text;
	return plan.staying - plan.pinnedTokens + plan.estimator.text(block);
}

/** What a summary takes in the next request. Tokens. */
function summaryTokens(plan: CompactPlan, summary: string): number {
	return plan.estimator.text(checkpointBlock(summary).text);
}

/**
 * The running summary before the first pass, and what the passes begin with. A previous summary over the cap, written for
 * a larger model, does not fit beside a transcript: it is read as the beginning of it. Rule C82.
 */
function startOf(plan: CompactPlan, cap: number, room: number) {
	if (!plan.previous) return { running: null, first: [] };
	const previous = withoutPreserved(plan.previous.checkpoint.summary);
	if (summarySize(previous, plan.estimator) <= cap) return { running: previous, first: [] };
	return { running: null, first: serialiseSummary(plan.previous.id, previous, room) };
}

/** What was wrong with the answer before. */
interface Repair {
	readonly sentence: string;
	/** It ended at the output limit. */
	readonly wasCut: boolean;
}

function requestOf<Failure>(
	{ plan, ports, cap }: Folding<Failure>,
	pass: readonly Block[],
	previousSummary: string | null,
	repair: Repair | undefined
): SummaryRequest {
	// Reasoning counts as output: an answer cut at the cap may have been a short summary after long reasoning.
	const output = repair?.wasCut ? outputMost(ports.summariser) : 0;
	return summaryRequest({
		template: plan.template,
		previousSummary,
		transcript: pass.map((block) => block.text),
		target: Math.min(plan.summaryTarget, cap),
		cap,
		maxOutputTokens: Math.max(cap, output),
		...(plan.focus === undefined ? {} : { focus: plan.focus }),
		...(repair === undefined ? {} : { repair: repair.sentence })
	});
}

function gainOf(plan: CompactPlan, tokensAfter: number): Rejection | null {
	const isRefresh = plan.boundary.covered.length === 0;
	return verifyGain(plan.before.tokens, tokensAfter, plan.capacity.safeLimit, isRefresh);
}

/** What the digest is made of: rule C86. */
function digested(plan: CompactPlan): string {
	const ids = plan.boundary.covered.map((message) => message.id);
	return [...ids, plan.previous?.checkpoint.summary ?? ''].join('\n');
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
