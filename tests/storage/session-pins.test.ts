import { describe, expect, test } from 'vitest';
import { Desk, ask, must, settled, turns, wireLines } from '../support/conversation';
import { words } from '../support/tree';

const long = 'The sample was n = 48, not n = 84; the second report has the misprint.';

function pinnedTree() {
	const tree = turns(1, 300);
	tree.talk(long, words(900, 3));
	tree.talk('Question 3', words(900, 4));
	return tree;
}

describe('C120 pins of a session', () => {
	test('C120 a pinned message is in every request after the checkpoint that covers it', async () => {
		const tree = pinnedTree();
		const desk = await Desk.of({ tree });
		const tab = await desk.open();
		const pin = { kind: 'message', messageId: must(tree.branch()[2]).id } as const;
		await tab.togglePin(pin);
		expect(tab.isPinned(pin)).toBe(true);
		await tab.compact();
		expect(tab.messages.at(-1)).toMatchObject({ checkpoint: { pinned: [{ text: long }] } });
		await ask(tab, 'Go on');
		expect(wireLines(desk.asked.at(-1))[0]).toContain(long);
		await ask(tab, words(500));
		await tab.compact();
		expect(tab.messages.at(-1)).toMatchObject({ checkpoint: { pinned: [{ text: long }] } });
	});

	test('C120 pins stay over a reload, raise no revision, and can be taken away', async () => {
		const tree = pinnedTree();
		const desk = await Desk.of({ tree });
		const tab = await desk.open();
		const before = await desk.row();
		const pins = [
			{ kind: 'message', messageId: must(tree.branch()[2]).id },
			{ kind: 'reference', reference: 'doi', text: '10.1000/x' }
		] as const;
		for (const pin of pins) await tab.togglePin(pin);
		expect((await desk.row()).branchRevision).toBe(before.branchRevision);
		const again = await desk.open();
		expect(again.session.pins).toEqual(pins);
		await again.togglePin(pins[0]);
		expect((await desk.row()).pins).toEqual([pins[1]]);
		expect(again.isPinned(pins[0])).toBe(false);
	});

	test('C120 a message pinned on another branch is not carried here, and stays pinned there', async () => {
		const tree = pinnedTree();
		const other = must(tree.branch()[2]);
		tree.at(must(tree.branch()[1]));
		tree.talk('another way', words(900, 5), 'and on', words(600, 6));
		const desk = await Desk.of({ tree });
		const tab = await desk.open();
		await tab.togglePin({ kind: 'message', messageId: other.id });
		await tab.compact();
		expect(tab.messages.at(-1)).toMatchObject({ role: 'checkpoint' });
		expect(JSON.stringify(tab.messages.at(-1))).not.toContain(long);
		expect(JSON.stringify(desk.server.chats.map(({ body }) => body))).not.toContain(long);
		expect(tab.isPinned({ kind: 'message', messageId: other.id })).toBe(true);
	});

	test('H24 two tabs that pin do not undo each other’s pins', async () => {
		const desk = await Desk.of({ tree: pinnedTree() });
		const [one, other] = [await desk.open(), await desk.open()];
		const pins = ['10.1000/a', '10.1000/b', '10.1000/c'].map(
			(text) => ({ kind: 'reference', reference: 'doi', text }) as const
		);
		await Promise.all(pins.map((pin, n) => (n % 2 ? one : other).togglePin(pin)));
		expect(new Set((await desk.row()).pins)).toEqual(new Set(pins));
	});

	test('C122 what does not fit is said, and nothing is asked or written', async () => {
		const tree = turns(1, 300);
		tree.talk(words(5900, 8), 'short');
		tree.talk('Question 3', words(300, 4));
		const desk = await Desk.of({ tree });
		const tab = await desk.open();
		await tab.togglePin({ kind: 'message', messageId: must(tree.branch()[2]).id });
		const branch = await desk.branch();
		await tab.compact();
		expect(tab.notice?.title).toMatch(/what you pinned takes about \d,\d{3} tokens/);
		expect(desk.server.chats).toHaveLength(0);
		expect(await desk.branch()).toEqual(branch);
		// A message that needs the room stays a draft, and the reason is the same one.
		await ask(tab, words(600));
		await settled(tab);
		expect(tab.notice?.title).toMatch(/^Not sent/);
		expect(tab.notice?.advice).toMatch(/pinned/);
		expect(desk.server.chats).toHaveLength(0);
	});
});

describe('C105 what a compaction would do, before it is asked for', () => {
	test('C105 the forecast is near what becomes of it; a price that is not known is not made up', async () => {
		const desk = await Desk.of({ tree: turns(4, 1300) });
		const tab = await desk.open();
		const forecast = must(await tab.forecast());
		if (forecast.kind !== 'compact') throw new Error(forecast.reason);
		await tab.compact();
		const message = must(tab.messages.at(-1));
		if (message.role !== 'checkpoint') throw new Error('No checkpoint was made.');
		const { checkpoint } = message;
		expect(forecast).toMatchObject({
			before: checkpoint.tokensBefore,
			coveredMessageCount: checkpoint.coveredMessageCount,
			model: checkpoint.model,
			passes: checkpoint.passes
		});
		expect(forecast.after).toBeGreaterThanOrEqual(checkpoint.tokensAfter);
		expect(forecast.after).toBeLessThan(checkpoint.tokensBefore);
		// The loopback provider is a server of one's own: free.
		expect(forecast.cost?.summary).toBe(0);
		expect(tab.costOf(checkpoint)?.paysOffAfter).toBe(0);
		expect(await tab.forecast()).toEqual({ kind: 'noop', reason: 'checkpoint-is-leaf' });
	});
});
