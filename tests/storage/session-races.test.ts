import { expect, test, vi } from 'vitest';
import { ask, Desk, gate, lines, must, say, settled, turns, until } from '../support/conversation';
import { behaviours } from '../support/openai-server';
import { summaryOf } from '../support/compaction';
import { grow, words } from '../support/tree';

/** What happens between two moments of one action, once. */
const between = vi.hoisted(() => ({
	pinsRead: null as (() => Promise<void>) | null,
	lockAsked: null as (() => Promise<void>) | null
}));
vi.mock(import('../../src/lib/session/pins'), async (original) => {
	const real = await original();
	return {
		...real,
		pinnedTexts: async (...args: Parameters<typeof real.pinnedTexts>) => {
			const texts = await real.pinnedTexts(...args);
			const now = between.pinsRead;
			between.pinsRead = null;
			await now?.();
			return texts;
		}
	};
});
vi.mock(import('../../src/lib/session/lock'), async (original) => {
	const real = await original();
	return {
		...real,
		holdRunLock: async (...args: Parameters<typeof real.holdRunLock>) => {
			const now = between.lockAsked;
			between.lockAsked = null;
			await now?.();
			return real.holdRunLock(...args);
		}
	};
});

test('H12 case 42: a plan for one branch is never committed on another, however early that one was chosen', async () => {
	const tree = grow();
	const first = tree.user('start');
	const start = tree.answer(words(1500, 1));
	tree.user('SECRET of B');
	const leafB = tree.answer(words(2500, 2));
	tree.at(start);
	tree.user('SECRET of A');
	tree.answer(words(2500, 3));
	const desk = await Desk.of({
		tree,
		session: { pins: [{ kind: 'message', messageId: first.id }] }
	});
	const [tab, other] = [await desk.open(), await desk.open()];
	await until(() => tab.context && other.context, 'both have read it');
	between.pinsRead = async () => {
		await other.switchTo(leafB.id);
		await until(() => tab.session.leafId === leafB.id, 'the tab follows');
	};
	await tab.compact();
	expect((await desk.branch()).map(({ role }) => role)).not.toContain('checkpoint');
	expect((await desk.row()).leafId).toBe(leafB.id);
	expect(tab.notice?.title).toMatch(/changed meanwhile/);
});

test('H12 case 43: a turn that another tab ends while this one asks for the run is not left behind', async () => {
	const desk = await Desk.of({ tree: turns(1, 50) });
	const [tab, other] = [await desk.open(), await desk.open()];
	await until(() => tab.context && other.context, 'both have read it');
	const before = tab.session.leafId;
	between.lockAsked = async () => {
		await ask(other, 'from the other tab');
		await until(() => tab.session.leafId !== before && !tab.run, 'the tab follows');
	};
	await ask(tab, 'mine');
	expect(lines(await desk.branch())).toContain('u: from the other tab');
	// Refused as stale, and still there to be sent again.
	expect(tab.draft.text).toBe('mine');
	await tab.send();
	await settled(tab);
	expect(lines(await desk.branch()).filter((line) => line.startsWith('u:'))).toEqual([
		'u: Question 1',
		'u: from the other tab',
		'u: mine'
	]);
});

test('C88 case 21: where the model before writes nothing usable, the session’s own is asked, and then it rests', async () => {
	const tree = grow();
	const model = { provider: 'p', model: 'large' };
	for (let n = 0; n < 6; n++) {
		tree.user(`Question ${n}`);
		tree.answer(words(2000, n), { model });
	}
	const desk = await Desk.of({ tree });
	const tab = await desk.open();
	const { Models } = await import('../../src/lib/session/models.svelte');
	const row = (name: string, contextWindow: number) => ({
		model: name,
		name,
		contextWindow,
		maxOutput: null,
		learntWindow: null
	});
	await new Models(desk.db).save({
		id: 'p',
		name: 'A provider',
		baseURL: desk.server.baseURL,
		models: [row('m', 8192), row('large', 100_000)]
	});
	const again = await desk.open();
	await tab.close();
	desk.server.fallback = behaviours.text('not a summary');
	for (let time = 1; time <= 3; time++) await ask(again, 'Go on');
	const asked = desk.summaries.map(({ body }) => body?.model);
	expect(asked.slice(0, 3)).toEqual(['large', 'large', 'm']);
	expect((await desk.row()).failures).toMatchObject({ count: 3, model: { model: 'm' } });
	await ask(again, 'Go on');
	expect(desk.summaries).toHaveLength(asked.length);
	expect(again.notice?.title).toMatch(/three times in a row/);
});

test('a message sent right as an answer ends waits for nothing and is sent once', async () => {
	const desk = await Desk.of({ tree: turns(1, 50) });
	const tab = await desk.open();
	await say(tab, 'one');
	await until(() => tab.canSend, 'one can send again');
	await ask(tab, 'two');
	expect(tab.notice).toBeNull();
	expect(lines(await desk.branch()).filter((line) => line === 'u: two')).toHaveLength(1);
});

test('C21 an answer that its limit cut is followed by a compaction like any other', async () => {
	const desk = await Desk.of({ tree: turns(4, 1420) });
	const tab = await desk.open();
	desk.server.enqueue({
		kind: 'text',
		chunks: [words(30)],
		finish: 'length',
		usage: { prompt_tokens: 5900, completion_tokens: 40 }
	});
	await ask(tab, 'one');
	expect((await desk.branch()).at(-1)?.role).toBe('checkpoint');
	expect(await desk.db.calibration.count()).toBe(1);
});

test('C84 closing while a compaction is planned asks no model and writes nothing', async () => {
	const tree = turns(4, 900);
	const desk = await Desk.of({
		tree,
		session: { pins: [{ kind: 'message', messageId: must(tree.branch()[0]).id }] }
	});
	const tab = await desk.open();
	const before = await desk.branch();
	between.pinsRead = () => tab.close();
	await tab.compact();
	expect(desk.server.chats).toHaveLength(0);
	expect(await desk.branch()).toEqual(before);
});

test('C120 what is pinned while the summary is written is in that checkpoint, what is unpinned is not', async () => {
	const tree = turns(4, 900);
	const [first, , third] = tree.branch();
	const desk = await Desk.of({
		tree,
		session: { pins: [{ kind: 'message', messageId: must(first).id }] }
	});
	const tab = await desk.open();
	const held = gate();
	desk.server.enqueue({ kind: 'text', chunks: [summaryOf()], gate: held.shut });
	const compacted = tab.compact();
	await until(() => desk.summaries.length === 1);
	await tab.togglePin({ kind: 'message', messageId: must(first).id });
	await tab.togglePin({ kind: 'message', messageId: must(third).id });
	held.open();
	await compacted;
	const leaf = (await desk.branch()).at(-1);
	expect(leaf).toMatchObject({ checkpoint: { pinned: [{ messageId: must(third).id }] } });
});
