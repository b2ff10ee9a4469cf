import { describe, expect, test } from 'vitest';
import {
	ask,
	Desk,
	gate,
	lines,
	must,
	page,
	say,
	settled,
	turns,
	until,
	write
} from '../support/conversation';
import { discardSession } from '../../src/lib/storage/sessions';
import { behaviours } from '../support/openai-server';
import { grow, words } from '../support/tree';

describe('what is written', () => {
	test('is stored a moment later by itself', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		write(tab, 'Half a thou');
		await until(async () => (await desk.row()).draft.text === 'Half a thou');
		expect((await desk.row()).branchRevision).toBe(0);
	});

	test('is not wiped by an idle tab that is flushed and closed', async () => {
		const desk = await Desk.of();
		const [writing, idle] = [await desk.open(), await desk.open()];
		page.hasFocus = true;
		write(writing, 'Not to be lost');
		await writing.flushDraft();
		await idle.flushDraft();
		await idle.close();
		expect((await desk.row()).draft.text).toBe('Not to be lost');
	});

	test('is shown in an idle tab, and not in one where something else is being written', async () => {
		const desk = await Desk.of();
		const [writing, idle, other] = [await desk.open(), await desk.open(), await desk.open()];
		write(other, 'My own');
		write(writing, 'Seen elsewhere');
		await writing.flushDraft();
		await until(() => idle.draft.text === 'Seen elsewhere');
		expect(other.draft.text).toBe('My own');
	});

	test('does not come back when it was sent before it was stored', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		await ask(tab, 'Quickly sent');
		await tab.flushDraft();
		expect([tab.draft.text, (await desk.row()).draft.text]).toEqual(['', '']);
		expect((await desk.open()).draft.text).toBe('');
	});

	test('does not come back when it was sent while it was being stored', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		write(tab, 'Quickly sent');
		void tab.flushDraft();
		await tab.send();
		await settled(tab);
		expect(lines(await desk.branch())[0]).toBe('u: Quickly sent');
		expect([tab.draft.text, (await desk.row()).draft.text]).toEqual(['', '']);
	});

	test('another tab stored is left alone by a send', async () => {
		const desk = await Desk.of();
		const [sending, other] = [await desk.open(), await desk.open()];
		write(other, 'Theirs');
		write(sending, 'Mine');
		const sent = sending.send();
		await other.flushDraft();
		await sent;
		await settled(sending);
		expect(lines(await desk.branch())[0]).toBe('u: Mine');
		await other.flushDraft();
		expect(other.draft.text).toBe('Theirs');
		expect((await desk.row()).draft.text).toBe('Theirs');
	});

	test('while an answer comes stays when the answer is there', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		const held = gate();
		desk.server.enqueue(behaviours.text('One ', held.shut, 'two.'));
		await say(tab, 'First');
		write(tab, 'Second');
		await tab.send();
		held.open();
		await settled(tab);
		await tab.flushDraft();
		expect(lines(await desk.branch())).toEqual(['u: First', 'a: One two.']);
		expect([tab.draft.text, (await desk.row()).draft.text]).toEqual(['Second', 'Second']);
	});
});

describe('a message that waits for a compaction', () => {
	async function waiting() {
		const desk = await Desk.of({ tree: turns(3, 900) });
		const tab = await desk.open();
		const held = gate();
		desk.server.enqueue({ ...behaviours.serverError(), gate: held.shut });
		void tab.compact();
		await until(() => tab.compaction?.phase === 'summarising');
		void say(tab, 'It waits');
		return { desk, tab, held };
	}

	test('what is typed meanwhile survives beside it', async () => {
		const { desk, tab, held } = await waiting();
		expect([tab.waiting?.text, tab.draft.text, tab.canSend]).toEqual(['It waits', '', false]);
		write(tab, 'Typed meanwhile');
		await tab.flushDraft();
		expect((await desk.row()).draft.text).toBe('It waits\n\nTyped meanwhile');
		held.open();
		await settled(tab);
		expect(tab.draft.text).toBe('It waits\n\nTyped meanwhile');
		expect(desk.asked).toHaveLength(0);
	});

	test('is a draft again after a crash', async () => {
		const { desk, tab } = await waiting();
		await until(async () => (await desk.row()).draft.text === 'It waits');
		const reopened = await desk.open();
		expect([reopened.draft.text, reopened.waiting]).toEqual(['It waits', null]);
		expect(tab.waiting?.text).toBe('It waits');
	});
});

describe('an edit that cannot be sent leaves its text in the composer', () => {
	async function twoTurns() {
		const tree = grow();
		const [first] = tree.talk('u1', 'a1', 'u2', 'a2');
		const desk = await Desk.of({ tree });
		return { desk, tree, first: must(first), tab: await desk.open() };
	}

	test('too long: with the figures, and the branch as it was', async () => {
		const { desk, tree, first, tab } = await twoTurns();
		const long = words(6500);
		expect(await tab.edit(first.id, long)).toBe(true);
		expect(tab.draft.text).toBe(long);
		expect(tab.notice?.figures?.length).toBeGreaterThan(0);
		expect(await desk.branch()).toEqual(tree.branch());
		expect([desk.server.chats.length, tab.isBusy]).toEqual([0, false]);
	});

	test('stale: with a notice, and the branch as it now is', async () => {
		const { desk, tree, first, tab } = await twoTurns();
		const leafId = must(tree.branch()[1]).id;
		await desk.unheard({ leafId, branchRevision: 1 });
		expect(await tab.edit(first.id, 'u1, better')).toBe(true);
		expect(tab.draft.text).toBe('u1, better');
		expect(tab.notice?.title).toMatch(/changed meanwhile/);
		expect(lines(tab.messages)).toEqual(['u: u1', 'a: a1']);
		expect(desk.server.chats).toHaveLength(0);
	});

	test('a full disk: with a notice, and it can be sent once there is room', async () => {
		const { desk, tree, first, tab } = await twoTurns();
		desk.fillDisk();
		expect(await tab.edit(first.id, 'u1, better')).toBe(true);
		expect(tab.draft.text).toBe('u1, better');
		expect(tab.notice?.title).toMatch(/no room left/);
		expect(await desk.branch()).toEqual(tree.branch());
		desk.intrusion = null;
		await tab.send();
		await settled(tab);
		expect(lines(await desk.branch()).at(-2)).toBe('u: u1, better');
	});

	test('beside what was being written there', async () => {
		const { first, tab } = await twoTurns();
		write(tab, 'Under way');
		await tab.edit(first.id, words(6500));
		expect(tab.draft.text.startsWith('Under way\n\n')).toBe(true);
	});

	test('an edit that is sent is a sibling of the edited message and leaves the draft alone', async () => {
		const { desk, first, tab } = await twoTurns();
		write(tab, 'Under way');
		expect(await tab.edit(first.id, 'u1, better')).toBe(true);
		await settled(tab);
		expect(lines(tab.messages)).toEqual(['u: u1, better', 'a: You said: u1, better']);
		expect(tab.siblings(must(tab.messages[0]).id)).toMatchObject({
			index: 2,
			previousId: first.id
		});
		expect([tab.draft.text, (await desk.row()).draft.text]).toEqual(['Under way', 'Under way']);
	});

	test('while an answer is under way an edit is refused: false, and the composer is untouched', async () => {
		const { desk, first, tab } = await twoTurns();
		const held = gate();
		desk.server.enqueue({ kind: 'echo', gate: held.shut });
		await say(tab, 'u3');
		expect(await tab.edit(first.id, 'u1, better')).toBe(false);
		expect(tab.draft.text).toBe('');
		held.open();
		await settled(tab);
		expect(lines(await desk.branch()).at(-1)).toBe('a: You said: u3');
	});
});

test('a draft that could not be stored is tried again by itself, and what was said of it goes', async () => {
	const desk = await Desk.of();
	const tab = await desk.open();
	desk.fillDisk();
	write(tab, 'PRECIOUS');
	await tab.flushDraft();
	expect(tab.notice?.title).toMatch(/no room left/);
	expect(tab.isUnsaved).toBe(true);
	desk.intrusion = null;
	await until(async () => (await desk.row()).draft.text === 'PRECIOUS', 'it is stored');
	await until(() => tab.notice === null, 'nothing is said any more');
	expect(tab.isUnsaved).toBe(false);
});

test('H62 what is typed while another tab deletes the session is there when it is brought back', async () => {
	const desk = await Desk.of({ session: { draft: { text: 'base', files: [] } } });
	const tab = await desk.open();
	await discardSession(desk.db, desk.id, 1);
	write(tab, 'base PRECIOUS');
	await tab.flushDraft();
	await discardSession(desk.db, desk.id, null);
	expect((await desk.row()).draft.text).toBe('base PRECIOUS');
});
