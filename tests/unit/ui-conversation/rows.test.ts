import { describe, expect, test } from 'vitest';
import type { Message, MessageId, SessionId, TreeId } from '../../../src/lib/history/message';
import type { RunView } from '../../../src/lib/session/view';
import { currentRows, messageRows, prepended } from '../../../src/lib/ui/conversation/rows';

const message = (id: string, parentId: string | null, role: 'user' | 'assistant' = 'user') =>
	({
		id: id as MessageId,
		treeId: 't' as TreeId,
		parentId: parentId as MessageId | null,
		depth: 0,
		checkpointId: null,
		originSessionId: 's' as SessionId,
		createdAt: 0,
		parts: [],
		metadata: {},
		role
	}) as Message;
const run = (parentId: string): RunView => ({
	parentId: parentId as MessageId,
	messageId: 'a' as MessageId,
	model: { provider: 'p', model: 'm' },
	parts: [],
	startedAt: 0,
	state: 'streaming'
});
const nothing = { messages: [], run: null, compaction: null, waiting: null, notice: null };
const sent = () => 'sent' as const;

describe('rows', () => {
	test('an answer keeps its key when it becomes durable', () => {
		const running = currentRows({ ...nothing, run: run('u') });
		const durable = messageRows([message('u', null), message('a', 'u', 'assistant')], sent);
		expect(durable[1]?.key).toBe(running[0]?.key);
	});

	test('an answer that another tab made durable is drawn once, and a retried one beside its run', () => {
		const messages = [message('u', null), message('a', 'u', 'assistant')];
		expect(currentRows({ ...nothing, messages, run: run('u') })).toEqual([]);
		const old = [message('u', null), message('old', 'u', 'assistant')];
		const keys = [
			...messageRows(old, sent),
			...currentRows({ ...nothing, messages: old, run: run('u') })
		].map(({ key }) => key);
		expect(new Set(keys).size).toBe(keys.length);
	});

	test('the legend stands once, where what is sent begins', () => {
		const rows = messageRows(
			[message('1', null), message('2', '1'), message('3', '2'), message('4', '3')],
			({ id }) => (id === '1' || id === '2' ? 'covered' : 'sent')
		);
		expect(rows.map(({ kind }) => kind)).toEqual(['user', 'user', 'boundary', 'user', 'user']);
	});

	test('an older checkpoint inside the tail is not sent, and begins nothing', () => {
		const checkpoint = { ...message('c', '2'), role: 'checkpoint' } as Message;
		const rows = messageRows(
			[message('1', null), message('2', '1'), checkpoint, message('3', 'c')],
			({ id }) => (id === '1' || id === 'c' ? 'covered' : 'sent')
		);
		expect(rows.map(({ kind }) => kind)).toEqual([
			'user',
			'boundary',
			'user',
			'checkpoint',
			'user'
		]);
	});

	test('no legend where all is sent or all is covered', () => {
		const messages = [message('1', null), message('2', '1')];
		expect(messageRows(messages, sent).some(({ kind }) => kind === 'boundary')).toBe(false);
		expect(messageRows(messages, () => 'covered').some(({ kind }) => kind === 'boundary')).toBe(
			false
		);
	});

	test.each([
		['earlier ones loaded', ['3', '4'], ['1', '2', '3', '4'], true],
		['appended', ['1'], ['1', '2'], false],
		['first ones', [], ['1'], false],
		['another branch', ['1', '2'], ['5', '6', '7'], false],
		['fewer', ['1', '2'], ['2'], false]
	])('prepended: %s', (_, before, now, expected) => {
		const rows = (ids: string[]) =>
			messageRows(
				ids.map((id) => message(id, null)),
				sent
			);
		expect(prepended(rows(before), rows(now))).toBe(expected);
	});
});
