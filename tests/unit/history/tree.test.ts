import { describe, expect, test } from 'vitest';
import { shortId, type Message, type MessageDraft } from '../../../src/lib/history/message';
import { attach, attachCheckpoint, pathTo, TreeError } from '../../../src/lib/history/tree';
import { checkpointFields, grow, messageId, sessionId, text, treeId } from '../../support/tree';

const place = (parent: Message | null, id = 99) => ({
	id: messageId(id),
	treeId: treeId(),
	sessionId: sessionId(),
	now: 7,
	parent
});
const draft: MessageDraft = { role: 'user', parts: [text('q')], metadata: {} };

describe('attach', () => {
	test('H2 derives the place from the parent', () => {
		const [, answer] = grow().talk('q', 'a');
		expect(attach(draft, place(answer ?? null))).toEqual({
			id: messageId(99),
			treeId: treeId(),
			parentId: answer?.id,
			depth: 2,
			checkpointId: null,
			originSessionId: sessionId(),
			createdAt: 7,
			...draft
		});
		expect(attach(draft, place(null))).toMatchObject({ depth: 0, parentId: null });
	});

	test('H2 takes nothing over from a draft but role, parts and metadata', () => {
		const forged = { ...draft, id: 'x', depth: 40, checkpointId: 'x', checkpoint: {} };
		const message = attach(forged, place(null));
		expect(message).toMatchObject({ id: messageId(99), depth: 0, checkpointId: null });
		expect(message).not.toHaveProperty('checkpoint');
	});

	test('H3 the newest checkpoint at or above is inherited; a checkpoint is its own', () => {
		const tree = grow();
		const [u1] = tree.talk('u1', 'a1', 'u2', 'a2');
		const first = tree.checkpoint(null);
		const [u3] = tree.talk('u3', 'a3');
		const second = tree.checkpoint(null);
		expect(u1?.checkpointId).toBeNull();
		expect(first.checkpointId).toBe(first.id);
		expect(u3?.checkpointId).toBe(first.id);
		expect(tree.user('u4').checkpointId).toBe(second.id);
		expect(tree.user('an edit of u1', null).checkpointId).toBeNull();
	});

	test('H4 a parent of another tree is refused', () => {
		expect(() => attach(draft, place(grow(2).user('elsewhere')))).toThrow(TreeError);
	});

	test('H4 a checkpoint without a parent is refused', () => {
		expect(() => attachCheckpoint(checkpointFields(), place(null))).toThrow(TreeError);
	});
});

describe('pathTo', () => {
	function fork() {
		const tree = grow();
		const [u1, a1, u2, a2] = tree.talk('u1', 'a1', 'u2', 'a2');
		const other = tree.at(a1 ?? null).talk('other u2', 'other a2');
		const second = tree.user('another first message', null);
		return { tree, u1, a1, u2, a2, other, second };
	}

	test('H5 the path down to the root, rows of other branches aside, in any order', () => {
		const { tree, u1, a1, u2, a2, other } = fork();
		const rows = [...tree.rows.values()].reverse();
		expect(a2 && pathTo(a2.id, rows)).toEqual([u1, a1, u2, a2]);
		expect(other[1] && pathTo(other[1].id, rows)).toEqual([u1, a1, ...other]);
	});

	test('H6 several roots are siblings, each the root of its own branches', () => {
		const { tree, second } = fork();
		expect(pathTo(second.id, tree.rows.values())).toEqual([second]);
	});

	test('H5 down to a depth', () => {
		const { tree, a2, u2 } = fork();
		expect(a2 && pathTo(a2.id, tree.rows.values(), 2)).toEqual([u2, a2]);
		expect(a2 && pathTo(a2.id, tree.rows.values(), 3)).toEqual([a2]);
	});

	const damage: readonly [string, (m: Message) => Partial<Message> | null][] = [
		['a missing parent', (m) => (m.depth === 1 ? null : m)],
		['a missing leaf', (m) => (m.depth === 3 ? null : m)],
		['a wrong depth', (m) => (m.depth === 1 ? { ...m, depth: 2 } : m)],
		['a cycle', (m) => (m.depth === 1 ? { ...m, parentId: messageId(4) } : m)],
		['itself for a parent', (m) => (m.depth === 1 ? { ...m, parentId: m.id } : m)],
		['a root with a parent', (m) => (m.depth === 0 ? { ...m, parentId: messageId(77) } : m)],
		['a message above without a parent', (m) => (m.depth === 2 ? { ...m, parentId: null } : m)],
		['another tree', (m) => (m.depth === 1 ? { ...m, treeId: treeId(2) } : m)],
		['a checkpoint that is not above', (m) => ({ ...m, checkpointId: messageId(50) })],
		['a lost checkpoint', (m) => (m.depth === 3 ? { ...m, checkpointId: messageId(50) } : m)]
	];
	test.each(damage)('H5 case 49: %s is null, never a shorter path', (_, harm) => {
		const tree = grow();
		const [, , , a2] = tree.talk('u1', 'a1', 'u2', 'a2');
		const rows = [...tree.rows.values()].map(harm).filter((row) => row !== null) as Message[];
		expect(a2 && pathTo(a2.id, rows)).toBeNull();
	});
});

test('H8 the short form tells messages of one millisecond apart', () => {
	expect(shortId(messageId(1))).toBe('0000000001');
	expect(shortId(messageId(1))).not.toBe(shortId(messageId(2)));
});
