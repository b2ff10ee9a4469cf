import { describe, expect, test } from 'vitest';
import { Desk, lines, must, settled, turns } from '../support/conversation';
import { grow, type Grower } from '../support/tree';

async function open(tree: Grower) {
	const desk = await Desk.of({ tree });
	return { desk, tab: await desk.open(), before: tree.branch() };
}

/** Two turns, a checkpoint that keeps the second, and a third turn. */
function withCheckpoint(): Grower {
	const tree = turns(2, 30);
	tree.checkpoint(must(tree.branch()[2]));
	tree.talk('Question 3', 'Answer 3');
	return tree;
}

describe('switch of branch', () => {
	test('there and back shows the same messages', async () => {
		const tree = grow();
		const [root] = tree.talk('u1', 'a1', 'u2', 'a2');
		const there = tree.branch();
		tree.at(must(root)).answer('a1, again');
		tree.talk('u2, again', 'a2, again');
		const { desk, tab, before } = await open(tree);
		await tab.switchTo(must(there[1]).id);
		expect(tab.messages).toEqual(there);
		expect(await desk.branch()).toEqual(there);
		expect(lines((await tab.nextRequest()).messages)).toEqual(lines(there));
		await tab.switchTo(must(before[1]).id);
		expect(tab.messages).toEqual(before);
		expect(await desk.branch()).toEqual(before);
		expect(lines((await tab.nextRequest()).messages)).toEqual(lines(before));
		expect(await desk.db.messages.count()).toBe(7);
	});

	test('between first messages works as between any', async () => {
		const tree = grow();
		tree.talk('u1', 'a1');
		const there = tree.branch();
		tree.at(null).talk('u1, again', 'a1, again');
		const { tab, before } = await open(tree);
		expect(tab.siblings(must(before[0]).id)).toMatchObject({ index: 2, count: 2 });
		await tab.switchTo(must(there[0]).id);
		expect(tab.messages).toEqual(there);
	});
});

describe('undo of a checkpoint', () => {
	test('moves the leaf to its parent; the checkpoint stays in the tree', async () => {
		const tree = turns(2, 30);
		const whole = tree.branch();
		const checkpoint = tree.checkpoint(must(whole[2]));
		const { desk, tab } = await open(tree);
		expect((await tab.nextRequest()).messages).toHaveLength(2);
		await tab.undoCheckpoint(checkpoint.id);
		expect(tab.messages).toEqual(whole);
		expect(await desk.branch()).toEqual(whole);
		expect(await tab.checkpoint(checkpoint.id)).toEqual(checkpoint);
		const { system, messages } = await tab.nextRequest();
		expect([system, lines(messages)]).toEqual([[], lines(whole)]);
	});

	test('is refused with a notice where messages follow it', async () => {
		const { desk, tab, before } = await open(withCheckpoint());
		await tab.undoCheckpoint(must(before[4]).id);
		expect(tab.notice?.title).toMatch(/Messages follow this checkpoint/);
		expect(await desk.branch()).toEqual(before);
	});
});

describe('coverage', () => {
	test('without a checkpoint everything is sent', async () => {
		const { tab, before } = await open(turns(2, 30));
		await tab.nextRequest();
		expect(before.map((message) => tab.coverage(message))).toEqual(before.map(() => 'sent'));
	});

	test('is covered before the boundary, sent from it on, and of checkpoints only the newest is sent', async () => {
		const tree = withCheckpoint();
		tree.checkpoint(must(tree.branch()[5]));
		tree.talk('Question 4', 'Answer 4');
		const { tab, before } = await open(tree);
		const { messages } = await tab.nextRequest();
		expect(before.map((message) => `${message.role} ${tab.coverage(message)}`)).toEqual([
			'user covered',
			'assistant covered',
			'user covered',
			'assistant covered',
			'checkpoint covered',
			'user sent',
			'assistant sent',
			'checkpoint sent',
			'user sent',
			'assistant sent'
		]);
		const sent = before.filter(
			(message) => message.role !== 'checkpoint' && tab.coverage(message) === 'sent'
		);
		expect(messages).toEqual(sent);
	});

	test('where nothing is kept verbatim, all before the checkpoint is covered', async () => {
		const tree = turns(2, 30);
		tree.checkpoint(null);
		tree.talk('Question 3', 'Answer 3');
		const { tab, before } = await open(tree);
		const { messages } = await tab.nextRequest();
		expect(messages).toEqual(before.slice(5));
		expect(before.map((message) => tab.coverage(message))).toEqual([
			...Array(4).fill('covered'),
			...Array(3).fill('sent')
		]);
	});
});

test('H44 a checkpoint that was undone does not come back with a switch of branches; gone to by itself it does', async () => {
	const desk = await Desk.of({ tree: turns(3, 900) });
	const tab = await desk.open();
	await tab.compact();
	const checkpoint = must(tab.messages.at(-1));
	const answer = must(tab.messages.at(-2));
	await tab.undoCheckpoint(checkpoint.id);
	expect(tab.notice?.title).toMatch(/taken off this branch/);
	expect(tab.messages.at(-1)?.id).toBe(answer.id);
	await tab.retry();
	await settled(tab);
	await tab.switchTo(answer.id);
	expect(tab.messages.at(-1)?.id).toBe(answer.id);
	expect((await tab.nextRequest()).system).toHaveLength(0);
	await tab.switchTo(checkpoint.id);
	expect(tab.messages.at(-1)?.id).toBe(checkpoint.id);
});
