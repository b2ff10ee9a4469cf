import { describe, expect, test } from 'vitest';
import type { Message, MessageId } from '../../src/lib/history/message';
import {
	newestLeafBelow,
	readContext,
	readEarlier,
	readSiblings,
	readWhole,
	readWindow,
	type BranchRead
} from '../../src/lib/storage/branch';
import { freshDatabase, store } from '../support/database';
import { grow, messageId, treeId, type Grower } from '../support/tree';

const idsOf = (read: BranchRead) =>
	read.kind === 'branch' ? read.messages.map(({ id }) => id) : read.what;
const ids = (messages: readonly Message[]) => messages.map(({ id }) => id);

/** A trunk of `turns` turns with a sibling answer and a sibling question beside each. */
function bushy(turns: number) {
	const tree = grow();
	for (let n = 0; n < turns; n++) {
		const at = tree.leaf;
		tree.user(`edited away ${n}`, at);
		const user = tree.user(`u${n}`, at);
		tree.answer(`a retry ${n}`, {}, user);
		tree.answer(`a${n}`, {}, user);
	}
	return tree;
}

describe('H40 windows', () => {
	test('H40 the newest end, then what is above, until the root: the branch, once', async () => {
		const db = await freshDatabase();
		const tree = bushy(20);
		const session = await store(db, tree);
		const branch = tree.branch();
		const window = await readWindow(db, session.leafId, 7);
		expect(window).toEqual({ kind: 'branch', messages: branch.slice(-7), complete: false });
		const seen = [...branch.slice(-7)];
		for (let complete = false; !complete;) {
			const [first] = seen;
			const earlier = first && (await readEarlier(db, first, 7));
			if (earlier?.kind !== 'branch') throw new Error('no earlier messages');
			expect(earlier.messages.length).toBeLessThanOrEqual(7);
			seen.unshift(...earlier.messages);
			complete = earlier.complete;
		}
		expect(seen).toEqual(branch);
		const [root] = branch;
		expect(root && (await readEarlier(db, root))).toMatchObject({ messages: [], complete: true });
	});

	test('H40 a window larger than the branch, the whole of it, and an empty session', async () => {
		const db = await freshDatabase();
		const tree = bushy(3);
		const { leafId } = await store(db, tree);
		expect(await readWindow(db, leafId, 500)).toMatchObject({ complete: true });
		expect(leafId && idsOf(await readWhole(db, leafId))).toEqual(ids(tree.branch()));
		expect(await readWindow(db, null)).toEqual({ kind: 'branch', messages: [], complete: true });
		expect(await readContext(db, null)).toEqual({ kind: 'branch', messages: [], complete: true });
	});
});

describe('H41 contexts', () => {
	test.each([
		['a boundary in the tail', (branch: readonly Message[]) => branch[14], 14],
		['a null boundary', () => null, 20]
	] as const)('H41 %s: read from there', async (_, kept, from) => {
		const db = await freshDatabase();
		const tree = bushy(10);
		tree.checkpoint(kept(tree.branch()) ?? null);
		tree.talk('u', 'a');
		const { leafId } = await store(db, tree);
		expect(idsOf(await readContext(db, leafId))).toEqual(ids(tree.branch().slice(from)));
	});

	test('H41 without a checkpoint: from the root', async () => {
		const db = await freshDatabase();
		const tree = bushy(10);
		const { leafId } = await store(db, tree);
		expect(idsOf(await readContext(db, leafId))).toEqual(ids(tree.branch()));
	});

	test('H41 case 45: a leaf before the checkpoint is read without it', async () => {
		const db = await freshDatabase();
		const tree = bushy(4);
		const before = tree.leaf;
		tree.checkpoint(tree.branch()[2] ?? null);
		await store(db, tree);
		expect(before && idsOf(await readContext(db, before.id))).toEqual(ids(tree.branch(before)));
	});
});

describe('H42 case 49: damage is told, never an empty or shorter branch', () => {
	type Harm = (tree: Grower, rows: Map<MessageId, Message>) => void;
	const change =
		(fields: (row: Message) => Partial<Message> | null, depth: number): Harm =>
		(tree, rows) => {
			const row = tree.branch()[depth];
			const changed = row && fields(row);
			if (row && changed) rows.set(row.id, { ...row, ...changed } as Message);
			else if (row) rows.delete(row.id);
		};
	const damaged: readonly [string, Harm][] = [
		['the leaf is missing', change(() => null, 10)],
		['a parent is missing', change(() => null, 8)],
		['the boundary is missing', change(() => null, 4)],
		['the checkpoint is missing', change(() => null, 6)],
		['a wrong depth', change(() => ({ depth: 30 }), 8)],
		['a cycle', change(() => ({ parentId: messageId(11) }), 8)],
		['a parent on another branch', change(() => ({ parentId: messageId(1) }), 8)],
		['another tree', change(() => ({ treeId: treeId(9) }), 8)],
		['a checkpointId of nobody', change(() => ({ checkpointId: messageId(888) }), 10)],
		['a checkpointId that was lost', change(() => ({ checkpointId: null }), 10)]
	];

	async function harmed(harm: Harm) {
		const db = await freshDatabase();
		const tree = grow();
		tree.talk('u1', 'a1', 'u2', 'a2', 'u3', 'a3');
		tree.checkpoint(tree.branch()[4] ?? null);
		tree.talk('u4', 'a4', 'u5', 'a5');
		const rows = new Map(tree.rows);
		harm(tree, rows);
		await db.messages.bulkPut([...rows.values()]);
		return { db, leafId: tree.leaf?.id ?? null };
	}

	test.each(damaged)('H42 %s', async (_, harm) => {
		const { db, leafId } = await harmed(harm);
		const read = await readContext(db, leafId);
		expect(read).toMatchObject({ kind: 'damaged' });
		expect(read.kind === 'damaged' && read.what).toMatch(/^[A-Z].*\.$/);
	});

	test('H42 a checkpoint of another branch: its beginning is not lost without a word', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [, a1] = tree.talk('u1', 'a1', 'u2', 'a2');
		const other = tree.checkpoint(tree.branch()[2] ?? null);
		const [u3, a3] = tree.at(a1 ?? null).talk('u3', 'a3');
		const rows = [...tree.rows.values()].map((row) =>
			row === u3 || row === a3 ? { ...row, checkpointId: other.id } : row
		);
		await db.messages.bulkPut(rows);
		expect(a3 && (await readContext(db, a3.id))).toMatchObject({ kind: 'damaged' });
	});

	test('H42 a boundary that is on another branch', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [, a1] = tree.talk('u1', 'a1', 'u2', 'a2');
		const leaf = tree.leaf;
		const elsewhere = tree.user('elsewhere', a1);
		tree.at(leaf).checkpoint(elsewhere);
		tree.talk('u3', 'a3');
		await store(db, tree);
		expect(await readContext(db, tree.leaf?.id ?? null)).toMatchObject({ kind: 'damaged' });
	});

	test('H42 a window and what is above it', async () => {
		const { db, leafId } = await harmed(change(() => null, 8));
		expect(await readWindow(db, leafId)).toMatchObject({ kind: 'damaged' });
		expect(await readWindow(db, leafId, 2)).toMatchObject({ kind: 'branch', complete: false });
		expect(await readEarlier(db, (await db.messages.get(messageId(10))) as Message)).toMatchObject({
			kind: 'damaged'
		});
	});

	test('H42 a read that fails is thrown', async () => {
		const { db, leafId } = await harmed(() => undefined);
		db.close();
		await expect(readContext(db, leafId)).rejects.toThrow();
	});
});

describe('H43, H44 siblings', () => {
	test('H43 the children of each parent, oldest first; roots too', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [u1] = tree.talk('u1', 'a1') as [Message];
		const retry = tree.answer('retry', {}, u1);
		const root = tree.user('another root', null);
		await store(db, tree);
		const siblings = await readSiblings(db, [...tree.branch(retry), root]);
		expect(siblings.get(u1.id)).toEqual([u1.id, root.id]);
		expect(siblings.get(root.id)).toEqual([u1.id, root.id]);
		expect(siblings.get(retry.id)).toEqual([messageId(2), retry.id]);
	});

	test('H44 the newest child each time', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [u1, a1] = tree.talk('u1', 'a1', 'u2', 'a2') as [Message, Message];
		const [, newest] = tree.at(a1).talk('u2, edited', 'its answer');
		await store(db, tree);
		expect(await newestLeafBelow(db, u1.id)).toBe(newest?.id);
		expect(await newestLeafBelow(db, messageId(4))).toBe(messageId(4));
	});

	test('H44 children of one moment are taken in the order of H43', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const u1 = tree.user('u1');
		const [b, a] = [tree.answer('b', {}, u1), tree.answer('a', {}, u1)];
		await db.messages.bulkPut([u1, { ...b, createdAt: 5 }, { ...a, createdAt: 5 }]);
		const order = (await readSiblings(db, [b])).get(b.id);
		expect(await newestLeafBelow(db, u1.id)).toBe(order?.at(-1));
	});

	test('H44 a cycle ends', async () => {
		const db = await freshDatabase();
		const tree = grow();
		const [u1, a1] = tree.talk('u1', 'a1') as [Message, Message];
		await db.messages.bulkPut([{ ...u1, parentId: a1.id }, a1]);
		expect([u1.id, a1.id]).toContain(await newestLeafBelow(db, u1.id));
	});
});
