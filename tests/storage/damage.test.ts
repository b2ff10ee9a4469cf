import { describe, expect, test } from 'vitest';
import type { Message } from '../../src/lib/history/message';
import type { Session } from '../../src/lib/history/session';
import { newestLeafBelow, WINDOW } from '../../src/lib/storage/branch';
import { readBundle } from '../../src/lib/storage/bundle';
import { watchSessions } from '../../src/lib/storage/live';
import { encodeBundle } from '../../src/lib/session/bundle';
import { Desk, lines, must, turns, until } from '../support/conversation';
import { dump, freshDatabase, store } from '../support/database';
import { grow, messageId, sessionId } from '../support/tree';

/** Changes a stored row as nothing in the app could. */
async function spoil(desk: Desk, index: number, fields: object): Promise<Message> {
	const row = must((await desk.db.messages.toArray())[index]);
	await desk.db.messages.put({ ...row, ...fields } as Message);
	return row;
}

/** Turns with a checkpoint that keeps the third question, and one turn more. */
function compacted() {
	const tree = turns(3, 20);
	tree.checkpoint(must(tree.branch()[4]));
	tree.talk('Later', 'Answer');
	return tree;
}

describe('H55 a damaged branch', () => {
	test('H55 with a row missing: both stretches are shown, the gap between them is told', async () => {
		const desk = await Desk.of({ tree: turns(4, 20) });
		await desk.db.messages.delete(messageId(4));
		const before = await dump(desk.db);
		const tab = await desk.open();
		expect(tab.messages.map(({ id }) => id)).toEqual(
			[1, 2, 3, 5, 6, 7, 8].map((n) => messageId(n))
		);
		const damage = must(tab.damage);
		expect(damage.gapBefore(messageId(5))).toMatch(/^One message is missing here/);
		expect([damage.gapBefore(messageId(6)), damage.gapAtEnd]).toEqual([null, null]);
		expect(damage.findings).toEqual([
			expect.stringMatching(
				/^Message 0000000005 \(.*“Question 3”\) follows the message 0000000004, which is missing\.$/
			)
		]);
		expect(damage.contains).toBe('A repaired copy would hold 7 of 8 messages; 1 is unreadable.');
		expect([tab.hasEarlier, tab.canSend, tab.branchLocked]).toEqual([false, false, true]);
		expect(await dump(desk.db)).toBe(before);
	});

	test('H55 whose newest message is gone is not empty', async () => {
		const desk = await Desk.of({ tree: turns(2, 20) });
		await desk.db.messages.delete(messageId(4));
		const tab = await desk.open();
		expect(lines(tab.messages).map((line) => line.slice(0, 11))).toEqual([
			'u: Question',
			expect.any(String),
			'u: Question'
		]);
		expect(must(tab.damage).findings).toEqual(['The newest message is missing.']);
		expect(must(tab.damage).gapAtEnd).toMatch(/^At least one message is missing here/);
	});

	test.each<[string, object]>([
		['no parts', { parts: null }],
		['no role', { role: undefined }],
		['a depth that is no key', { depth: { n: 1 } }],
		['a tree that is no key', { treeId: null }],
		['a checkpoint that is none', { role: 'checkpoint', checkpoint: null }],
		['metadata that is none', { metadata: 'x' }]
	])('H55 whose leaf has %s: found, shown as far as it can be read', async (_, fields) => {
		const desk = await Desk.of({ tree: turns(3, 20) });
		await spoil(desk, 5, fields);
		const before = await dump(desk.db);
		const tab = await desk.open();
		const { findings } = must(tab.damage);
		expect(findings.length).toBeGreaterThan(0);
		expect(tab.messages.length).toBeGreaterThanOrEqual(5);
		expect(tab.readOnly).not.toBeNull();
		expect(await dump(desk.db)).toBe(before);
	});

	test('H50 damage above the window and the context costs nothing until it is read', async () => {
		const desk = await Desk.of({ tree: turns(80, 20) });
		const tree = await desk.branch();
		await spoil(desk, 10, { parts: 5 });
		await desk.db.sessions.update(desk.id, { leafId: must(tree.at(-1)).id });
		const tab = await desk.open();
		// The context of a branch without checkpoint is all of it: so it is found behind the window.
		await until(() => tab.damage);
		expect(tab.messages).toHaveLength(159);

		const long = compacted();
		for (let n = 0; n < WINDOW; n++) long.talk(`q${n}`, `a${n}`);
		const other = await Desk.of({ tree: long });
		await spoil(other, 1, { parts: 5 });
		const above = await other.open();
		await above.nextRequest();
		expect([above.damage, above.readOnly]).toEqual([null, null]);
		while (above.hasEarlier) await above.loadEarlier();
		expect(must(above.damage).findings).toEqual([
			expect.stringMatching(/^Message 0000000002 .*cannot be read: it has no content\.$/)
		]);
		expect(above.messages).toHaveLength(long.rows.size - 1);
		expect(above.readOnly).not.toBeNull();
	});

	test('H50 whose session names another tree, or a leaf that is no id', async () => {
		for (const fields of [
			{ treeId: 'tree-9' },
			{ leafId: 5 },
			{ leafId: { a: 1 } },
			{ leafId: undefined }
		]) {
			const desk = await Desk.of({ tree: turns(2, 20) });
			const row = { ...(await desk.row()), ...fields } as Session;
			await desk.db.sessions.put(row);
			const before = await dump(desk.db);
			const tab = await desk.open();
			expect(must(tab.damage).findings.length).toBeGreaterThan(0);
			expect(tab.messages).toHaveLength(4);
			expect(await dump(desk.db)).toBe(before);
		}
	});
});

describe('H50 another branch', () => {
	/** A question with two answers, the newer one on screen. */
	function forked() {
		const tree = turns(2, 20);
		const question = must(tree.branch()[2]);
		tree.answer('Another answer', {}, question);
		return tree;
	}

	test.each([10n, 'now', null, {}])(
		'H43 that holds %s for a time does no harm',
		async (createdAt) => {
			const desk = await Desk.of({ tree: forked() });
			await spoil(desk, 3, { createdAt });
			const tab = await desk.open();
			expect([tab.damage, tab.readOnly, tab.messages.length]).toEqual([null, null, 4]);
			expect(tab.siblings(messageId(5))).toMatchObject({ index: 2, count: 2 });
		}
	);

	test('that is damaged is not gone to: no way would lead back', async () => {
		const desk = await Desk.of({ tree: forked() });
		await spoil(desk, 3, { parts: 5 });
		const before = await desk.row();
		const tab = await desk.open();
		await tab.switchTo(messageId(4));
		expect(tab.notice?.title).toMatch(/^That branch is damaged/);
		expect(await desk.row()).toEqual(before);
		expect([tab.damage, tab.readOnly]).toEqual([null, null]);
	});
});

test.each([Infinity, 2 ** 60, -Infinity])('H5 a circle at the depth %d ends', async (depth) => {
	const desk = await Desk.of({ tree: turns(2, 20) });
	await spoil(desk, 2, { depth, parentId: messageId(4) });
	await spoil(desk, 3, { depth, parentId: messageId(3) });
	expect(await newestLeafBelow(desk.db, messageId(3))).toBeDefined();
	const tab = await desk.open();
	expect(must(tab.damage).findings.length).toBeGreaterThan(0);
	expect(tab.messages.length).toBe(4);
});

describe('H50 what is beside the branch', () => {
	test.each<[string, object, string]>([
		['a draft', { draft: null }, 'its draft'],
		['a title', { title: 5 }, 'its title'],
		['a model', { model: 'gpt' }, 'its model'],
		['a revision', { branchRevision: 'x' }, 'how often it changed'],
		['pins', { pins: [5] }, 'what was pinned in it']
	])('H50 a session whose record has broken %s is shown, read-only', async (_, fields, what) => {
		const desk = await Desk.of({ tree: turns(2, 20) });
		await desk.db.sessions.put({ ...(await desk.row()), ...fields } as Session);
		const before = await dump(desk.db);
		const tab = await desk.open();
		expect(tab.messages).toHaveLength(4);
		expect(must(tab.damage).findings).toEqual([expect.stringContaining(what)]);
		expect([tab.canSend, must(tab.damage).contains]).toEqual([
			false,
			'A repaired copy would hold 4 messages: all of this branch.'
		]);
		expect(await dump(desk.db)).toBe(before);
	});

	test('H50 an answer in progress that cannot be read is told, and not shown', async () => {
		const desk = await Desk.of({ tree: turns(2, 20) });
		await desk.db.runs.put({ sessionId: desk.id, runId: 'r', parts: 'x' } as never);
		const tab = await desk.open();
		await until(() => tab.damage);
		expect(must(tab.damage).findings).toEqual(['An answer that was in progress cannot be read.']);
		expect([tab.run, tab.messages.length, tab.canSend]).toEqual([null, 4, false]);
	});

	test('I7 the list of sessions holds every session, whatever one row holds', async () => {
		const db = await freshDatabase();
		await store(db, grow(1).talk('u') && grow(1), { title: 'Whole', updatedAt: 1 });
		await db.sessions.put({ id: 'a', title: null, updatedAt: 'now', draft: 5 } as never);
		const seen = await new Promise<readonly Session[]>((resolve, reject) => {
			watchSessions(db, (sessions) => resolve(sessions), reject);
		});
		expect(seen.map(({ id, title, draft }) => [id, title, draft.text])).toEqual([
			[sessionId(), 'Whole', ''],
			['a', '', '']
		]);
	});
});

describe('H56 an export of what is damaged', () => {
	const exported = async (desk: Desk) => {
		const bundle = await readBundle(desk.db, await desk.db.sessions.toArray());
		const { chunks, leftOut } = await encodeBundle(bundle, 1);
		return { file: JSON.parse(chunks.join('')), leftOut };
	};

	test('S5 holds every row there is, whatever stands in it', async () => {
		const tree = compacted();
		const leaf = tree.leaf;
		const aside = tree.at(must(tree.branch()[1])).user('aside');
		const desk = await Desk.of({ tree: tree.at(leaf) });
		await desk.db.messages.put({ ...aside, treeId: 7 } as never);
		await spoil(desk, 0, { parts: null });
		await spoil(desk, 1, { depth: null });
		await spoil(desk, 2, { treeId: 7 });
		await spoil(desk, 3, { treeId: null, originSessionId: {} });
		await desk.db.sessions.update(desk.id, { draft: 5 as never });
		const rows = await desk.db.messages.toArray();
		const { file, leftOut } = await exported(desk);
		const byId = (all: readonly Message[]) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
		expect(byId(file.messages)).toEqual(byId(JSON.parse(JSON.stringify(rows))));
		expect(leftOut).toEqual([]);
	});

	test('S5 names what JSON cannot write, and writes the rest', async () => {
		const desk = await Desk.of({ tree: turns(2, 20) });
		const circle: Record<string, unknown> = {};
		circle['self'] = circle;
		await spoil(desk, 1, { metadata: { circle } });
		await spoil(desk, 2, { createdAt: 10n });
		const { file, leftOut } = await exported(desk);
		expect(file.messages.map(({ id }: Message) => id)).toEqual([messageId(1), messageId(4)]);
		expect(leftOut).toEqual([2, 3].map((n) => `The message ${messageId(n)}`));
	});

	test('S5 an attached file whose bytes are none is named', async () => {
		const tree = grow();
		tree.user([
			{ type: 'file', mediaType: 'a/b', filename: 'a.pdf', sha256: 'ab', size: 1, tokens: 1 }
		]);
		const desk = await Desk.of({ tree });
		await desk.db.attachments.put({
			sha256: 'ab',
			mediaType: 'a/b',
			filename: 'a.pdf',
			blob: 5 as never
		});
		const { file, leftOut } = await exported(desk);
		expect([file.messages.length, file.attachments, leftOut]).toEqual([1, [], ['The file a.pdf']]);
	});
});
