import { describe, expect, test } from 'vitest';
import { estimated, occupancyOf } from '../../../src/lib/context/occupancy';
import { project } from '../../../src/lib/context/projection';
import { recallTools } from '../../../src/lib/context/recall';
import { buildRequest, checkpointBlock } from '../../../src/lib/context/request';
import { shortId, textOf, type Message, type PinnedText } from '../../../src/lib/history/message';
import { answerOf, mustPlan, planOf, run, small, summaryOf } from '../../support/compaction';
import { grow, words, type Grower } from '../../support/tree';

function conversation(count = 6) {
	const tree = grow();
	for (let n = 0; n < count; n++)
		tree.talk(`q${n} ${words(150, n)}`, `a${n} ${words(450, n + 50)}`);
	return tree;
}
const pinOf = (message: Message | undefined): PinnedText => {
	if (!message) throw new Error('There is no such message.');
	return { messageId: message.id, text: textOf(message) };
};
const sent = (tree: Grower) =>
	buildRequest({
		instructions: '',
		tools: [],
		projection: project(tree.branch()),
		pending: null,
		maxOutputTokens: 1000
	});

describe('C120 a pinned text is carried verbatim', () => {
	test('C120 in the checkpoint that covers it and in every later one, whatever the summariser writes', async () => {
		const tree = conversation();
		const pin = { ...pinOf(tree.branch()[1]) };
		for (let round = 0; round < 3; round++) {
			const { outcome, commits } = await run(tree, mustPlan(tree, { pins: [pin] }), () =>
				answerOf(summaryOf('- [user] nothing of it (m:0000000001)'))
			);
			expect(outcome.kind).toBe('committed');
			expect(commits[0]?.pinned).toEqual([pin]);
			const block = sent(tree).system.at(-1)?.text ?? '';
			expect(block).toContain(`(m:${shortId(pin.messageId as never)})\n${pin.text}`);
			tree.talk(words(300, round), words(300, round));
		}
	});

	test('C120 while its message is in the tail it is sent there, not twice', async () => {
		const tree = conversation();
		const pin = pinOf(tree.branch().at(-1));
		const { commits } = await run(tree, mustPlan(tree, { pins: [pin] }));
		expect(commits[0]?.pinned).toBeUndefined();
		expect(JSON.stringify(sent(tree)).split(pin.text)).toHaveLength(2);
	});

	test('C120 a pinned reference is carried as it is, and needs no summary to keep it', async () => {
		const tree = conversation();
		const pin = { messageId: null, text: '10.1000/the-one' };
		const { commits } = await run(tree, mustPlan(tree, { pins: [pin] }));
		expect(commits[0]?.pinned).toEqual([pin]);
		expect(sent(tree).system.at(-1)?.text).toContain(`<pinned>\n${pin.text}\n</pinned>`);
	});

	test('C76 a reference that a pinned text carries is kept, and not put back a second time', async () => {
		const tree = grow();
		tree.talk('look at 10.1000/the-one', words(900), 'u2', 'a2');
		const pins = [pinOf(tree.branch()[0])];
		const { commits } = await run(tree, mustPlan(tree, { pins }));
		expect(commits[0]?.references).toMatchObject([{ text: '10.1000/the-one', kept: true }]);
		expect(commits[0]?.summary).not.toContain('10.1000/the-one');
	});

	test('C121 no pinned text closes its frame, or that of the checkpoint', () => {
		const text = 'a </pinned> b </checkpoint> c <pinned>';
		const block = checkpointBlock('s', [{ messageId: null, text }]).text;
		expect(block.match(/<\/pinned>/g)).toHaveLength(1);
		expect(block.match(/<\/checkpoint>/g)).toHaveLength(1);
		expect(block.match(/<pinned>/g)).toHaveLength(1);
	});

	test('C121 without pins the block is what it was', () => {
		expect(checkpointBlock('s', [])).toEqual(checkpointBlock('s'));
	});
});

describe('C122 what does not fit is said before a model is asked', () => {
	test('C122 a pinned text over what is left: the plan says so, with its size', () => {
		const tree = conversation();
		const pin = { messageId: tree.branch()[0]?.id ?? null, text: words(6000) };
		for (const trigger of ['manual', 'auto', 'preflight'] as const) {
			const pending = trigger === 'preflight' ? grow(9).user(words(4000)) : null;
			const tools =
				trigger === 'auto' ? [{ name: 't', description: words(3000), inputSchema: {} }] : [];
			const plan = planOf(tree, { trigger, pins: [pin], pending, tools });
			expect(plan).toMatchObject({ kind: 'noop', reason: 'pins-do-not-fit' });
			if (plan.kind === 'noop') expect(plan.pinnedTokens).toBeGreaterThan(5000);
		}
	});

	test('C122 what does not fit without the pins either is not blamed on them', () => {
		const tree = conversation();
		const pending = grow(9).user(words(6200));
		const pins = [{ messageId: null, text: 'short' }];
		expect(planOf(tree, { trigger: 'preflight', pins, pending })).toMatchObject({
			reason: 'cannot-advance'
		});
	});

	test('C123 pinned texts count: as before and after, in the gain, and against S', async () => {
		const tree = conversation();
		const pin = pinOf(tree.branch()[1]);
		const plan = mustPlan(tree, { pins: [pin] });
		const without = mustPlan(tree);
		expect(plan.staying).toBe(without.staying + plan.pinnedTokens);
		const { commits } = await run(tree, plan);
		const after = occupancyOf({
			instructions: '',
			tools: recallTools,
			projection: project(tree.branch()),
			pending: null,
			provider: 'p'
		});
		expect(commits[0]?.tokensAfter).toBe(estimated(after.parts));
		expect(commits[0]?.tokensAfter).toBeLessThanOrEqual(small.safeLimit);
	});

	test('C122 pinning what is covered can leave nothing to gain: the pins are named as the reason', () => {
		const tree = grow();
		tree.talk(words(200), words(200), 'u2', 'a2');
		const pins = tree.branch().slice(0, 2).map(pinOf);
		expect(planOf(tree)).toMatchObject({ kind: 'compact' });
		expect(planOf(tree, { pins })).toMatchObject({ kind: 'noop', reason: 'pins-do-not-fit' });
	});
});
