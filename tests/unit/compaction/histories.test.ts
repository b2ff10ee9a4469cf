import fc from 'fast-check';
import { expect, test } from 'vitest';
import { project } from '../../../src/lib/context/projection';
import { serialise } from '../../../src/lib/compaction/serialise';
import type {
	Checkpoint,
	ConversationMessage,
	Message,
	MessageId
} from '../../../src/lib/history/message';
import { answerOf, planOf, run, small, summaryOf, transcriptOf } from '../../support/compaction';
import { grow, text, tool, words, type Grower } from '../../support/tree';

/** HILO_RUNS raises it: 10,000 for a release. */
const RUNS = Number(process.env['HILO_RUNS'] ?? 1000);
const SEED = Number(process.env['HILO_SEED'] ?? Date.now() % 2 ** 31);

type Step =
	| {
			readonly kind: 'turn' | 'tools' | 'question' | 'edit';
			readonly size: number;
			readonly pick: number;
	  }
	| { readonly kind: 'retry' | 'switch' | 'undo'; readonly pick: number }
	| {
			readonly kind: 'compact';
			readonly trigger: 'manual' | 'auto' | 'preflight';
			readonly pending: number;
			readonly summary: number;
	  };

const size = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 300, max: 1500 }));
const pick = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
	{ weight: 6, arbitrary: fc.record({ kind: fc.constant('turn' as const), size, pick }) },
	{ weight: 2, arbitrary: fc.record({ kind: fc.constant('tools' as const), size, pick }) },
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constantFrom('question' as const, 'edit' as const),
			size,
			pick
		})
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constantFrom('retry' as const, 'switch' as const, 'undo' as const),
			pick
		})
	},
	{
		weight: 5,
		arbitrary: fc.record({
			kind: fc.constant('compact' as const),
			trigger: fc.constantFrom('manual' as const, 'auto' as const, 'preflight' as const),
			pending: fc.nat(4000),
			summary: fc.integer({ min: 1, max: 500 })
		})
	}
);

/** What a history remembers to be checked against: what each checkpoint read, and each row as it was written. */
class Record {
	readonly covered = new Map<MessageId, readonly MessageId[]>();
	readonly bytes = new Map<MessageId, string>();
	commits = 0;

	constructor(readonly tree: Grower) {}

	async take(step: Step): Promise<void> {
		const { tree } = this;
		const branch = tree.branch();
		switch (step.kind) {
			case 'turn':
				tree.talk(words(step.size / 3, step.pick), words(step.size, step.pick));
				return;
			case 'tools':
				tree.user(words(10, step.pick));
				tree.answer([
					text('calling'),
					tool('read', { n: step.pick }, words(step.size)),
					text('done')
				]);
				return;
			case 'question':
				tree.user(words(step.size, step.pick));
				return;
			case 'edit': {
				const user = anyOf(
					branch.filter((message) => message.role === 'user'),
					step.pick
				);
				if (!user) return;
				tree.user(words(step.size, step.pick), parentOf(tree, user));
				tree.answer('an answer to the edit');
				return;
			}
			case 'retry': {
				const answer = anyOf(
					branch.filter((message) => message.role === 'assistant'),
					step.pick
				);
				if (answer) tree.answer(words(50, step.pick), {}, parentOf(tree, answer));
				return;
			}
			case 'switch': {
				const leaves = [...tree.rows.values()].filter(
					(row) => ![...tree.rows.values()].some((other) => other.parentId === row.id)
				);
				tree.at(anyOf(leaves, step.pick) ?? tree.leaf);
				return;
			}
			case 'undo':
				if (tree.leaf?.role === 'checkpoint') tree.at(parentOf(tree, tree.leaf));
				return;
			case 'compact':
				return this.compact(step);
		}
	}

	async compact(step: Step & { kind: 'compact' }): Promise<void> {
		const { tree } = this;
		const before = project(tree.branch());
		const pending = step.trigger === 'preflight' ? grow(9).user(words(step.pending)) : null;
		const plan = planOf(tree, { trigger: step.trigger, pending });
		if (plan.kind === 'noop') return;
		const { covered, kept } = plan.boundary;
		expect([...covered, ...kept]).toEqual([...before.tail, ...before.later]);
		const { outcome, requests, commits } = await run(tree, plan, () =>
			answerOf(summaryOf(words(step.summary)))
		);
		if (outcome.kind !== 'committed') {
			expect(commits).toEqual([]);
			expect(['rejected', 'no-room']).toContain(outcome.kind);
			return;
		}
		this.commits++;
		this.covered.set(
			outcome.message.id,
			covered.map(({ id }) => id)
		);
		expect(commits[0]?.tokensAfter).toBeLessThanOrEqual(small.safeLimit);
		expect(commits[0]?.tokensAfter).toBeLessThanOrEqual(plan.before.tokens);
		// Each pass holds each block once, in order: the passes together are the transcript. (C47, C83)
		const limits = { toolResult: 2000, block: Infinity };
		const headers = (value: string) => value.match(/^\[m:\w+ (?!.*continued)[^\]]*\]/gm) ?? [];
		expect(requests.flatMap((request) => headers(transcriptOf(request)))).toEqual(
			[...serialise(covered, limits)].flatMap((block) => headers(block.text))
		);
	}

	/** H1: no row differs from what it was when it was first seen. */
	checkBytes(): void {
		for (const row of this.tree.rows.values()) {
			const bytes = JSON.stringify(row);
			expect(this.bytes.get(row.id) ?? bytes).toBe(bytes);
			this.bytes.set(row.id, bytes);
		}
	}

	/** The invariants of one branch. */
	checkBranch(branch: readonly Message[]): void {
		const { checkpoint, tail, later } = project(branch);
		const chain = branch.filter((message) => message.role === 'checkpoint');
		const summarised = chain.flatMap((message) => this.covered.get(message.id) ?? []);
		const conversation = branch.filter(
			(message): message is ConversationMessage => message.role !== 'checkpoint'
		);
		// C35: exactly one of summary, tail, later; and in the order of the branch.
		expect([...summarised, ...[...tail, ...later].map(({ id }) => id)]).toEqual(
			conversation.map(({ id }) => id)
		);
		expect(checkpoint).toBe(chain.at(-1) ?? null);
		let before = -1;
		for (const message of chain) {
			const boundary = boundaryIndex(branch, message.checkpoint, message.id);
			expect(boundary).toBeGreaterThanOrEqual(before);
			before = boundary;
		}
	}
}

/** Where verbatim text resumes, after checking that it is a user message above its checkpoint, or null. */
function boundaryIndex(branch: readonly Message[], checkpoint: Checkpoint, id: MessageId): number {
	const at = branch.findIndex((message) => message.id === id);
	if (checkpoint.firstKeptMessageId === null) {
		expect(branch.slice(0, at).findLast(({ role }) => role !== 'checkpoint')?.role).toBe(
			'assistant'
		);
		return at;
	}
	const index = branch.findIndex((message) => message.id === checkpoint.firstKeptMessageId);
	expect(branch[index]?.role).toBe('user');
	expect(index).toBeLessThan(at);
	return index;
}

const anyOf = <T>(items: readonly T[], pick: number): T | undefined => items[pick % items.length];
const parentOf = (tree: Grower, message: Message) =>
	message.parentId === null ? null : (tree.rows.get(message.parentId) ?? null);

test(
	`C30–C36, C83, H1 over ${RUNS} random histories (seed ${SEED})`,
	async () => {
		let commits = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
				const record = new Record(grow());
				for (const each of steps) {
					await record.take(each);
					record.checkBranch(record.tree.branch());
					if (each.kind === 'compact') record.checkBytes();
				}
				record.checkBytes();
				// Branches that are not active stay as sound as they were.
				for (const row of record.tree.rows.values()) record.checkBranch(record.tree.branch(row));
				commits += record.commits;
			}),
			{ numRuns: RUNS, seed: SEED }
		);
		// A property about checkpoints that makes none would be no test.
		expect(commits).toBeGreaterThan(RUNS / 2);
	},
	60_000 + RUNS * 60
);
