import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseBoundary } from '../../../src/lib/compaction/boundary';
import { project, verbatim } from '../../../src/lib/context/projection';
import type { ConversationMessage, Message } from '../../../src/lib/history/message';
import { isAnswered, turnsOf } from '../../../src/lib/history/turns';
import { grow, type Grower } from '../../support/tree';

/** Each message costs the number it says, so that a budget can be counted on one's fingers. */
const measure = (message: ConversationMessage) =>
	message.parts.reduce((sum, part) => sum + (part.type === 'text' ? Number(part.text) : 0), 0);

const boundary = (tree: Grower, tailBudget: number, coverFirstTurn = false) =>
	chooseBoundary({ open: verbatim(project(tree.branch())), tailBudget, measure, coverFirstTurn });
const costs = (messages: readonly ConversationMessage[]) => messages.map(measure);

/** Turns of the given costs, question and answer. */
function turns(...pairs: readonly (readonly [number, number?])[]) {
	const tree = grow();
	for (const [question, answer] of pairs) {
		tree.user(String(question));
		if (answer !== undefined) tree.answer(String(answer));
	}
	return tree;
}

describe('C30', () => {
	test.each<[number, number[], number[]]>([
		[10, [1, 2, 3, 4], [5, 1]],
		[6, [1, 2, 3, 4], [5, 1]],
		[12, [1, 2, 3, 4], [5, 1]],
		[13, [1, 2], [3, 4, 5, 1]],
		[99, [], [1, 2, 3, 4, 5, 1]]
	])('C30 a budget of %i covers %j and keeps %j', (budget, covered, kept) => {
		const chosen = boundary(turns([1, 2], [3, 4], [5, 1]), budget);
		expect(costs(chosen.covered)).toEqual(covered);
		expect(costs(chosen.kept)).toEqual(kept);
		expect(chosen.firstKeptMessageId).toBe(chosen.kept[0]?.id);
	});

	test('C30 an oversized turn on the way stops the walk: the next user start after it', () => {
		const chosen = boundary(turns([1, 1], [1, 500], [2, 2], [3, 3]), 50);
		expect(costs(chosen.kept)).toEqual([2, 2, 3, 3]);
	});

	test('C30 case 37: tool calls and results stay in their turn', () => {
		const tree = turns([1, 1], [9, 9]);
		tree.answer('9');
		const chosen = boundary(tree, 20);
		expect(chosen.covered).toHaveLength(4 + 1);
		expect(chosen.firstKeptMessageId).toBeNull();
		expect(costs(boundary(tree, 27).kept)).toEqual([9, 9, 9]);
	});
});

describe('C32 null', () => {
	test('C32 only where the last complete turn alone is over the budget', () => {
		const chosen = boundary(turns([1, 1], [5, 6]), 10);
		expect(chosen.firstKeptMessageId).toBeNull();
		expect(chosen.kept).toEqual([]);
		expect(chosen.covered).toHaveLength(4);
	});

	test.each([0, 4, 1000])('C32 never while the leaf is unanswered (budget %i)', (budget) => {
		const chosen = boundary(turns([1, 1], [2, 2], [900]), budget);
		expect(costs(chosen.kept).at(-1)).toBe(900);
		expect(chosen.firstKeptMessageId).not.toBeNull();
		if (budget < 900) expect(costs(chosen.kept)).toEqual([900]);
	});

	test('C32 an unanswered leaf eats the budget of the turns before it', () => {
		expect(costs(boundary(turns([1, 1], [2, 2], [9]), 11).kept)).toEqual([9]);
		expect(costs(boundary(turns([1, 1], [2, 2], [9]), 13).kept)).toEqual([2, 2, 9]);
	});

	test('C32 messages without a user before them cannot be kept: a boundary has nowhere to stand', () => {
		const tree = grow();
		tree.answer('1');
		tree.user('2');
		tree.answer('3');
		expect(costs(boundary(tree, 100).kept)).toEqual([2, 3]);
		const alone = grow();
		alone.answer('1');
		expect(boundary(alone, 100)).toMatchObject({ firstKeptMessageId: null, kept: [] });
	});
});

test('C33 a manual first checkpoint covers the first turn, even where all would fit', () => {
	expect(costs(boundary(turns([1, 1], [2, 2]), 100, true).covered)).toEqual([1, 1]);
	expect(costs(boundary(turns([1, 1]), 100, true).covered)).toEqual([]);
	expect(costs(boundary(turns([1, 1], [2]), 100, true).kept)).toEqual([2]);
});

describe('C35', () => {
	test('C35 case 1: what checkpoint 1 kept is where checkpoint 2 begins', () => {
		const tree = turns([1, 1], [2, 2], [3, 3]);
		tree.checkpoint(tree.branch()[2] ?? null);
		tree.user('4');
		tree.answer('4');
		const chosen = boundary(tree, 8);
		expect(costs(chosen.covered)).toEqual([2, 2, 3, 3]);
		expect(costs(chosen.kept)).toEqual([4, 4]);
	});

	test('C31 a null boundary followed by later turns begins after its checkpoint', () => {
		const tree = turns([1, 1], [2, 2]);
		tree.checkpoint(null);
		tree.user('3');
		tree.answer('3');
		expect(costs(boundary(tree, 100).kept)).toEqual([3, 3]);
		expect(costs(boundary(tree, 100).covered)).toEqual([]);
		expect(costs(boundary(tree, 5).covered)).toEqual([3, 3]);
	});

	test('C35 case 44: only the path to the leaf, never an abandoned branch', () => {
		const tree = turns([1, 1], [777, 777], [777, 777]);
		tree.at(tree.branch()[1] ?? null);
		tree.user('2');
		tree.answer('2');
		const chosen = boundary(tree, 4);
		expect(costs([...chosen.covered, ...chosen.kept])).toEqual([1, 1, 2, 2]);
	});

	test('C30–C35 whatever the turns and the budget', () => {
		const shape = fc.array(fc.tuple(fc.nat(50), fc.option(fc.nat(200), { freq: 5 })), {
			minLength: 1,
			maxLength: 12
		});
		fc.assert(
			fc.property(
				shape,
				fc.nat(400),
				fc.boolean(),
				fc.boolean(),
				(pairs, budget, cover, greets) => {
					const tree = grow();
					if (greets) tree.answer('7');
					for (const [question, answer] of pairs) {
						tree.user(String(question));
						if (answer !== null) tree.answer(String(answer));
					}
					const chosen = boundary(tree, budget, cover);
					expect([...chosen.covered, ...chosen.kept] as Message[]).toEqual(tree.branch());
					expect(chosen.kept[0]?.role ?? 'user').toBe('user');
					expect(chosen.firstKeptMessageId).toBe(chosen.kept[0]?.id ?? null);
					const last = turnsOf(tree.branch()).at(-1);
					const isOpen = last !== undefined && !isAnswered(last);
					if (isOpen) expect(chosen.firstKeptMessageId).not.toBeNull();
					const kept = costs(chosen.kept).reduce((a, b) => a + b, 0);
					if (!isOpen || chosen.kept.length > 1) expect(kept).toBeLessThanOrEqual(budget);
				}
			),
			{ numRuns: 2000 }
		);
	});
});
