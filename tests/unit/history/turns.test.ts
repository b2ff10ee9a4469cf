import { expect, test } from 'vitest';
import type { Message } from '../../../src/lib/history/message';
import { isAnswered, turnsOf } from '../../../src/lib/history/turns';
import { grow } from '../../support/tree';

const ids = (messages: readonly Message[]) => messages.map((message) => message.id);

test('H7 a turn runs from a user message up to the next; checkpoints belong to none', () => {
	const tree = grow();
	const [u1, a1, u2, a2] = tree.talk('u1', 'a1', 'u2', 'a2');
	tree.checkpoint(u2 ?? null);
	const u3 = tree.user('u3');
	const a3 = tree.answer('a3');
	const a3b = tree.answer('a second answer, as imports have them');
	const turns = turnsOf(tree.branch());
	expect(turns.map((turn) => turn.messages)).toEqual([
		[u1, a1],
		[u2, a2],
		[u3, a3, a3b]
	]);
	expect(turns.map((turn) => turn.startId)).toEqual([u1?.id, u2?.id, u3.id]);
});

test('H7 messages before the first user message are a turn no boundary can stand at', () => {
	const tree = grow();
	tree.answer('a greeting');
	tree.user('u1');
	const [first, second] = turnsOf(tree.branch());
	expect(first?.startsWithUser).toBe(false);
	expect(second?.startsWithUser).toBe(true);
});

test('H7 two questions in a row are two turns, and a question alone is unanswered', () => {
	const tree = grow();
	tree.user('u1');
	tree.user('u2');
	tree.answer('a2');
	const turns = turnsOf(tree.branch());
	expect(turns.map(isAnswered)).toEqual([false, true]);
	expect(ids(turns.flatMap((turn) => turn.messages))).toEqual(ids(tree.branch()));
});

test('H7 an empty branch has no turns', () => {
	expect(turnsOf([])).toEqual([]);
});
