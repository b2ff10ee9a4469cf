import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
	examineBranch,
	readablePart,
	type BranchEnd,
	type Examination
} from '$lib/history/integrity';
import type { Message, MessageId, SessionId, TreeId } from '$lib/history/message';
import { rebuild } from '$lib/history/rebuild';
import { isWhole, readRow } from '$lib/history/shape';
import { pathTo } from '$lib/history/tree';
import { grow, messageId, text, treeId, type Grower } from '../../support/tree';
import { histories } from '../transfer/random-history';

type Row = Record<string, unknown>;

/** Eight messages, the sixth a checkpoint that keeps the fifth; `rows` are copies that a test may damage. */
function eight() {
	const tree = grow();
	const [u1, a1, u2, a2, u3] = tree.talk('u1', 'a1', 'u2', 'a2', 'u3');
	const point = tree.checkpoint(u3 ?? null);
	const [a3, u4] = [tree.answer('a3'), tree.user('u4')];
	return { tree, messages: [u1, a1, u2, a2, u3, point, a3, u4] as Message[] };
}

const rowsOf = (tree: Grower): Row[] =>
	structuredClone([...tree.rows.values()]) as unknown as Row[];
const endOf = (tree: Grower, fields: Partial<BranchEnd> = {}): BranchEnd => ({
	...tree.session(),
	...fields
});
const kinds = ({ findings }: Examination) => findings.map(({ kind }) => kind);
/** The part as a text: `u1 a1 … u3`, and the lost between brackets. */
function shape({ pieces }: Examination): string {
	return pieces
		.map((piece) =>
			piece.kind === 'gap'
				? `[${piece.lost ?? '?'}${piece.isGuessed ? '~' : ''}]`
				: piece.messages.map(said).join(' ')
		)
		.join(' ');
}
const said = (message: Message) => {
	const [part] = message.parts;
	return message.role === 'checkpoint' ? '#' : part?.type === 'text' ? part.text : '';
};
const births = () => {
	let made = 0;
	return {
		treeId: 'new-tree' as TreeId,
		sessionId: 'new-session' as SessionId,
		newId: () => messageId(1_000_000 + ++made, 0xffff)
	};
};

/** A repair of what was found has nothing wrong with it, and says the same in the same order. */
function expectSound(examination: Examination): void {
	const { messages, droppedCheckpoints } = rebuild(examination, births());
	const leafId = messages.at(-1)?.id ?? null;
	const end = { id: 'new-session' as SessionId, treeId: 'new-tree' as TreeId, leafId };
	const again = examineBranch(end, messages);
	expect(again.findings).toEqual([]);
	expect(readablePart(again)).toEqual(messages);
	if (leafId) expect(pathTo(leafId, messages)).toEqual(messages);
	const part = readablePart(examination);
	expect(messages.length + droppedCheckpoints).toBe(part.length);
	const content = (all: readonly Message[]) =>
		all.filter(({ role }) => role !== 'checkpoint').map(({ role, parts }) => [role, parts]);
	expect(content(messages)).toEqual(content(part));
}

describe('H50 what is wrong is found, and what can be read is', () => {
	const set = (row: number, name: string, value: unknown) => (rows: Row[]) => {
		const there = rows[row];
		if (there) there[name] = value;
	};
	const id = (n: number) => messageId(n);
	const whole = 'u1 a1 u2 a2 u3 # a3 u4';
	const damages: readonly [string, (rows: Row[]) => unknown, string[], string][] = [
		['nothing', () => {}, [], whole],
		['a message is missing', (r) => r.splice(3, 1), ['missing'], 'u1 a1 u2 [1~] u3 # a3 u4'],
		['several are missing', (r) => r.splice(1, 3), ['missing'], 'u1 [3~] u3 # a3 u4'],
		['the first is missing', (r) => r.splice(0, 1), ['missing'], '[1] a1 u2 a2 u3 # a3 u4'],
		['the leaf is missing', (r) => r.pop(), ['leaf'], 'u1 a1 u2 a2 u3 # a3 [?~]'],
		['all are missing', (r) => r.splice(0), ['leaf'], '[?]'],
		[
			'the boundary is missing',
			(r) => r.splice(4, 1),
			['missing', 'boundary'],
			'u1 a1 u2 a2 [1~] # a3 u4'
		],
		['the checkpoint is missing', (r) => r.splice(5, 1), ['missing'], 'u1 a1 u2 a2 u3 [1~] a3 u4'],
		['a parent is itself', set(3, 'parentId', id(4)), ['cycle'], 'u1 a1 u2 [0~] a2 u3 # a3 u4'],
		['a circle', set(2, 'parentId', id(5)), ['cycle'], 'u1 a1 [0~] u2 a2 u3 # a3 u4'],
		['a parent is null', set(3, 'parentId', null), ['root'], 'u1 a1 u2 [0~] a2 u3 # a3 u4'],
		['a parent is no id', set(3, 'parentId', { id: 3 }), ['link'], 'u1 a1 u2 [0~] a2 u3 # a3 u4'],
		['a parent is far above', set(6, 'parentId', id(2)), ['link'], 'u1 a1 u2 a2 u3 # [0~] a3 u4'],
		[
			'the leaf’s parent is far above',
			set(7, 'parentId', id(2)),
			['link'],
			'u1 a1 u2 a2 u3 # a3 [0~] u4'
		],
		[
			'the root has a parent',
			set(0, 'parentId', id(99)),
			['missing'],
			'[?] u1 a1 u2 a2 u3 # a3 u4'
		],
		['a depth is too large', set(3, 'depth', 9), ['depth'], whole],
		['a depth is too small', set(3, 'depth', 0), ['depth'], whole],
		['a depth is a text', set(3, 'depth', '3'), ['depth'], whole],
		['the leaf’s depth is huge', set(7, 'depth', 2 ** 52), ['depth'], whole],
		['the root’s depth is wrong', set(0, 'depth', 4), ['depth'], whole],
		['a checkpointId is invented', set(2, 'checkpointId', id(6)), ['checkpoint'], whole],
		['a checkpointId is forgotten', set(6, 'checkpointId', null), ['checkpoint'], whole],
		['a checkpointId is a number', set(2, 'checkpointId', 5), ['checkpoint'], whole],
		['a checkpoint names another', set(5, 'checkpointId', null), ['checkpoint'], whole],
		['a row of another tree', set(3, 'treeId', 'tree-2'), ['tree'], whole],
		['a tree that is a list', set(3, 'treeId', []), ['tree'], whole],
		['no role', set(3, 'role', undefined), ['row'], 'u1 a1 u2 [1] u3 # a3 u4'],
		['an unknown role', set(3, 'role', 'constructor'), ['row'], 'u1 a1 u2 [1] u3 # a3 u4'],
		['no parts', set(3, 'parts', null), ['row'], 'u1 a1 u2 [1] u3 # a3 u4'],
		[
			'parts of no known kind',
			set(3, 'parts', [{ type: 'toString' }]),
			['row'],
			'u1 a1 u2 [1] u3 # a3 u4'
		],
		['the leaf has no parts', set(7, 'parts', {}), ['row'], 'u1 a1 u2 a2 u3 # a3 [1]'],
		['one part of two', set(3, 'parts', [text('a2'), 5]), ['part'], whole],
		['no id', set(3, 'id', undefined), ['missing'], 'u1 a1 u2 [1~] u3 # a3 u4'],
		['another id', set(3, 'id', '__proto__'), ['missing'], 'u1 a1 u2 [1~] u3 # a3 u4'],
		['no metadata', set(3, 'metadata', undefined), ['part'], whole],
		['usage in words', set(3, 'metadata', { usage: 'many' }), ['part'], whole],
		['no time', set(3, 'createdAt', 'today'), ['part'], whole],
		[
			'a checkpoint without summary',
			(r) => ((r[5]?.['checkpoint'] as Row)['summary'] = ' '),
			['row'],
			'u1 a1 u2 a2 u3 [1] a3 u4'
		],
		['a checkpoint that is none', set(5, 'checkpoint', null), ['row'], 'u1 a1 u2 a2 u3 [1] a3 u4'],
		[
			'a checkpoint without references',
			(r) => ((r[5]?.['checkpoint'] as Row)['references'] = 1),
			['part'],
			whole
		],
		[
			'an answer that became a checkpoint',
			set(3, 'role', 'checkpoint'),
			['row'],
			'u1 a1 u2 [1] u3 # a3 u4'
		],
		[
			'a boundary that is nowhere',
			(r) => ((r[5]?.['checkpoint'] as Row)['firstKeptMessageId'] = id(99)),
			['boundary'],
			whole
		],
		[
			'a boundary below',
			(r) => ((r[5]?.['checkpoint'] as Row)['firstKeptMessageId'] = id(8)),
			['boundary'],
			whole
		],
		[
			'a boundary that is an answer',
			(r) => ((r[5]?.['checkpoint'] as Row)['firstKeptMessageId'] = id(2)),
			['boundary'],
			whole
		],
		[
			'another previous checkpoint',
			(r) => ((r[5]?.['checkpoint'] as Row)['previousCheckpointId'] = id(2)),
			['previous'],
			whole
		],
		['a row twice', (r) => r.push({ ...r[3] }), ['duplicate'], whole],
		['rows that are none', (r) => r.push(null as never, 5 as never, [] as never), [], whole]
	];

	test.each(damages)('H50 %s', (_, damage, found, part) => {
		const { tree } = eight();
		const end = endOf(tree);
		const rows = rowsOf(tree);
		damage(rows);
		const before = structuredClone(rows);
		const examination = examineBranch(end, rows);
		expect(kinds(examination)).toEqual(found);
		expect(shape(examination)).toBe(part);
		expect(rows).toEqual(before);
		expectSound(examination);
	});

	test('H50 a boundary on another branch, and a sibling, do not mislead', () => {
		const { tree, messages } = eight();
		const leaf = tree.leaf;
		const aside = tree.at(messages[3] ?? null).user('aside');
		tree.at(leaf);
		const rows = rowsOf(tree);
		(rows[5]?.['checkpoint'] as Row)['firstKeptMessageId'] = aside.id;
		expect(kinds(examineBranch(endOf(tree), rows))).toEqual(['boundary']);
	});

	test('H54 several roots are no damage', () => {
		const { tree } = eight();
		tree.at(null).talk('edited', 'again');
		const examination = examineBranch(endOf(tree), tree.rows.values());
		expect(examination.findings).toEqual([]);
		expect(shape(examination)).toBe('edited again');
	});

	test('H54 an empty session, and a whole one, are what was given', () => {
		const { tree, messages } = eight();
		expect(examineBranch(endOf(tree, { leafId: null }), tree.rows.values()).total).toBe(0);
		const { pieces, readable, total } = examineBranch(endOf(tree), tree.rows.values());
		expect(pieces).toEqual([{ kind: 'stretch', messages }]);
		expect(readablePart({ pieces } as Examination).every((row, n) => row === messages[n])).toBe(
			true
		);
		expect([readable, total]).toEqual([8, 8]);
	});

	test.each([5, {}, '', '__proto__', ['a'], Number.NaN])('H50 a leaf that is %j', (leafId) => {
		const { tree } = eight();
		const examination = examineBranch(endOf(tree, { leafId: leafId as never }), tree.rows.values());
		expect(kinds(examination)).toEqual(['leaf']);
		expect(shape(examination)).toBe('u1 a1 u2 a2 u3 # a3 u4 [?~]');
	});

	test('H52 one wrong row is one finding, however many stand below it', () => {
		const tree = grow();
		for (let n = 0; n < 200; n++) tree.talk(`u${n}`, `a${n}`);
		const rows = rowsOf(tree);
		Object.assign(rows[100] ?? {}, { depth: 7, checkpointId: 'x' });
		expect(kinds(examineBranch(endOf(tree), rows))).toEqual(['depth', 'checkpoint']);
		// Nor where all below it agree with the wrong one.
		const shifted = rowsOf(tree);
		for (const row of shifted.slice(100)) {
			Object.assign(row, { depth: Number(row['depth']) + 3, checkpointId: 'x' });
		}
		expect(kinds(examineBranch(endOf(tree), shifted))).toEqual(['depth', 'checkpoint']);
	});

	test('H51 a finding names its message by what can be read of it', () => {
		const { tree } = eight();
		const rows = rowsOf(tree);
		Object.assign(rows[3] ?? {}, { role: 7 });
		const [finding] = examineBranch(endOf(tree), rows).findings;
		expect(finding).toEqual({
			kind: 'row',
			of: { id: messageId(4), at: 4, words: 'a2' },
			why: 'cannot be read: nobody is named as its author'
		});
	});
});

describe('H53 where no link leads', () => {
	test('H53 the branch that breaks off is preferred to one that goes on', () => {
		const tree = grow();
		const [, a1] = tree.talk('u1', 'a1');
		tree.talk('old2', 'oldanswer2', 'old3', 'oldanswer3');
		tree.at(a1 ?? null);
		const [, , lost] = tree.talk('new2', 'newanswer2', 'new3', 'newanswer3');
		const rows = rowsOf(tree).filter((row) => row['id'] !== lost?.id);
		expect(shape(examineBranch(endOf(tree), rows))).toBe('u1 a1 new2 newanswer2 [1~] newanswer3');
	});

	test('H53 of two that break off neither is taken: what they share is', () => {
		const tree = grow();
		const [, a1] = tree.talk('u1', 'a1');
		tree.talk('secret', 'secret answer');
		tree.at(a1 ?? null);
		const [, , lost] = tree.talk('new2', 'newanswer2', 'new3', 'newanswer3');
		const rows = rowsOf(tree).filter((row) => row['id'] !== lost?.id);
		expect(shape(examineBranch(endOf(tree), rows))).toBe('u1 a1 [3~] newanswer3');
	});
});

describe('H57 a rebuilt branch', () => {
	test('H58 a checkpoint comes along with its boundary and the one before, and is left out without', () => {
		const tree = grow();
		const [u1, , u2] = tree.talk('u1', 'a1', 'u2', 'a2');
		const first = tree.checkpoint(u1 ?? null);
		const [u3] = tree.talk('u3', 'a3');
		tree.checkpoint(u2 ?? null);
		tree.talk('u4');
		const count = (rows: Row[]) => {
			const rebuilt = rebuild(examineBranch(endOf(tree), rows), births());
			return [
				rebuilt.messages.filter(({ role }) => role === 'checkpoint').length,
				rebuilt.droppedCheckpoints
			];
		};
		const without = (id: MessageId | undefined) => rowsOf(tree).filter((row) => row['id'] !== id);
		expect(count(rowsOf(tree))).toEqual([2, 0]);
		expect(count(without(u3?.id))).toEqual([2, 0]);
		expect(count(without(u2?.id))).toEqual([1, 1]);
		expect(count(without(first.id))).toEqual([0, 1]);
	});

	test('H57 ids are new, short ids stay, and whatever names a message names the copy', () => {
		const tree = grow();
		const [u1, a1] = tree.talk('u1', 'a1');
		const reference = { kind: 'doi', text: '10.1/x', count: 1, kept: true } as const;
		tree.checkpoint(u1 ?? null, {
			references: [{ ...reference, messageIds: [a1?.id, messageId(77)] as MessageId[] }],
			pinned: [{ messageId: u1?.id ?? null, text: 'u1' }]
		});
		const examination = examineBranch(endOf(tree), tree.rows.values());
		const { messages, ids } = rebuild(examination, births());
		expect(new Set([...messages.map(({ id }) => id), ...tree.rows.keys()]).size).toBe(6);
		const shorts = (all: Iterable<Message>) => [...all].map(({ id }) => id.slice(-10));
		expect(shorts(messages)).toEqual(shorts(tree.rows.values()));
		const point = messages[2];
		if (point?.role !== 'checkpoint' || !u1 || !a1) throw new Error('no checkpoint');
		expect(point.checkpoint.firstKeptMessageId).toBe(ids.get(u1.id));
		expect(point.checkpoint.references[0]?.messageIds).toEqual([ids.get(a1.id)]);
		expect(point.checkpoint.pinned).toEqual([{ messageId: ids.get(u1.id), text: 'u1' }]);
	});
});

test('H51 a whole row is read as itself', () => {
	const { messages } = eight();
	for (const message of messages) {
		expect(readRow(message)).toEqual({ message, faults: [] });
		expect(isWhole(message)).toBe(true);
	}
});

/** Any value that a database can hold in a field, the ones that trap programs among them. */
const anything = fc.oneof(
	fc.constantFrom<unknown>(
		null,
		undefined,
		'',
		'__proto__',
		'constructor',
		'toString',
		0,
		-1,
		0.5,
		2 ** 53,
		NaN,
		Infinity,
		-Infinity,
		10n,
		true,
		[],
		{},
		[[]],
		new Date(NaN),
		new Map(),
		new Uint8Array(3),
		'x'.repeat(1e5)
	),
	fc.anything({ maxDepth: 2, withBigInt: true, withDate: true, withMap: true })
);
const fields = [
	'id',
	'treeId',
	'parentId',
	'depth',
	'checkpointId',
	'originSessionId',
	'createdAt',
	'parts',
	'role',
	'metadata',
	'checkpoint'
] as const;
const mutation = fc.record({
	/** Where on the branch, 0 the root and 1 the leaf. */
	at: fc.double({ min: 0, max: 1, noNaN: true }),
	other: fc.double({ min: 0, max: 1, noNaN: true }),
	kind: fc.constantFrom(
		'delete',
		'duplicate',
		'field',
		'remove',
		'parent',
		'cycle',
		'deeper',
		'checkpoint',
		'boundary',
		'summary',
		'part',
		'replace',
		'tree',
		'null'
	),
	field: fc.constantFrom(...fields),
	value: anything,
	by: fc.integer({ min: -3, max: 3 })
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** Does it to `rows`. True where the branch is certainly no longer sound. */
function mutate(
	rows: unknown[],
	path: readonly Message[],
	{ at, other, kind, field, value, by }: Mutation
): boolean {
	const pick = (where: number) => path[Math.min(path.length - 1, Math.floor(where * path.length))];
	const target = pick(at);
	const index = rows.findIndex((row) => (row as Row | null)?.['id'] === target?.id);
	const row = rows[index];
	if (!target || typeof row !== 'object' || row === null) return false;
	const put = (fields: Row) => void (rows[index] = { ...(row as Row), ...fields });
	switch (kind) {
		case 'delete':
			rows.splice(index, 1);
			return true;
		case 'duplicate':
			rows.push({ ...row });
			return true;
		case 'replace':
			rows[index] = value;
			return true;
		case 'null':
			put({ [field]: null });
			return field !== 'parentId' && field !== 'checkpointId' && field !== 'checkpoint';
		case 'field':
			put({ [field]: value });
			return false;
		case 'remove': {
			const rest = { ...(row as Row) };
			delete rest[field];
			rows[index] = rest;
			return field !== 'checkpoint' || target.role === 'checkpoint';
		}
		case 'parent': {
			const parentId = pick(other)?.id;
			put({ parentId });
			return parentId !== target.parentId;
		}
		case 'cycle':
			put({ parentId: pick(at + (1 - at) * other)?.id });
			return true;
		case 'deeper':
			put({ depth: target.depth + by });
			return by !== 0;
		case 'checkpoint':
			put({ checkpointId: pick(other)?.id });
			return pick(other)?.id !== target.checkpointId;
		case 'tree':
			put({ treeId: 'tree-of-another' });
			return true;
		case 'boundary':
			if (target.role !== 'checkpoint') return false;
			put({ checkpoint: { ...target.checkpoint, firstKeptMessageId: value } });
			return value !== null;
		case 'summary':
			if (target.role !== 'checkpoint') return false;
			put({ checkpoint: { ...target.checkpoint, summary: undefined } });
			return true;
		default:
			put({ parts: [...target.parts, value] });
			return true;
	}
}

test(
	'H50 H55 10,000 mutated histories: no throw, each damage found, and the part is sound',
	{ timeout: 300_000 },
	() => {
		let mutated = 0;
		fc.assert(
			fc.property(
				histories(16),
				fc.array(mutation, { minLength: 1, maxLength: 4 }),
				({ sessions, messages }, steps) => {
					const session = sessions[0];
					if (!session) return;
					const path = session.leafId ? (pathTo(session.leafId, messages) ?? []) : [];
					if (path.length === 0) return;
					const whole = examineBranch(session, messages);
					expect(whole.findings).toEqual([]);
					expect(readablePart(whole)).toEqual(path);
					expectSound(whole);

					const rows: unknown[] = structuredClone(messages);
					let isBroken = false;
					// What two steps do to the same row may undo each other: only the first is surely damage, while it is alone.
					steps.forEach((step, n) => {
						const broke = mutate(rows, path, step);
						isBroken = n === 0 ? broke : isBroken && steps.length === 1;
					});
					mutated++;
					const examination = examineBranch(session, rows);
					if (isBroken) expect(examination.findings).not.toEqual([]);
					const { findings, readable, total } = examination;
					if (findings.length === 0) expect(readable).toBe(total);
					expect(total).toBeGreaterThanOrEqual(readable);
					expect(total).toBeGreaterThan(0);
					expectSound(examination);
				}
			),
			{ numRuns: 13_000 }
		);
		expect(mutated).toBeGreaterThan(10_000);
	}
);

test('H56 a long branch with many breaks takes time in proportion', { timeout: 60_000 }, () => {
	const time = (count: number) => {
		const rows: Row[] = [];
		for (let n = 0; n < count; n++) {
			rows.push({
				id: messageId(n),
				treeId: treeId(),
				depth: n,
				role: n % 2 ? 'assistant' : 'user',
				// Each third link is broken, in turn by what is missing, by a circle, and by what is no id.
				parentId: n % 3 ? messageId(n - 1) : n % 2 ? messageId(count - 1) : { n },
				checkpointId: null,
				originSessionId: 's',
				createdAt: n,
				parts: [text('t')],
				metadata: {}
			});
		}
		const end = { id: 's' as SessionId, treeId: treeId(), leafId: messageId(count - 1) };
		const start = performance.now();
		const { readable } = examineBranch(end, rows);
		expect(readable).toBe(count);
		return performance.now() - start;
	};
	time(2_000);
	const [small, large] = [time(10_000), time(100_000)];
	// Ten times as many: a square would take a hundred times as long.
	expect(large / small).toBeLessThan(40);
});
