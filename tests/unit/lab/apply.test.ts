import { describe, expect, test } from 'vitest';
import { applyCommand } from '../../../lab/commands/apply';
import { requestCommand } from '../../../lab/commands/request';
import { commitTo } from '../../../lab/commit';
import { nobody } from '../../../lab/summariser';
import { planOf, situationOf } from '../../../lab/situation';
import { termsOf } from '../../../lab/given';
import { decodeWorkbench, encodeWorkbench, type Workbench } from '../../../lab/workbench';
import { compact } from '$lib/compaction/compact';
import { inBatches } from '$lib/compaction/batches';
import { openTranscript } from '$lib/compaction/transcript';
import type { SummaryRequest } from '$lib/compaction/prompt';
import { createHash } from 'node:crypto';
import { answerOf, summaryOf } from '../../support/compaction';
import { checkpointFields } from '../../support/tree';
import { benchOf, run, talk, worldOf } from './build';

/** Some six passes in a window of 8,192. */
const long = () => benchOf(talk(24, 900));
/** A good answer that differs from pass to pass. */
const answer = (pass: number) =>
	summaryOf(`- [model] Pass ${pass} found doi:10.1000/study.${pass}. (m:0000000001)`);

async function inOneGo(bench: Workbench) {
	const terms = termsOf(bench, {});
	const plan = planOf(bench, terms, situationOf(bench, terms));
	if (plan.kind === 'noop') throw new Error(`Nothing to compact: ${plan.reason}`);
	const requests: SummaryRequest[] = [];
	const world = worldOf();
	let after = bench;
	const outcome = await compact<string>(plan, {
		read: async (messages, options) => openTranscript(inBatches(messages), options),
		summarise: async (request) => {
			requests.push(request);
			return { kind: 'answer', answer: answerOf(answer(requests.length), { usage: null }) };
		},
		commit: async (checkpoint) => {
			const committed = commitTo(after, checkpoint, world.newId(), world.now());
			after = committed.bench;
			return { kind: 'committed', message: committed.message };
		},
		sha256: async (text) => createHash('sha256').update(text).digest('hex'),
		now: world.now,
		onProgress: () => {},
		signal: new AbortController().signal,
		model: nobody,
		summariser: plan.capacity,
		summariserFactor: 1
	});
	return { outcome, requests, bench: after };
}

describe('apply', { timeout: 60_000 }, () => {
	test('pass by pass through the working file asks and commits what one go asks and commits', async () => {
		const once = await inOneGo(long());
		expect(once.outcome.kind).toBe('committed');
		expect(once.requests.length).toBeGreaterThan(3);

		let bench = long();
		for (const [index, request] of once.requests.entries()) {
			const asked = await run(requestCommand, bench);
			expect(asked.product).toEqual(request);
			expect(asked.data).toMatchObject({ pass: index + 1, passes: once.requests.length });
			const applied = await run(
				applyCommand,
				bench,
				'a.md',
				worldOf({ 'a.md': answer(index + 1) })
			);
			expect(applied.exitCode).toBeUndefined();
			if (!applied.bench) throw new Error('Nothing was kept.');
			// As the next command finds it: through the file.
			bench = decodeWorkbench(await encodeWorkbench(applied.bench, 1));
		}
		expect(bench).toEqual(once.bench);
		expect(bench.messages.at(-1)?.role).toBe('checkpoint');
		expect(bench.session.leafId).toBe(bench.messages.at(-1)?.id);
		expect(bench.underWay).toBeNull();
	});

	test.each([
		['', '', /It was empty/],
		['Sure! Here is what happened.', '', /It lacks all sections/],
		[summaryOf(), ' --finish length', /cut at the output limit/],
		[summaryOf('word '.repeat(4000)), '', /tokens long/]
	])('%.30s%s is rejected with a sentence, and nothing is kept', async (text, more, sentence) => {
		const rejected = await run(applyCommand, long(), `a.md${more}`, worldOf({ 'a.md': text }));
		expect(rejected).toMatchObject({ exitCode: 1, text: expect.stringMatching(sentence) });
		expect(rejected.bench).toBeUndefined();
	});

	test('a last answer that frees nothing is rejected by the gain, as in the app', async () => {
		const bench = benchOf(talk(6, 300));
		const long = summaryOf(`- [model] ${'word '.repeat(900)}`);
		const rejected = await run(applyCommand, bench, 'a.md', worldOf({ 'a.md': long }));
		expect(rejected).toMatchObject({ exitCode: 1, data: { rejection: { reason: 'no-gain' } } });
	});

	test('an earlier pass answered again drops the answers that rested on it', async () => {
		const world = worldOf({ 'a.md': answer(1), 'b.md': answer(2), 'c.md': answer(9) });
		const one = (await run(applyCommand, long(), 'a.md', world)).bench ?? long();
		const two = (await run(applyCommand, one, 'b.md', world)).bench ?? one;
		expect(two.underWay?.replies).toHaveLength(2);
		const again = await run(applyCommand, two, 'c.md --pass 1', world);
		expect(again.bench?.underWay?.replies.map(({ text }) => text)).toEqual([answer(9)]);
		await expect(run(applyCommand, two, 'c.md --pass 4', world)).rejects.toThrow(/Pass 4 folds/);
	});

	test('a compaction under way goes on with the terms it was begun with, or begins anew', async () => {
		const world = worldOf({ 'a.md': answer(1) });
		const begun = await run(applyCommand, long(), 'a.md --focus doses', world);
		const bench = begun.bench ?? long();
		const { product } = await run(requestCommand, bench);
		expect((product as SummaryRequest).prompt).toContain('<focus>\ndoses\n</focus>');
		await expect(run(requestCommand, bench, '--focus ages')).rejects.toThrow(/another focus/);
		await expect(run(applyCommand, bench, 'a.md --window 9000', world)).rejects.toThrow(
			/another window/
		);
		const anew = await run(applyCommand, bench, 'a.md --pass 1 --focus ages', world);
		expect(anew.bench?.underWay?.terms.focus).toBe('ages');
	});

	test('names who answered, and says so where there is nothing to compact', async () => {
		const world = worldOf({ 'a.md': summaryOf() });
		const { bench } = await run(
			applyCommand,
			benchOf(talk(6, 600)),
			'a.md --model local/llama',
			world
		);
		const checkpoint = bench?.messages.at(-1);
		expect(checkpoint).toMatchObject({
			checkpoint: { model: { provider: 'local', model: 'llama' }, passes: 1 }
		});
		await expect(run(applyCommand, bench ?? long(), 'a.md', world)).rejects.toThrow(
			/nothing to compact/
		);
	});
});

describe('a commit', () => {
	const tree = talk(3, 20);
	const [first, , second] = tree.branch();
	const kept = tree.checkpoint(second ?? null);
	const bench = benchOf(tree);
	const commit = (fields: Parameters<typeof checkpointFields>[0]) =>
		commitTo(
			bench,
			checkpointFields({ previousCheckpointId: kept.id, ...fields }),
			worldOf().newId(),
			1
		);

	test.each([
		['no summary', { summary: ' ' }, /needs a summary/],
		['another previous checkpoint', { previousCheckpointId: null }, /newest on the branch/],
		['a boundary that is no user message', { firstKeptMessageId: kept.id }, /not a user message/],
		['a boundary that moves back', { firstKeptMessageId: first?.id ?? null }, /move back/]
	])('H33–H35 refuses %s', (_, fields, sentence) => {
		expect(() => commit(fields)).toThrow(sentence);
	});

	test('H34 keeps an unanswered message', () => {
		const asked = talk(2, 20);
		asked.user('unanswered');
		const fields = checkpointFields();
		expect(() => commitTo(benchOf(asked), fields, worldOf().newId(), 1)).toThrow(/must be kept/);
	});

	test('moves the leaf, raises the revision, and changes no message', () => {
		const before = JSON.stringify(bench.messages);
		const { bench: after, message } = commit({ firstKeptMessageId: second?.id ?? null });
		expect(JSON.stringify(after.messages.slice(0, -1))).toBe(before);
		expect(after.session).toMatchObject({ leafId: message.id, branchRevision: 1 });
	});
});
