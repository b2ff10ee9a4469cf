import { describe, expect, test } from 'vitest';
import {
	Desk,
	gate,
	lines,
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

/** Fits as it is, and its newest question does not fit beside all that came before it. */
function tooFull(): Grower {
	const tree = turns(4, 1300);
	tree.talk(words(900, 7), 'The old answer.');
	return tree;
}

describe('retry', () => {
	test('makes a sibling of the answer; the old one is reached through it', async () => {
		const { desk, tab, before } = await open(turns(2, 20));
		await tab.retry();
		await settled(tab);
		expect(lines(tab.messages).slice(2)).toEqual(['u: Question 2', 'a: You said: Question 2']);
		const [old, fresh] = [must(before.at(-1)), must(tab.messages.at(-1))];
		expect(tab.siblings(fresh.id)).toEqual({
			index: 2,
			count: 2,
			previousId: old.id,
			nextId: null
		});
		expect(wireLines(desk.server.chats[0])).toEqual(lines(before.slice(0, 3)));
		await tab.switchTo(old.id);
		expect(tab.messages).toEqual(before);
		expect(await desk.branch()).toEqual(before);
	});

	test('of an earlier answer asks with nothing of what came after it', async () => {
		const { desk, tab, before } = await open(turns(3, 20));
		await tab.retry(must(before[1]).id);
		await settled(tab);
		expect(wireLines(desk.server.chats[0])).toEqual(['u: Question 1']);
		expect(lines(tab.messages)).toEqual(['u: Question 1', 'a: You said: Question 1']);
		expect(await desk.db.messages.count()).toBe(7);
	});

	test.each([
		['refused with 401', (desk: Desk) => desk.server.enqueue(behaviours.unauthorized())],
		['not reached', (desk: Desk) => desk.server.stop()],
		['answered with nothing', (desk: Desk) => desk.server.enqueue(behaviours.empty())]
	])('%s before any text gives the old answer back', async (_, fail) => {
		const { desk, tab, before } = await open(turns(2, 20));
		await fail(desk);
		await tab.retry();
		await settled(tab);
		expect(tab.messages).toEqual(before);
		expect(await desk.branch()).toEqual(before);
		expect(await desk.db.runs.count()).toBe(0);
		expect(tab.notice?.tone).toBe('error');
		expect(tab.canSend).toBe(true);
	});

	test('stopped before any text gives the old answer back', async () => {
		const { desk, tab, before } = await open(turns(2, 20));
		desk.server.enqueue({ kind: 'hang' });
		const arrived = desk.server.nextChat();
		await tab.retry();
		await arrived;
		tab.stop();
		await settled(tab);
		expect(tab.messages).toEqual(before);
		expect(await desk.branch()).toEqual(before);
	});

	test('clicked twice is one run and one sibling', async () => {
		const { desk, tab, before } = await open(turns(1, 20));
		const held = gate();
		desk.server.enqueue({ kind: 'echo', gate: held.shut });
		await Promise.all([tab.retry(), tab.retry()]);
		await tab.retry();
		held.open();
		await settled(tab);
		expect(desk.server.chats).toHaveLength(1);
		expect(tab.notice).toBeNull();
		expect(await desk.db.messages.count()).toBe(before.length + 1);
		expect(tab.siblings(must(tab.messages[1]).id)?.count).toBe(2);
	});
});

describe('retry that does not fit', () => {
	test('hangs its answer below a checkpoint, and that below the question', async () => {
		const { desk, tab, before } = await open(tooFull());
		await tab.retry();
		await settled(tab);
		const question = must(before.at(-2));
		const [asked, checkpoint, answer] = tab.messages.slice(-3);
		expect(asked).toEqual(question);
		expect(checkpoint).toMatchObject({
			role: 'checkpoint',
			parentId: question.id,
			checkpoint: { trigger: 'preflight', firstKeptMessageId: question.id }
		});
		expect(answer).toMatchObject({ role: 'assistant', parentId: checkpoint?.id });
		expect(await desk.branch()).toEqual(tab.messages);
		expect(wireLines(desk.asked[0]).slice(1)).toEqual(lines([question]));
		await tab.switchTo(must(before.at(-1)).id);
		expect(tab.messages).toEqual(before);
	});

	test.each([
		['refused', behaviours.serverError()],
		['unusable', behaviours.text('No headings.')]
	])('with its summary %s leaves the leaf where it was', async (_, summary) => {
		const { desk, tab, before } = await open(tooFull());
		desk.server.fallback = summary;
		await tab.retry();
		expect(tab.isBusy).toBe(false);
		expect(tab.messages).toEqual(before);
		expect(await desk.branch()).toEqual(before);
		expect([desk.asked.length, await desk.db.runs.count()]).toEqual([0, 0]);
		expect(tab.notice?.safe).toMatch(/No checkpoint was written/);
	});

	test('and cannot be made to fit leaves the leaf where it was, with the figures', async () => {
		const tree = grow();
		tree.talk('A question', 'An answer', words(6500), 'An answer of a larger model');
		const { desk, tab, before } = await open(tree);
		await tab.retry();
		expect(tab.messages).toEqual(before);
		expect(await desk.row()).toMatchObject({ leafId: before.at(-1)?.id, branchRevision: 0 });
		expect(tab.notice?.figures?.length).toBeGreaterThan(0);
		expect([desk.server.chats.length, tab.isBusy]).toEqual([0, false]);
	});

	test('cancelled leaves the leaf where it was', async () => {
		const { desk, tab, before } = await open(tooFull());
		desk.server.enqueue({ kind: 'hang' });
		const retried = tab.retry();
		await until(() => tab.compaction?.phase === 'summarising');
		tab.cancelCompaction();
		await retried;
		expect(tab.messages).toEqual(before);
		expect(await desk.branch()).toEqual(before);
		expect([tab.isBusy, tab.compaction]).toEqual([false, null]);
	});

	test('and is refused after its checkpoint is retried from there, without a second one', async () => {
		const { desk, tab, before } = await open(tooFull());
		const commit = 3;
		desk.intrusion = {
			on: 'write',
			at: (operation) => {
				if (operation === commit) desk.server.fallback = behaviours.unauthorized();
			}
		};
		await tab.retry();
		await settled(tab);
		const checkpoint = must(tab.messages.at(-1));
		expect(checkpoint).toMatchObject({ role: 'checkpoint', parentId: before.at(-2)?.id });
		expect(tab.siblings(checkpoint.id)?.previousId).toBe(before.at(-1)?.id);
		const summaries = desk.summaries.length;
		desk.server.fallback = null;
		await tab.retry();
		await settled(tab);
		expect(tab.messages.at(-1)).toMatchObject({ role: 'assistant', parentId: checkpoint.id });
		expect(desk.summaries).toHaveLength(summaries);
	});

	test('while a message is written and sent: one run, and the message stays in the composer', async () => {
		const { desk, tab } = await open(tooFull());
		const retried = tab.retry();
		await until(() => tab.compaction !== null);
		await Promise.all([say(tab, 'Not to be lost'), tab.retry()]);
		expect([tab.draft.text, tab.waiting]).toEqual(['Not to be lost', null]);
		await retried;
		await settled(tab);
		expect(desk.asked).toHaveLength(1);
		expect(tab.draft.text).toBe('Not to be lost');
		await tab.send();
		await settled(tab);
		expect(lines(await desk.branch()).slice(-2)).toEqual([
			'u: Not to be lost',
			'a: You said: Not to be lost'
		]);
	});
});

describe('edit that does not fit', () => {
	test('is sent below a checkpoint on the branch of what it edits', async () => {
		const { desk, tab, before } = await open(tooFull());
		const question = must(before.at(-2));
		expect(await tab.edit(question.id, words(1000, 8))).toBe(true);
		await settled(tab);
		const [checkpoint, edited, answer] = tab.messages.slice(-3);
		expect(checkpoint).toMatchObject({ role: 'checkpoint', parentId: question.parentId });
		expect(edited).toMatchObject({ role: 'user', parentId: checkpoint?.id });
		expect(answer).toMatchObject({ role: 'assistant', parentId: edited?.id });
		expect(await desk.branch()).toEqual(tab.messages);
	});
});
