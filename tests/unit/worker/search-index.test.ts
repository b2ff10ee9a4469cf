import { describe, expect, test } from 'vitest';
import { plainText } from '../../../src/lib/context/recall';
import type { ConversationMessage, Message, MessageId } from '../../../src/lib/history/message';
import { SearchIndex, SearchIndexes, type SearchEntry } from '../../../src/lib/worker/search-index';
import { cpuTime } from '../../support/cpu';
import { grow, messageId, treeId, type Grower } from '../../support/tree';

const entry = (message: Message): SearchEntry => ({
	id: message.id,
	parentId: message.parentId,
	depth: message.depth,
	text: message.role === 'checkpoint' ? '' : plainText(message)
});

function indexOf(tree: Grower): SearchIndex {
	const index = new SearchIndex();
	index.add([...tree.rows.values()].map(entry));
	return index;
}
function leafOf(tree: Grower): MessageId {
	if (!tree.leaf) throw new Error('The tree is empty.');
	return tree.leaf.id;
}
/** What is found from the leaf of a tree, as texts, best first. */
function found(tree: Grower, query: string, index = indexOf(tree)): string[] {
	const ids = index.find(leafOf(tree), query)?.best.map(({ id }) => id) ?? [];
	return ids.map((id) => plainText(tree.rows.get(id) as ConversationMessage));
}
function talk(...texts: readonly string[]): Grower {
	const tree = grow();
	tree.talk(...texts);
	return tree;
}

describe('C99', () => {
	test('C99 rare words first, beginnings of words, accents and case aside', () => {
		const tree = talk('gap and gap', 'the spacing gap', 'La PRÁCTICA espaciada', 'gap');
		expect(found(tree, 'spacing gap')[0]).toBe('the spacing gap');
		expect(found(tree, 'practica')).toEqual(['La PRÁCTICA espaciada']);
		expect(found(tree, 'espac')).toEqual(['La PRÁCTICA espaciada']);
	});

	test('C99 a word with a slip is found; a number with another digit is not', () => {
		const tree = talk('distributed practice', 'sample of 7777');
		expect(found(tree, 'distribited')).toEqual(['distributed practice']);
		expect(found(tree, '7776')).toEqual([]);
	});

	test.each(['间隔练习', '隔练', '练', '习', 'ガイド', 'ド', '학습', '습', 'รียน'])(
		'C99 %s is found where words have no spaces',
		(query) => {
			const tree = talk(
				'我们比较了间隔练习',
				'別のもの',
				'これはガイド',
				'간격 학습은 좋다',
				'เรียนรู้'
			);
			expect(found(tree, query)).toHaveLength(1);
		}
	);

	test('C99 only the ancestors of the leaf are seen, whatever is in the index', () => {
		const tree = grow();
		const [question] = tree.talk('the question', 'first answer: zebra');
		tree.at(question ?? null).answer('second answer');
		tree.user('on this branch: zebra too');
		const index = indexOf(tree);
		expect(found(tree, 'zebra', index)).toEqual(['on this branch: zebra too']);
		expect(found(tree, 'question', index)).toEqual(['the question']);
		// The other branch, then this one again, which has grown.
		const leaf = tree.leaf;
		tree.at([...tree.rows.values()][1] ?? null);
		expect(found(tree, 'zebra', index)).toEqual(['first answer: zebra']);
		const next = tree.at(leaf).answer('zebra, thrice');
		index.add([entry(next)]);
		expect(found(tree, 'zebra', index).toSorted()).toEqual([
			'on this branch: zebra too',
			'zebra, thrice'
		]);
	});

	test('C99 says what it lacks of a branch, and does not search half of one', () => {
		const tree = talk('one zebra', 'two', 'three', 'four');
		const [one, two, three, four] = [...tree.rows.values()];
		const index = new SearchIndex();
		const leafId = leafOf(tree);
		expect(index.missing(leafId)).toBe(leafId);
		index.add([three, four].flatMap((message) => (message ? [entry(message)] : [])));
		expect(index.missing(leafId)).toBe(two?.id);
		expect(index.find(leafId, 'zebra')).toBeNull();
		index.add([one, two, three].flatMap((message) => (message ? [entry(message)] : [])));
		expect(index.missing(leafId)).toBeNull();
		expect(index.find(leafId, 'zebra')).toMatchObject({ best: [{ id: one?.id }], total: 1 });
	});

	test('C99 a checkpoint belongs to the branch and is not found', () => {
		const tree = talk('one zebra', 'two');
		tree.checkpoint(null, { summary: '## Context\n\n- zebra' });
		tree.talk('three', 'four');
		expect(found(tree, 'zebra')).toEqual(['one zebra']);
	});

	test('C99 a circle of parents is damage, not a search without an end', () => {
		const index = new SearchIndex();
		const [a, b] = [messageId(1), messageId(2)];
		index.add([
			{ id: a, parentId: b, depth: 1, text: 'x' },
			{ id: b, parentId: a, depth: 2, text: 'x' }
		]);
		expect(() => index.find(b, 'x')).toThrow('damaged');
	});

	test('C99 two trees are kept; a third takes the place of the one not used for longest', () => {
		const indexes = new SearchIndexes();
		const [first, second] = [indexes.of(treeId(1)), indexes.of(treeId(2))];
		expect(indexes.of(treeId(1))).toBe(first);
		indexes.of(treeId(3));
		expect(indexes.of(treeId(1))).toBe(first);
		expect(indexes.of(treeId(2))).not.toBe(second);
	});

	test('C99 a word that stands in every message brings the newest of them, in time', () => {
		const tree = grow();
		for (let n = 0; n < 12_500; n++) tree.talk(`common ${n}`, `common answer ${n}`);
		const index = indexOf(tree);
		let newest: string[] = [];
		index.find(leafOf(tree), 'common');
		expect(cpuTime(() => (newest = found(tree, 'common', index)))).toBeLessThan(500);
		// The older half was not weighed: what is counted is what was looked at.
		expect(index.find(leafOf(tree), 'common')?.total).toBeLessThan(16_000);
		for (const text of newest) {
			expect(Number(text.match(/\d+/)?.[0])).toBeGreaterThan(2500);
		}
		expect(found(tree, 'common 77', index)[0]).toMatch(/ 77$/);
	});
});
