import { describe, expect, test } from 'vitest';
import {
	ask,
	Desk,
	gate,
	lines,
	macrotask,
	must,
	say,
	settled,
	textOf,
	turns,
	until
} from '../support/conversation';
import { moveLeaf } from '../../src/lib/storage/sessions';
import { expectedOf } from '../../src/lib/storage/expected';
import { behaviours } from '../support/openai-server';
import { grow } from '../support/tree';

async function two(tree = turns(2, 20)) {
	const desk = await Desk.of({ tree });
	return { desk, before: tree.branch(), first: await desk.open(), second: await desk.open() };
}

describe('two tabs on one session', () => {
	test('the second shows what the first said and was answered', async () => {
		const { desk, first, second } = await two();
		await ask(first, 'From the first');
		await until(() => second.messages.length === 6);
		expect(second.messages).toEqual(await desk.branch());
		await ask(second, 'From the second');
		await until(() => first.messages.length === 8);
		expect(first.messages).toEqual(second.messages);
		expect(lines(await desk.branch()).slice(4)).toEqual([
			'u: From the first',
			'a: You said: From the first',
			'u: From the second',
			'a: You said: From the second'
		]);
	});

	test('while the first is answered the second shows so, and sends nothing', async () => {
		const { desk, first, second } = await two();
		const held = gate();
		desk.server.enqueue(behaviours.text('An ', held.shut, 'answer.'));
		await say(first, 'From the first');
		await until(() => second.run?.state === 'elsewhere');
		expect([second.canSend, second.branchLocked, second.isBusy]).toEqual([false, true, false]);
		await say(second, 'From the second');
		expect(second.draft.text).toBe('From the second');
		held.open();
		await until(() => second.run === null);
		expect(lines(second.messages).slice(4)).toEqual(['u: From the first', 'a: An answer.']);
		expect(second.canSend).toBe(true);
		expect(desk.asked).toHaveLength(1);
	});

	test('an answer whose tab is gone without a word is offered to the other, and kept there', async () => {
		const { desk, first, second } = await two();
		desk.server.enqueue({ kind: 'hang', chunks: ['Half an answ'] });
		await say(first, 'A question');
		await until(() => second.run?.state === 'elsewhere' && textOf(second.run) !== '');
		// The disk fills up, the tab goes: its run stays as a row.
		desk.fillDisk();
		await first.close();
		await until(() => second.run?.state === 'interrupted');
		desk.intrusion = null;
		await second.keepInterrupted();
		expect(lines(await desk.branch()).slice(4)).toEqual(['u: A question', 'a: Half an answ']);
		expect(second.run).toBeNull();
	});

	test('a send onto a branch that has moved is refused with a notice, and nothing is lost', async () => {
		const { desk, before, first } = await two();
		const elsewhere = must(before[1]);
		await desk.unheard({ leafId: elsewhere.id, branchRevision: 5 });
		await say(first, 'Onto the old branch');
		expect(first.notice?.title).toMatch(/changed meanwhile/);
		expect([first.draft.text, first.waiting, first.isBusy]).toEqual([
			'Onto the old branch',
			null,
			false
		]);
		expect(first.messages).toEqual(before.slice(0, 2));
		expect([desk.server.chats.length, await desk.db.messages.count()]).toEqual([0, 4]);
		await first.send();
		await settled(first);
		expect((await desk.branch())[2]).toMatchObject({ role: 'user', parentId: elsewhere.id });
	});

	test('a compaction is not committed onto a branch the other has added to', async () => {
		const { desk, first, second } = await two(turns(3, 900));
		const held = gate();
		desk.server.enqueue({ ...behaviours.text('No headings.'), gate: held.shut });
		const compacted = first.compact();
		await until(() => desk.summaries.length === 1);
		await ask(second, 'Meanwhile');
		held.open();
		await compacted;
		const branch = await desk.branch();
		expect(lines(branch).slice(6)).toEqual(['u: Meanwhile', 'a: You said: Meanwhile']);
		expect(await desk.db.messages.count()).toBe(8);
		expect(first.messages).toEqual(branch);
		expect(first.notice?.title).toMatch(/changed meanwhile/);
		expect([first.isBusy, first.compaction]).toEqual([false, null]);
	});

	test('a deleted session says so in the other tab, and is written no more', async () => {
		const { desk, first } = await two();
		await desk.db.sessions.delete(desk.id);
		await until(() => first.readOnly !== null);
		await say(first, 'Too late');
		expect([desk.server.chats.length, first.canSend, first.draft.text]).toEqual([
			0,
			false,
			'Too late'
		]);
	});

	test('the next request is that of a whole branch, whenever another tab moves it', async () => {
		const tree = turns(2, 20);
		const shortEnd = must(tree.branch()[1]);
		const { desk, before, first } = await two(tree);
		const whole = [lines(before), lines(before.slice(0, 2))].map((each) => each.join());
		for (let round = 0; round < 12; round++) {
			const row = await desk.row();
			const to = row.leafId === shortEnd.id ? must(before.at(-1)).id : shortEnd.id;
			let isMoved = false;
			const moving = moveLeaf(desk.db, expectedOf(row), to, round).then(() => (isMoved = true));
			do {
				const { messages } = await first.nextRequest();
				expect(whole).toContain(lines(messages).join());
				await macrotask();
			} while (!isMoved);
			await moving;
			await until(() => first.session.leafId === to);
			expect((await first.nextRequest()).messages.at(-1)?.id).toBe(to);
		}
	});
});

describe('a damaged history', () => {
	test('with a message missing is read-only: shown, and nothing is sent or written', async () => {
		const tree = turns(3, 20);
		const desk = await Desk.of({ tree });
		await desk.db.messages.delete(must(tree.branch()[2]).id);
		const before = await desk.row();
		const tab = await desk.open();
		expect(tab.readOnly).toMatch(/missing/);
		await say(tab, 'Anyway');
		await tab.retry();
		await tab.compact();
		expect(desk.server.chats).toHaveLength(0);
		expect([tab.draft.text, tab.canSend]).toEqual(['Anyway', false]);
		await expect(tab.nextRequest()).rejects.toThrow(/missing/);
		await tab.flushDraft();
		expect(await desk.row()).toEqual({ ...before, draft: { text: 'Anyway', files: [] } });
	});

	test('found only behind the window on screen: what was sent at once comes back', async () => {
		const tree = grow();
		for (let turn = 1; turn <= 60; turn++) tree.talk(`q${turn}`, `a${turn}`);
		const desk = await Desk.of({ tree });
		await desk.db.messages.delete(must(tree.branch()[2]).id);
		const tab = await desk.open();
		await say(tab, 'Anyway');
		expect(tab.readOnly).toMatch(/missing/);
		expect([tab.draft.text, tab.waiting, tab.isBusy]).toEqual(['Anyway', null, false]);
		expect(tab.messages.at(-1)).toEqual(tree.leaf);
		expect([desk.server.chats.length, await desk.db.messages.count()]).toEqual([0, 119]);
	});

	test('whose checkpoint keeps from a message of another branch is read-only', async () => {
		const tree = turns(2, 20);
		const [, answer, other] = tree.branch();
		tree.at(must(answer)).talk('Another way', 'Yes');
		tree.checkpoint(must(other));
		tree.talk('After it', 'Yes');
		const desk = await Desk.of({ tree });
		const tab = await desk.open();
		await say(tab, 'Anyway');
		expect(tab.readOnly).toMatch(/not on this branch/);
		expect([desk.server.chats.length, tab.draft.text]).toEqual([0, 'Anyway']);
	});
});
