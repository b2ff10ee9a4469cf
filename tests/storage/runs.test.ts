import { describe, expect, test } from 'vitest';
import { TreeError } from '../../src/lib/history/tree';
import type { Message } from '../../src/lib/history/message';
import {
	beginRetry,
	beginRun,
	dropRun,
	finishRun,
	saveRun,
	type NewUserMessage
} from '../../src/lib/storage/runs';
import { moveLeaf, patchSession } from '../../src/lib/storage/sessions';
import { dump, expected, freshDatabase, newRun, store } from '../support/database';
import { grow, messageId, text } from '../support/tree';

const answer = { parts: [text('an answer')], metadata: { finish: 'stop' as const } };
const question = (parentId: Message['id'] | null, n = 600): NewUserMessage => ({
	id: messageId(n),
	parentId,
	draft: { role: 'user', parts: [text('a question')], metadata: {} },
	draftAfter: { text: 'typed meanwhile', files: [] }
});

async function twoTurns() {
	const db = await freshDatabase();
	const tree = grow();
	const [u1, a1, u2, a2] = tree.talk('u1', 'a1', 'u2', 'a2') as [
		Message,
		Message,
		Message,
		Message
	];
	const session = await store(db, tree, { draft: { text: 'a question', files: [] } });
	return { db, tree, session, u1, a1, u2, a2 };
}

describe('H14 beginRun', () => {
	test('H14 message, leaf, revision, draft and run in one go', async () => {
		const { db, session, a2 } = await twoTurns();
		const begun = await beginRun(db, expected(session), question(a2.id), newRun(), 9);
		expect(begun).toMatchObject({
			kind: 'done',
			message: { id: messageId(600), parentId: a2.id, depth: 4, role: 'user' },
			session: { leafId: messageId(600), branchRevision: 1, draft: { text: 'typed meanwhile' } },
			run: { runId: 'run-500', parentId: messageId(600), parts: [], startedAt: 9 }
		});
		expect(await db.runs.count()).toBe(1);
		expect(await db.sessions.get(session.id)).toMatchObject({ draft: { text: 'typed meanwhile' } });
	});

	test('H14, H6 the first message, and an edit of it: two roots, both whole', async () => {
		const db = await freshDatabase();
		const session = await store(db, grow());
		const first = await beginRun(db, expected(session), question(null), newRun(), 1);
		if (first.kind !== 'done') throw new Error('stale');
		await dropRun(db, first.run);
		const second = await beginRun(db, expected(first.session), question(null, 601), newRun(501), 2);
		expect(second).toMatchObject({ kind: 'done', message: { depth: 0, parentId: null } });
		expect(await db.messages.count()).toBe(2);
	});

	test.each<[string, (t: Awaited<ReturnType<typeof twoTurns>>) => Promise<unknown>]>([
		[
			'a run is open',
			({ db, session, u2 }) => beginRetry(db, expected(session), u2.id, newRun(1), 1)
		],
		['the branch moved', ({ db, session, a1 }) => moveLeaf(db, expected(session), a1.id, 1)]
	])('H12, H13 stale when %s: nothing is written', async (_, change) => {
		const t = await twoTurns();
		await change(t);
		const before = await dump(t.db);
		expect(await beginRun(t.db, expected(t.session), question(t.a2.id), newRun(), 9)).toEqual({
			kind: 'stale'
		});
		expect(await beginRetry(t.db, expected(t.session), t.u1.id, newRun(), 9)).toEqual({
			kind: 'stale'
		});
		expect(await dump(t.db)).toBe(before);
	});

	test('H12 case 43: of two tabs that send at once one is stale', async () => {
		const { db, session, a2 } = await twoTurns();
		const both = await Promise.all(
			[600, 601].map((n) => beginRun(db, expected(session), question(a2.id, n), newRun(n + 100), 9))
		);
		expect(both.map(({ kind }) => kind).sort()).toEqual(['done', 'stale']);
		expect(await db.messages.count()).toBe(5);
	});

	test('H4 a parent of another tree is refused whole', async () => {
		const { db, session } = await twoTurns();
		const foreign = grow(2).user('elsewhere');
		await db.messages.add(foreign);
		const before = await dump(db);
		await expect(
			beginRun(db, expected(session), question(foreign.id), newRun(), 9)
		).rejects.toThrow(TreeError);
		await expect(
			beginRun(db, expected(session), question(messageId(999)), newRun(), 9)
		).rejects.toThrow('damaged');
		expect(await dump(db)).toBe(before);
	});
});

describe('H15 beginRetry', () => {
	test('H15, H11 the leaf moves to the question; the old answer stays', async () => {
		const { db, session, u2, a2 } = await twoTurns();
		const begun = await beginRetry(db, expected(session), u2.id, newRun(), 9);
		expect(begun).toMatchObject({ kind: 'done', session: { leafId: u2.id, branchRevision: 1 } });
		expect(await db.messages.get(a2.id)).toEqual(a2);
	});

	test('H11 an unanswered leaf is retried without a new revision', async () => {
		const { db, tree } = await twoTurns();
		const u3 = tree.user('u3');
		const session = await store(db, tree);
		expect(await beginRetry(db, expected(session), u3.id, newRun(), 9)).toMatchObject({
			session: { leafId: u3.id, branchRevision: 0 }
		});
	});

	test('H15 below a checkpoint that a preflight put under the question', async () => {
		const { db, tree } = await twoTurns();
		const u3 = tree.user('u3');
		const checkpoint = tree.checkpoint(u3);
		const session = await store(db, tree);
		const begun = await beginRetry(db, expected(session), checkpoint.id, newRun(), 9);
		if (begun.kind !== 'done') throw new Error('stale');
		const finished = await finishRun(db, begun.run, answer, 10);
		expect(finished?.message).toMatchObject({
			parentId: checkpoint.id,
			checkpointId: checkpoint.id
		});
	});

	test('H15 nothing else can be answered: the answer would have nowhere to go', async () => {
		const { db, tree, a1 } = await twoTurns();
		const checkpoint = tree.checkpoint(null);
		const session = await store(db, tree);
		const foreign = grow(2).user('elsewhere');
		await db.messages.add(foreign);
		const before = await dump(db);
		for (const id of [a1.id, checkpoint.id, foreign.id, messageId(999)]) {
			await expect(beginRetry(db, expected(session), id, newRun(), 9)).rejects.toThrow(TreeError);
		}
		expect(await dump(db)).toBe(before);
	});
});

describe('H16, H17 the life of a run', () => {
	async function running() {
		const t = await twoTurns();
		const begun = await beginRun(t.db, expected(t.session), question(t.a2.id), newRun(), 9);
		if (begun.kind !== 'done') throw new Error('stale');
		return { ...t, run: begun.run, session: begun.session };
	}

	test('H16 what arrived is kept; H11 the revision stays', async () => {
		const { db, run, session } = await running();
		expect(await saveRun(db, run, [text('so far')], 12)).toBe(true);
		expect(await db.runs.get(session.id)).toEqual({
			...run,
			parts: [text('so far')],
			updatedAt: 12
		});
		expect((await db.sessions.get(session.id))?.branchRevision).toBe(session.branchRevision);
	});

	test('H17 the answer is durable in the write that removes the run', async () => {
		const { db, run, session } = await running();
		const finished = await finishRun(db, run, answer, 13);
		expect(finished).toMatchObject({
			session: { leafId: run.messageId, branchRevision: session.branchRevision + 1 },
			message: { id: run.messageId, parentId: run.parentId, role: 'assistant', parts: answer.parts }
		});
		expect(await db.runs.count()).toBe(0);
	});

	test('H17 an answer whose question is no longer the leaf stays as a branch', async () => {
		const { db, run, session, a2 } = await running();
		// No function of ours moves a leaf under an open run; an import or a later app might.
		await db.sessions.put({ ...session, leafId: a2.id });
		const finished = await finishRun(db, run, answer, 13);
		expect(finished?.session).toEqual({ ...session, leafId: a2.id });
		expect(await db.messages.get(run.messageId)).toBeDefined();
		expect(await db.runs.count()).toBe(0);
	});

	test('H16 late chunks and ends of a run that is gone change nothing', async () => {
		const { db, run } = await running();
		await finishRun(db, run, answer, 13);
		const before = await dump(db);
		expect(await saveRun(db, run, [text('late')], 14)).toBe(false);
		expect(await finishRun(db, run, answer, 14)).toBeNull();
		expect(await dropRun(db, run)).toBe(false);
		expect(await dump(db)).toBe(before);
	});

	test('H16 another run’s id changes nothing', async () => {
		const { db, run } = await running();
		const foreign = { ...run, runId: 'another' };
		const before = await dump(db);
		expect(await saveRun(db, foreign, [text('late')], 14)).toBe(false);
		expect(await finishRun(db, foreign, answer, 14)).toBeNull();
		expect(await dropRun(db, foreign)).toBe(false);
		expect(await dump(db)).toBe(before);
	});

	test('H15, H11 a dropped Retry gives the old answer back', async () => {
		const { db, session, u2, a2 } = await twoTurns();
		const begun = await beginRetry(db, expected(session), u2.id, newRun(), 9);
		if (begun.kind !== 'done') throw new Error('stale');
		expect(begun.session.leafId).toBe(u2.id);
		expect(await dropRun(db, begun.run, 10)).toBe(true);
		expect(await db.sessions.get(session.id)).toMatchObject({
			leafId: a2.id,
			branchRevision: begun.session.branchRevision + 1
		});
	});

	test('H14 a draft that another tab stored is left alone', async () => {
		const { db, session, a2 } = await twoTurns();
		const foreign = { text: 'from another tab', files: [] };
		await db.sessions.update(session.id, { draft: foreign });
		const draftBefore = { text: 'a question', files: [] };
		const user = { ...question(a2.id), draftBefore };
		const begun = await beginRun(db, expected(session), user, newRun(), 9);
		expect(begun).toMatchObject({ kind: 'done', session: { draft: foreign } });
	});

	test('H16 a dropped run leaves the question unanswered, the revision as it was', async () => {
		const { db, run, session } = await running();
		expect(await dropRun(db, run)).toBe(true);
		expect(await db.sessions.get(session.id)).toEqual(session);
	});

	test('H13 while a run is open the leaf does not move; what is not the branch may change', async () => {
		const { db, session, a1 } = await running();
		expect(await moveLeaf(db, expected(session), a1.id, 14)).toBeNull();
		expect(await patchSession(db, session.id, { pinned: true })).toMatchObject({ pinned: true });
	});

	test('H17 of two ends at once one counts', async () => {
		const { db, run } = await running();
		const both = await Promise.all([
			finishRun(db, run, answer, 13),
			finishRun(db, run, answer, 13)
		]);
		expect(both.filter((each) => each !== null)).toHaveLength(1);
		expect(await db.messages.count()).toBe(6);
	});
});
