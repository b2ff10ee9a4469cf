import { describe, expect, test } from 'vitest';
import type { Message, MessageId } from '../../src/lib/history/message';
import { readBundle } from '../../src/lib/storage/bundle';
import { addImported, countRows } from '../../src/lib/storage/everything';
import { beginRetry } from '../../src/lib/storage/runs';
import {
	addSession,
	deleteDiscarded,
	deleteSession,
	discardSession,
	duplicateSession,
	forkSession,
	moveLeaf,
	patchSession
} from '../../src/lib/storage/sessions';
import { dump, expected, freshDatabase, newRun, store } from '../support/database';
import { grow, messageId, sessionId } from '../support/tree';

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

describe('H25 moveLeaf', () => {
	async function stored() {
		const db = await freshDatabase();
		const tree = grow();
		const [u1, a1] = tree.talk('u1', 'a1', 'u2', 'a2') as [Message, Message];
		return { db, tree, u1, a1, session: await store(db, tree) };
	}

	test('H25, H11 to a message of the tree, or before the first: the revision rises', async () => {
		const { db, session, a1 } = await stored();
		const moved = await moveLeaf(db, expected(session), a1.id, 5);
		expect(moved).toMatchObject({ leafId: a1.id, branchRevision: 1, updatedAt: 5 });
		expect(moved && (await moveLeaf(db, expected(moved), null, 6))).toMatchObject({
			leafId: null,
			branchRevision: 2
		});
	});

	test('H11 to where it is: nothing rises, nothing is written', async () => {
		const { db, session } = await stored();
		const before = await dump(db);
		expect(await moveLeaf(db, expected(session), session.leafId, 5)).toEqual(session);
		expect(await dump(db)).toBe(before);
	});

	test('H25 not to another tree, to nowhere, from a stale belief, or under a run', async () => {
		const { db, session, a1, u1 } = await stored();
		const foreign = grow(2).user('elsewhere');
		await db.messages.add(foreign);
		const stale = { ...expected(session), branchRevision: 7 };
		const before = await dump(db);
		expect(await moveLeaf(db, expected(session), foreign.id, 5)).toBeNull();
		expect(await moveLeaf(db, expected(session), messageId(999), 5)).toBeNull();
		expect(await moveLeaf(db, stale, a1.id, 5)).toBeNull();
		expect(await moveLeaf(db, { ...expected(session), leafId: u1.id }, a1.id, 5)).toBeNull();
		expect(
			await moveLeaf(db, { ...expected(session), sessionId: sessionId(9) }, a1.id, 5)
		).toBeNull();
		expect(await dump(db)).toBe(before);
		await beginRetry(db, expected(session), u1.id, newRun(), 5);
		const now = await db.sessions.get(session.id);
		expect(now && (await moveLeaf(db, expected(now), a1.id, 5))).toBeNull();
	});
});

describe('H24 patchSession', () => {
	test('H24, H11 what is not the branch changes; the revision does not', async () => {
		const db = await freshDatabase();
		const session = await store(db, grow());
		const patch = {
			title: 't',
			pinned: true,
			draft: { text: 'd', files: [] },
			model: { provider: 'q', model: 'n' },
			instructions: 'i',
			template: 'research' as const
		};
		expect(await patchSession(db, session.id, patch)).toEqual({ ...session, ...patch });
		expect(await db.sessions.get(session.id)).toEqual({ ...session, ...patch });
	});

	test('H24 an object that carries more than it may changes only what it may', async () => {
		const db = await freshDatabase();
		const tree = grow();
		tree.talk('u1', 'a1');
		const session = await store(db, tree);
		const stale = { ...session, title: 'new', leafId: null, branchRevision: 40, treeId: 'x' };
		expect(await patchSession(db, session.id, stale)).toEqual({ ...session, title: 'new' });
		expect(await patchSession(db, session.id, { title: undefined })).toMatchObject({
			title: 'new'
		});
	});

	test('H24 null when the session is gone', async () => {
		expect(await patchSession(await freshDatabase(), sessionId(4), { title: 't' })).toBeNull();
	});
});

describe('H26 deleteSession', () => {
	const ids = (messages: readonly Message[]) => messages.map(({ id }) => id).sort();
	const left = async (db: Awaited<ReturnType<typeof freshDatabase>>) =>
		ids(await db.messages.toArray());

	test('H26 the last session of a tree takes all of it: branches, checkpoints, run', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [u1] = tree.talk('u1', 'a1', 'u2', 'a2') as [Message];
		tree.checkpoint(null);
		tree.answer('a retry', {}, u1);
		const session = await store(db, tree);
		await beginRetry(db, expected(session), u1.id, newRun(), 1);
		await deleteSession(db, session.id);
		expect(await countRows(db)).toEqual({ sessions: 0, messages: 0 });
		expect(await db.runs.count()).toBe(0);
	});

	test('H26, H10 while another session of the tree is left, nothing of it goes: it shows every branch', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const shared = tree.talk('u1', 'a1', 'u2', 'a2');
		tree.checkpoint(shared[2] ?? null);
		const tip = tree.talk('u3', 'a3');
		const own = tree.talk('of the first', 'and this');
		tree.at(shared[1] ?? null).talk('a branch of the first', 'x');
		await store(db, tree, { leafId: own[1]?.id });
		await db.sessions.put(tree.session({ id: sessionId(2), leafId: tip[1]?.id }));
		const before = await db.messages.toArray();
		await deleteSession(db, sessionId(1));
		expect(await db.messages.toArray()).toEqual(before);
		await deleteSession(db, sessionId(2));
		expect(await countRows(db)).toEqual({ sessions: 0, messages: 0 });
	});

	test('H26 a copy keeps the branches it showed, whoever wrote them', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [u1] = tree.talk('u1', 'a1');
		tree.at(u1 ?? null).answer('a1 again');
		const session = await store(db, tree);
		await duplicateSession(db, session.id, { id: sessionId(2), now: 9, title: 'Copy' });
		await deleteSession(db, session.id);
		expect(await db.messages.count()).toBe(3);
	});

	test('H26 other trees, and a session that is not there', async () => {
		const db = await freshDatabase();
		const [one, two] = [grow(1), grow(2)];
		one.talk('u', 'a');
		two.talk('u', 'a');
		await store(db, one);
		await store(db, two, { id: sessionId(2) });
		await deleteSession(db, sessionId(9));
		await deleteSession(db, sessionId(1));
		expect(await left(db)).toEqual([...two.rows.keys()].sort() as MessageId[]);
	});
});

describe('H23, H27 whole rows', () => {
	async function bundle() {
		const tree = grow();
		const messages = tree.talk('u1', 'a1', 'u2', 'a2');
		const checkpoint = tree.checkpoint(messages[2] ?? null);
		return { tree, session: tree.session(), messages: [...messages, checkpoint] };
	}

	test('H23 a session with the messages it starts with, or nothing', async () => {
		const { session, messages } = await bundle();
		const db = await freshDatabase();
		await addSession(db, session, messages);
		expect(await db.messages.count()).toBe(5);
		const before = await dump(db);
		const second = { ...session, id: sessionId(2) };
		await expect(
			addSession(db, second, [grow(2).user('new'), ...messages.slice(0, 1)])
		).rejects.toThrow();
		expect(await dump(db)).toBe(before);
	});

	test('H27 an import, twice: the second changes nothing', async () => {
		const { session, messages } = await bundle();
		const db = await freshDatabase();
		expect(await addImported(db, session, messages, same)).toMatchObject({ kind: 'added' });
		const before = await dump(db);
		expect(await addImported(db, session, messages, same)).toMatchObject({ kind: 'same' });
		expect(await dump(db)).toBe(before);
		const read = await readBundle(db, [session]);
		expect(ids(read.messages)).toEqual(ids(messages));
	});
	const ids = (messages: readonly Message[]) => messages.map(({ id }) => id).sort();

	test('H27 a message or a session that differs is a conflict: nothing is written', async () => {
		const { session, messages } = await bundle();
		const db = await freshDatabase();
		await addImported(db, session, messages.slice(0, 3), same);
		const before = await dump(db);
		const changed = messages.map((message, n) =>
			n === 1 ? { ...message, createdAt: 99 } : message
		);
		expect(await addImported(db, session, changed, same)).toMatchObject({ kind: 'conflict' });
		expect(await addImported(db, { ...session, title: 'x' }, messages, same)).toMatchObject({
			kind: 'conflict'
		});
		expect(await dump(db)).toBe(before);
	});
});

describe('H60, H61 a session from another', () => {
	const fresh = { id: sessionId(2), now: 9, title: 'Another' };

	test('H60 a fork ends at the answer, shares all messages, and has the checkpoint above it only', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [, a1, , a2] = tree.talk('u1', 'a1', 'u2', 'a2');
		const checkpoint = tree.checkpoint(null);
		const [, a3] = tree.talk('u3', 'a3');
		const session = await store(db, tree, { pinned: true, draft: { text: 'half', files: [] } });
		const rows = await db.messages.toArray();
		for (const [answer, checkpointId] of [
			[a1, null],
			[a2, null],
			[a3, checkpoint.id]
		] as const) {
			const fork = await forkSession(db, session.id, answer?.id as never, {
				id: sessionId(10 + (answer?.depth ?? 0)),
				now: 9,
				title: 'Fork'
			});
			expect(fork).toMatchObject({
				treeId: session.treeId,
				leafId: answer?.id,
				branchRevision: 0,
				createdAt: 9,
				pinned: false,
				draft: { text: '' },
				model: session.model
			});
			const leaf = await db.messages.get(fork?.leafId as never);
			expect(leaf?.checkpointId).toBe(checkpointId);
		}
		expect(await db.messages.toArray()).toEqual(rows);
		expect(await db.sessions.get(session.id)).toEqual(session);
	});

	test('H60 case 45: only an answer of its tree can be forked from; nothing is written otherwise', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [u1] = tree.talk('u1', 'a1');
		const checkpoint = tree.checkpoint(null);
		const session = await store(db, tree);
		const other = grow(2);
		const [, foreign] = other.talk('x', 'y');
		await store(db, other, { id: sessionId(7) });
		for (const message of [u1, checkpoint, foreign]) {
			await expect(forkSession(db, session.id, message?.id as never, fresh)).rejects.toMatchObject({
				name: 'TreeError'
			});
		}
		expect(await forkSession(db, session.id, 'gone' as never, fresh)).toBeNull();
		expect(await forkSession(db, sessionId(99), u1?.id as never, fresh)).toBeNull();
		expect(await db.sessions.count()).toBe(2);
	});

	test('H61 a copy stands where the first does, and each goes its own way', async () => {
		const db = await freshDatabase();
		const tree = grow();
		tree.talk('u1', 'a1');
		const session = await store(db, tree, { pinned: true, draft: { text: 'half', files: [] } });
		const copy = await duplicateSession(db, session.id, fresh);
		expect(copy).toEqual({
			...session,
			...{
				id: fresh.id,
				title: 'Another',
				branchRevision: 0,
				createdAt: 9,
				updatedAt: 9,
				pinned: false
			},
			failures: null,
			discardedAt: null
		});
		await deleteSession(db, session.id);
		expect(await countRows(db)).toEqual({ sessions: 1, messages: 2 });
		expect(await duplicateSession(db, sessionId(99), fresh)).toBeNull();
	});
});

describe('H62 a deleted session can be brought back for a while', () => {
	test('H62 out of sight and back, nothing else has changed; what it shares stays', async () => {
		const db = await freshDatabase();
		const tree = grow();
		tree.talk('u1', 'a1');
		const session = await store(db, tree);
		const rows = await db.messages.toArray();
		expect(await discardSession(db, session.id, 100)).toBe(true);
		await db.sessions.put(tree.session({ id: sessionId(2) }));
		await deleteSession(db, sessionId(2));
		expect(await discardSession(db, session.id, null)).toBe(true);
		expect(await db.sessions.get(session.id)).toEqual({ ...session, discardedAt: null });
		expect(await db.messages.toArray()).toEqual(rows);
		expect(await discardSession(db, sessionId(99), 1)).toBe(false);
	});

	test('H62 only what was discarded before that moment is deleted for good', async () => {
		const db = await freshDatabase();
		for (const [n, discardedAt] of [
			[1, 50],
			[2, 150],
			[3, null]
		] as const) {
			const tree = grow(n);
			tree.talk('u', 'a');
			await store(db, tree, { id: sessionId(n), discardedAt });
		}
		await deleteDiscarded(db, 100);
		expect((await db.sessions.toArray()).map(({ id }) => id)).toEqual([sessionId(2), sessionId(3)]);
		expect(await db.messages.count()).toBe(4);
	});

	test('H62 imported again it is brought back, and otherwise the same', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const messages = tree.talk('u1', 'a1');
		const session = await store(db, tree);
		await discardSession(db, session.id, 100);
		const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
		expect(await addImported(db, session, messages, same)).toMatchObject({ kind: 'added' });
		expect(await db.sessions.get(session.id)).toEqual(session);
		expect(await addImported(db, session, messages, same)).toMatchObject({ kind: 'same' });
	});
});
