import { describe, expect, test } from 'vitest';
import {
	Desk,
	gate,
	lines,
	must,
	say,
	settled,
	textOf,
	turns,
	until
} from '../support/conversation';
import { behaviours, type Chunk } from '../support/openai-server';

/** A conversation whose answer has begun and is held back before it ends. */
async function answering(...chunks: Chunk[]) {
	const desk = await Desk.of();
	const tab = await desk.open();
	const held = gate();
	desk.server.enqueue(behaviours.text(...chunks, held.shut, ' and the end.'));
	await say(tab, 'A question');
	await until(() => textOf(tab.run) === chunks.join(''));
	return { desk, tab, held };
}

describe('stop', () => {
	test('keeps what came, marked as stopped, and lets the provider go', async () => {
		const { desk, tab } = await answering('The beginning');
		tab.stop();
		expect(tab.run?.state).toBe('stopping');
		await settled(tab);
		expect(lines(await desk.branch())).toEqual(['u: A question', 'a: The beginning']);
		expect((await desk.branch())[1]).toMatchObject({ metadata: { finish: 'stopped' } });
		expect(tab.messages).toEqual(await desk.branch());
		expect([tab.notice, tab.canSend, await desk.db.runs.count()]).toEqual([null, true, 0]);
		await desk.server.chats[0]?.closed;
		expect(desk.server.chats[0]?.aborted).toBe(true);
	});

	test('before anything came leaves the question, which can be asked again', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		desk.server.enqueue({ kind: 'hang', gate: new Promise(() => {}) });
		const arrived = desk.server.nextChat();
		await say(tab, 'A question');
		await arrived;
		tab.stop();
		await settled(tab);
		expect(lines(tab.messages)).toEqual(['u: A question']);
		expect(await desk.branch()).toEqual(tab.messages);
		expect([tab.draft.text, await desk.db.runs.count()]).toEqual(['', 0]);
		await tab.retry();
		await settled(tab);
		expect(lines(await desk.branch())).toEqual(['u: A question', 'a: You said: A question']);
	});

	test('closing a conversation stops its answer and keeps what came', async () => {
		const { desk, tab } = await answering('The beginning');
		await tab.close();
		await until(async () => (await desk.branch()).length === 2);
		expect(lines(await desk.branch())).toEqual(['u: A question', 'a: The beginning']);
	});

	test('an answer that breaks off keeps what came, with why', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		desk.server.enqueue(behaviours.cutOff('The beginning'));
		await say(tab, 'A question');
		await settled(tab);
		expect(lines(await desk.branch())).toEqual(['u: A question', 'a: The beginning']);
		expect((await desk.branch())[1]).toMatchObject({ metadata: { finish: 'error' } });
		expect(tab.notice).toMatchObject({ tone: 'error', safe: expect.stringMatching(/are saved/) });
	});
});

describe('an answer that cannot be stored', () => {
	test('keeps its whole text on screen as interrupted, and all of it is kept later', async () => {
		const { desk, tab, held } = await answering('The beginning');
		desk.fillDisk();
		held.open();
		await until(() => tab.run?.state === 'interrupted');
		expect(textOf(tab.run)).toBe('The beginning and the end.');
		expect(tab.notice?.title).toMatch(/no room left/);
		expect([tab.isBusy, (await desk.branch()).length]).toEqual([false, 1]);
		// Still no room: nothing is lost by trying.
		await tab.keepInterrupted();
		expect(textOf(tab.run)).toBe('The beginning and the end.');
		desk.intrusion = null;
		await tab.keepInterrupted();
		expect(tab.run).toBeNull();
		expect(lines(await desk.branch())).toEqual(['u: A question', 'a: The beginning and the end.']);
		expect((await desk.branch())[1]).toMatchObject({ metadata: { finish: 'interrupted' } });
		expect(tab.messages).toEqual(await desk.branch());
	});

	test('is kept in full by the next send', async () => {
		const { desk, tab, held } = await answering('The beginning');
		desk.fillDisk();
		held.open();
		await until(() => tab.run?.state === 'interrupted');
		desk.intrusion = null;
		await say(tab, 'Go on');
		await settled(tab);
		expect(lines(await desk.branch()).slice(0, 3)).toEqual([
			'u: A question',
			'a: The beginning and the end.',
			'u: Go on'
		]);
	});

	test('after a retry stays on screen, and the answer before it stays reachable', async () => {
		const desk = await Desk.of({ tree: turns(1, 20) });
		const tab = await desk.open();
		const [, old] = tab.messages;
		const held = gate();
		desk.server.enqueue(behaviours.text('Another', held.shut, ' answer.'));
		await tab.retry();
		await until(() => textOf(tab.run) === 'Another');
		desk.fillDisk();
		held.open();
		await until(() => tab.run?.state === 'interrupted');
		desk.intrusion = null;
		await tab.keepInterrupted();
		expect(lines(tab.messages)).toEqual(['u: Question 1', 'a: Another answer.']);
		expect(tab.siblings(must(tab.messages[1]).id)?.previousId).toBe(must(old).id);
	});
});
