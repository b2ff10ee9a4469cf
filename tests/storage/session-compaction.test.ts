import { describe, expect, test } from 'vitest';
import type { Conversation } from '../../src/lib/session/conversation.svelte';
import {
	ask,
	Desk,
	gate,
	lines,
	mark,
	must,
	say,
	settled,
	turns,
	until,
	wireLines
} from '../support/conversation';
import { behaviours } from '../support/openai-server';
import { grow, words, type Grower } from '../support/tree';

async function open(tree: Grower) {
	const desk = await Desk.of({ tree });
	return { desk, tree, tab: await desk.open(), before: tree.branch() };
}

/** A conversation whose summary is asked for and held back. */
async function compacting(tree = turns(3, 900)) {
	const world = await open(tree);
	const held = gate();
	world.desk.server.enqueue({ kind: 'hang', gate: held.shut });
	const compacted = world.tab.compact();
	await until(() => world.desk.summaries.length === 1);
	return { ...world, held, compacted };
}

describe('compact by hand', () => {
	test('puts one checkpoint below the leaf and keeps the last turn verbatim', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		await tab.compact('keep every sample size');
		const branch = await desk.branch();
		expect(branch.slice(0, -1)).toEqual(before);
		expect(branch.at(-1)).toMatchObject({
			role: 'checkpoint',
			parentId: before.at(-1)?.id,
			checkpoint: {
				trigger: 'manual',
				firstKeptMessageId: before.at(-2)?.id,
				coveredMessageCount: 4,
				focus: 'keep every sample size'
			}
		});
		expect(tab.messages).toEqual(branch);
		expect([tab.compaction, tab.notice, tab.isBusy, tab.branchLocked]).toEqual([
			null,
			null,
			false,
			false
		]);
	});

	test.each<[string, () => Grower, RegExp]>([
		['an empty session', () => grow(), /nothing to compact yet/],
		['one turn', () => turns(1, 50), /one turn only/],
		[
			'a checkpoint at the leaf',
			() => {
				const tree = turns(2, 50);
				tree.checkpoint(must(tree.branch()[2]));
				return tree;
			},
			/already a checkpoint/
		]
	])('does nothing for %s, and says why', async (_, tree, why) => {
		const { desk, tab, before } = await open(tree());
		await tab.compact();
		expect(tab.notice).toMatchObject({ tone: 'info', advice: expect.stringMatching(why) });
		expect(await desk.branch()).toEqual(before);
		expect([desk.server.chats.length, tab.isBusy, tab.compaction]).toEqual([0, false, null]);
	});

	test('asked for twice is one compaction', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		await Promise.all([tab.compact(), tab.compact()]);
		expect((await desk.branch()).length).toBe(before.length + 1);
	});
});

describe('a compaction is cancelled', () => {
	test('before the first token: none is written, the request ended, and another one works', async () => {
		const { desk, tab, before, compacted } = await compacting();
		tab.cancelCompaction();
		await compacted;
		expect([tab.isBusy, tab.compaction, tab.notice?.title]).toEqual([
			false,
			null,
			'Compaction cancelled.'
		]);
		expect(await desk.branch()).toEqual(before);
		await tab.compact();
		expect((await desk.branch()).at(-1)?.role).toBe('checkpoint');
	});

	test('in the middle of the stream: none is written, the provider is let go', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		const begun = mark();
		desk.server.enqueue({ kind: 'hang', chunks: ['## Key Decisions\n- [user] so', begun.chunk] });
		const compacted = tab.compact();
		await begun.reached;
		tab.cancelCompaction();
		expect(tab.compaction?.phase).toBe('cancelling');
		await compacted;
		await desk.summaries[0]?.closed;
		expect(desk.summaries[0]?.aborted).toBe(true);
		expect([tab.isBusy, tab.compaction]).toEqual([false, null]);
		expect(await desk.branch()).toEqual(before);
		expect(tab.messages).toEqual(before);
	});

	test.each([1, 2, 3])('at its commit, write %i: none or the whole checkpoint', async (at) => {
		const { desk, tab, before } = await open(turns(3, 900));
		desk.intrusion = {
			on: 'write',
			at: (operation) => {
				if (operation === at) tab.cancelCompaction();
			}
		};
		await tab.compact();
		desk.intrusion = null;
		const branch = await desk.branch();
		expect(branch.slice(0, before.length)).toEqual(before);
		expect(branch.slice(before.length).map((message) => message.role)).toEqual(
			at === 3 ? ['checkpoint'] : []
		);
		expect(await desk.db.messages.count()).toBe(branch.length);
		expect(tab.messages).toEqual(branch);
		expect([tab.isBusy, tab.compaction]).toEqual([false, null]);
		await ask(tab, 'Still usable?');
		expect(lines(await desk.branch()).at(-1)).toBe('a: You said: Still usable?');
	});
});

describe('a message sent during a compaction', () => {
	test('goes once, after its success, below the checkpoint', async () => {
		const { desk, tab } = await open(turns(3, 900));
		const held = gate();
		desk.server.enqueue({ ...behaviours.text('No headings.'), gate: held.shut });
		const compacted = tab.compact();
		await until(() => desk.summaries.length === 1);
		const sent = say(tab, 'Patiently');
		await tab.send();
		expect([tab.waiting?.text, tab.canSend, desk.asked.length]).toEqual(['Patiently', false, 0]);
		held.open();
		await Promise.all([compacted, sent]);
		await settled(tab);
		expect(desk.asked).toHaveLength(1);
		const [checkpoint, question] = tab.messages.slice(-3);
		expect([checkpoint?.role, question?.parentId]).toEqual(['checkpoint', checkpoint?.id]);
		expect(wireLines(desk.asked[0]).at(-1)).toBe('u: Patiently');
		expect([tab.waiting, (await desk.row()).draft.text]).toEqual([null, '']);
	});

	test('goes once where there was nothing to compact', async () => {
		const { desk, tab } = await open(turns(1, 50));
		const compacted = tab.compact();
		await Promise.all([compacted, say(tab, 'At once')]);
		await settled(tab);
		expect(desk.asked).toHaveLength(1);
		expect(lines(await desk.branch()).slice(2)).toEqual(['u: At once', 'a: You said: At once']);
	});

	test.each<[string, (tab: Conversation, letGo: () => void) => void]>([
		['fails', (_, letGo) => letGo()],
		['is cancelled', (tab) => tab.cancelCompaction()]
	])('is a draft again when it %s', async (_, end) => {
		const { desk, tab, before } = await open(turns(3, 900));
		const held = gate();
		desk.server.enqueue({ ...behaviours.serverError(), gate: held.shut });
		const compacted = tab.compact();
		await until(() => desk.summaries.length === 1);
		const sent = say(tab, 'Patiently');
		end(tab, held.open);
		await Promise.all([compacted, sent]);
		expect([tab.draft.text, tab.waiting, tab.isBusy]).toEqual(['Patiently', null, false]);
		expect(await desk.branch()).toEqual(before);
		expect([desk.asked.length, tab.canSend]).toEqual([0, true]);
		expect(tab.notice).not.toBeNull();
	});
});

describe('failures in a row', () => {
	test('three make automatic triggers rest; by hand it works, and they try again', async () => {
		const { desk, tab, before } = await open(turns(5, 1300));
		desk.server.fallback = behaviours.serverError();
		for (let time = 1; time <= 3; time++) {
			await ask(tab, `Try ${time}`);
			expect(tab.draft.text).toBe(`Try ${time}`);
			expect(desk.summaries).toHaveLength(time);
		}
		await ask(tab, 'Try 4');
		expect(desk.summaries).toHaveLength(3);
		expect(tab.notice?.title).toMatch(/three times in a row/);
		expect([tab.draft.text, tab.isBusy]).toEqual(['Try 4', false]);
		expect(await desk.branch()).toEqual(before);

		desk.server.fallback = null;
		await tab.compact();
		expect(tab.messages.at(-1)?.role).toBe('checkpoint');
		const made = desk.summaries.length;
		await tab.send();
		await settled(tab);
		desk.server.enqueue({
			kind: 'text',
			chunks: [words(1500)],
			usage: { prompt_tokens: 5000, completion_tokens: 1500 }
		});
		await ask(tab, 'Fill it up');
		expect(desk.summaries.length).toBeGreaterThan(made);
	});
});
