import { describe, expect, test } from 'vitest';
import { project } from '../../src/lib/context/projection';
import type { Message } from '../../src/lib/history/message';
import { readContext } from '../../src/lib/storage/branch';
import { CheckpointError, commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import type { HiloDatabase } from '../../src/lib/storage/database';
import type { Expected } from '../../src/lib/storage/expected';
import { beginRetry, beginRun, dropRun, finishRun } from '../../src/lib/storage/runs';
import { deleteSession, moveLeaf, patchSession } from '../../src/lib/storage/sessions';
import { dump, expected, freshDatabase, newRun, store, type Intrusion } from '../support/database';
import { checkpointFields, grow, messageId, text, words } from '../support/tree';

const never = new AbortController().signal;
const ID = messageId(900);
const commit = (
	db: HiloDatabase,
	belief: Expected,
	fields: Parameters<typeof checkpointFields>[0] = {},
	signal = never
) => commitCheckpoint(db, belief, checkpointFields(fields), ID, 77, signal);

/** Three turns, stored. */
async function threeTurns(intrusion?: () => Intrusion | null) {
	const db = await freshDatabase(intrusion);
	const tree = grow();
	const [u1, a1, u2, a2, u3, a3] = tree.talk('u1', 'a1', 'u2', 'a2', 'u3', 'a3') as [
		Message,
		Message,
		Message,
		Message,
		Message,
		Message
	];
	const session = await store(db, tree);
	return { db, tree, session, u1, a1, u2, a2, u3, a3 };
}

test('H30 the checkpoint hangs below the leaf, is the leaf, and the revision rises by one', async () => {
	const { db, session, u2, a3 } = await threeTurns();
	const done = await commit(db, expected(session), { firstKeptMessageId: u2.id });
	expect(done).toMatchObject({
		kind: 'committed',
		session: { leafId: ID, branchRevision: 1, updatedAt: 77 },
		message: { id: ID, parentId: a3.id, depth: 6, checkpointId: ID, role: 'checkpoint' }
	});
	expect(await db.sessions.get(session.id)).toMatchObject({ leafId: ID, branchRevision: 1 });
	const context = await readContext(db, ID);
	expect(context.kind === 'branch' && project(context.messages).tail.map(({ id }) => id)[0]).toBe(
		u2.id
	);
});

test('H30 the bytes written do not depend on the history', async () => {
	const written: number[] = [];
	for (const turns of [3, 300]) {
		const sizes: number[] = [];
		const db = await freshDatabase();
		const tree = grow();
		tree.talk(...Array.from({ length: turns * 2 }, () => words(20)));
		const session = await store(db, tree);
		db.messages.hook('creating', (_, row) => void sizes.push(JSON.stringify(row).length));
		db.sessions.hook('updating', (changes) => void sizes.push(JSON.stringify(changes).length));
		await commit(db, expected(session));
		written.push(sizes.reduce((a, b) => a + b, 0));
	}
	expect(Math.abs((written[0] ?? 0) - (written[1] ?? 0))).toBeLessThan(8);
});

describe('H31 case 42: stale, nothing written', () => {
	const changes: readonly [
		string,
		(t: Awaited<ReturnType<typeof threeTurns>>) => Promise<unknown>
	][] = [
		['the leaf moved', ({ db, session, a2 }) => moveLeaf(db, expected(session), a2.id, 1)],
		[
			'the leaf moved away and back',
			async ({ db, session, a2, a3 }) => {
				const moved = await moveLeaf(db, expected(session), a2.id, 1);
				if (moved) await moveLeaf(db, expected(moved), a3.id, 2);
			}
		],
		['the session was deleted', ({ db, session }) => deleteSession(db, session.id)],
		[
			'a run is open',
			({ db, session, u3 }) => beginRetry(db, expected(session), u3.id, newRun(), 1)
		],
		[
			'case 43: a message was sent',
			({ db, session, a3 }) =>
				beginRun(
					db,
					expected(session),
					{
						id: messageId(600),
						parentId: a3.id,
						draft: { role: 'user', parts: [text('u4')], metadata: {} },
						draftAfter: { text: '', files: [] }
					},
					newRun(),
					1
				)
		],
		[
			'another tab compacted',
			({ db, session }) =>
				commitCheckpoint(db, expected(session), checkpointFields(), messageId(901), 1, never)
		]
	];
	test.each(changes)('H31 %s', async (_, change) => {
		const t = await threeTurns();
		await change(t);
		const before = await dump(t.db);
		expect(await commit(t.db, expected(t.session))).toEqual({ kind: 'stale' });
		expect(await dump(t.db)).toBe(before);
	});

	test('H31, H13 an open run alone: retrying an unanswered leaf changes neither leaf nor revision', async () => {
		const db = await freshDatabase();
		const tree = grow();
		tree.talk('u1', 'a1');
		const u2 = tree.user('u2');
		const session = await store(db, tree);
		await beginRetry(db, expected(session), u2.id, newRun(), 1);
		expect(await db.sessions.get(session.id)).toEqual(session);
		const outcome = await commit(db, expected(session), { firstKeptMessageId: u2.id });
		expect(outcome).toEqual({ kind: 'stale' });
		expect(await moveLeaf(db, expected(session), null, 2)).toBeNull();
	});

	test('H31 an empty session', async () => {
		const db = await freshDatabase();
		const session = await store(db, grow());
		expect(await commit(db, expected(session))).toEqual({ kind: 'stale' });
	});

	test('H11 a rename, a draft, or a run that came and went is no change', async () => {
		const { db, session } = await threeTurns();
		await patchSession(db, session.id, { title: 'new', draft: { text: 'typing', files: [] } });
		const committed = await commit(db, expected(session));
		expect(committed).toMatchObject({
			kind: 'committed',
			session: { title: 'new', draft: { text: 'typing' } }
		});
	});

	test('H31 of two at once one wins', async () => {
		const { db, session } = await threeTurns();
		const outcomes = await Promise.all(
			[901, 902, 903].map((n) =>
				commitCheckpoint(db, expected(session), checkpointFields(), messageId(n), 1, never)
			)
		);
		expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['committed', 'stale', 'stale']);
		expect(await db.messages.filter((row) => row.role === 'checkpoint').count()).toBe(1);
	});
});

describe('H32 abort', () => {
	test('H32 before: nothing is even read', async () => {
		const { db, session } = await threeTurns();
		expect(await commit(db, expected(session), {}, AbortSignal.abort())).toEqual({
			kind: 'aborted'
		});
		expect(await db.messages.get(ID)).toBeUndefined();
	});

	test('H32 case 39: at every operation of the transaction: no trace', async () => {
		let intrusion: Intrusion | null = null;
		const { db, session, u2 } = await threeTurns(() => intrusion);
		const before = await dump(db);
		let operations = 0;
		for (let k = 1; ; k++) {
			const stop = new AbortController();
			intrusion = {
				on: 'any',
				at: (operation) => {
					operations = Math.max(operations, operation);
					if (operation === k) stop.abort();
				}
			};
			const outcome = await commit(
				db,
				expected(session),
				{ firstKeptMessageId: u2.id },
				stop.signal
			);
			intrusion = null;
			if (!stop.signal.aborted) {
				expect(outcome.kind).toBe('committed');
				break;
			}
			expect([k, outcome]).toEqual([k, { kind: 'aborted' }]);
			expect(await dump(db)).toBe(before);
		}
		expect(operations).toBeGreaterThanOrEqual(7);
	});

	test('H32 after it completed: the answer is what happened', async () => {
		const { db, session } = await threeTurns();
		const stop = new AbortController();
		const outcome = await commit(db, expected(session), {}, stop.signal);
		stop.abort();
		expect(outcome.kind).toBe('committed');
		expect(await db.messages.get(ID)).toBeDefined();
	});

	test('H32 at any moment of the clock: committed and there, or aborted and not', async () => {
		const seen = new Set<string>();
		for (let turn = 0; turn < 60; turn++) {
			const { db, session } = await threeTurns();
			const stop = new AbortController();
			const pending = commit(db, expected(session), {}, stop.signal);
			for (let tick = 0; tick < turn % 20; tick++)
				await new Promise((resolve) => setImmediate(resolve));
			stop.abort();
			const { kind } = await pending;
			seen.add(kind);
			expect((await db.messages.get(ID)) !== undefined).toBe(kind === 'committed');
			expect((await db.sessions.get(session.id))?.branchRevision).toBe(
				kind === 'committed' ? 1 : 0
			);
		}
		expect(seen).toEqual(new Set(['committed', 'aborted']));
	});
});

describe('H33–H35 what may not be written', () => {
	async function refused(
		t: Awaited<ReturnType<typeof threeTurns>>,
		fields: Parameters<typeof checkpointFields>[0]
	) {
		const session = (await t.db.sessions.get(t.session.id)) ?? t.session;
		const before = await dump(t.db);
		await expect(commit(t.db, expected(session), fields)).rejects.toThrow(CheckpointError);
		expect(await dump(t.db)).toBe(before);
	}

	test('H33 a boundary that is an assistant, a checkpoint, unknown, or of another tree', async () => {
		const t = await threeTurns();
		await refused(t, { firstKeptMessageId: t.a2.id });
		await refused(t, { firstKeptMessageId: messageId(555) });
		const other = grow(2);
		const foreign = other.user('elsewhere');
		await t.db.messages.add(foreign);
		await refused(t, { firstKeptMessageId: foreign.id });
	});

	test('H33 case 42: a boundary on another branch, at the same depth too', async () => {
		const t = await threeTurns();
		const sibling = t.tree.user('u3, edited', t.a2);
		const deeper = t.tree.user('deeper', t.tree.answer('x'));
		await t.db.messages.bulkAdd([...t.tree.rows.values()].slice(6));
		await refused(t, { firstKeptMessageId: sibling.id });
		await refused(t, { firstKeptMessageId: deeper.id });
	});

	test('H33 a boundary that moves back', async () => {
		const t = await threeTurns();
		await commitCheckpoint(
			t.db,
			expected(t.session),
			checkpointFields({ firstKeptMessageId: t.u2.id }),
			messageId(901),
			1,
			never
		);
		const fields = { previousCheckpointId: messageId(901) };
		await refused(t, { ...fields, firstKeptMessageId: t.u1.id });
		const session = await t.db.sessions.get(t.session.id);
		expect(
			session && (await commit(t.db, expected(session), { ...fields, firstKeptMessageId: t.u2.id }))
		).toMatchObject({ kind: 'committed' });
	});

	test('H33 a boundary before a null one', async () => {
		const t = await threeTurns();
		await commitCheckpoint(t.db, expected(t.session), checkpointFields(), messageId(901), 1, never);
		await refused(t, { previousCheckpointId: messageId(901), firstKeptMessageId: t.u3.id });
	});

	test('H34 null while the leaf is unanswered, a checkpoint below the question too', async () => {
		const t = await threeTurns();
		await moveLeaf(t.db, expected(t.session), t.u3.id, 1);
		await refused(t, {});
		const session = await t.db.sessions.get(t.session.id);
		if (!session) throw new Error('no session');
		await commitCheckpoint(
			t.db,
			expected(session),
			checkpointFields({ firstKeptMessageId: t.u3.id }),
			messageId(901),
			1,
			never
		);
		await refused(t, { previousCheckpointId: messageId(901) });
	});

	test('H35 case 6: a blank summary, or a previous checkpoint that is not the newest', async () => {
		const t = await threeTurns();
		await refused(t, { summary: ' \n' });
		await refused(t, { previousCheckpointId: messageId(901) });
	});
});

test('H36 below a checkpoint: a second one with its boundary further on', async () => {
	const { db, session, u2, u3, a3 } = await threeTurns();
	const first = await commitCheckpoint(
		db,
		expected(session),
		checkpointFields({ firstKeptMessageId: u2.id }),
		messageId(901),
		1,
		never
	);
	if (first.kind !== 'committed') throw new Error(first.kind);
	const second = await commit(db, expected(first.session), {
		firstKeptMessageId: u3.id,
		previousCheckpointId: messageId(901)
	});
	expect(second).toMatchObject({ kind: 'committed', message: { parentId: messageId(901) } });
	const context = await readContext(db, ID);
	if (context.kind !== 'branch') throw new Error(context.what);
	expect(project(context.messages)).toMatchObject({
		checkpoint: { id: ID },
		tail: [u3, a3],
		later: []
	});
});

test('H30 case 48: undo is a move to its parent; the checkpoint stays as a branch', async () => {
	const { db, session, u2, a3 } = await threeTurns();
	const done = await commit(db, expected(session), { firstKeptMessageId: u2.id });
	if (done.kind !== 'committed') throw new Error(done.kind);
	await moveLeaf(db, expected(done.session), a3.id, 99);
	const context = await readContext(db, a3.id);
	expect(context.kind === 'branch' && context.messages).toHaveLength(6);
	expect(await db.messages.get(ID)).toEqual(done.message);
});

test('H13 a run that was dropped leaves the way free', async () => {
	const { db, session, u3, a3 } = await threeTurns();
	const begun = await beginRetry(db, expected(session), u3.id, newRun(), 1);
	if (begun.kind !== 'done') throw new Error('stale');
	await dropRun(db, begun.run);
	const now = await db.sessions.get(session.id);
	const back = now && (await moveLeaf(db, expected(now), a3.id, 2));
	expect(back && (await commit(db, expected(back)))).toMatchObject({ kind: 'committed' });
	expect(await finishRun(db, begun.run, { parts: [], metadata: {} }, 3)).toBeNull();
});
