import { describe, expect, test } from 'vitest';
import { textOf, type Message } from '$lib/history/message';
import { pathTo } from '$lib/history/tree';
import { decodePi } from '$lib/transfer/pi';
import { imported, linesFrom, model } from './pi-lines-from';

const header = {
	type: 'session',
	version: 3,
	id: 'S1',
	timestamp: '2026-01-02T03:04:05.000Z',
	cwd: '/x'
};
const at = '2026-01-02T03:05:00.000Z';

/** An entry below another, by their ids. */
function entry(id: string, parentId: string | null, rest: Record<string, unknown>) {
	return { id, parentId, timestamp: at, ...rest };
}
function message(id: string, parentId: string | null, body: Record<string, unknown>) {
	return entry(id, parentId, { type: 'message', message: body });
}
const user = (id: string, parentId: string | null, content: unknown) =>
	message(id, parentId, { role: 'user', content });
const answer = (id: string, parentId: string | null, text: string, more = {}) =>
	message(id, parentId, { role: 'assistant', content: [{ type: 'text', text }], ...more });
const call = (id: string, parentId: string | null, ...calls: string[]) =>
	message(id, parentId, {
		role: 'assistant',
		stopReason: 'toolUse',
		content: calls.map((c) => ({ type: 'toolCall', id: c, name: 'read', arguments: { path: id } }))
	});
const result = (
	id: string,
	parentId: string | null,
	toolCallId: string,
	content: unknown,
	more = {}
) => message(id, parentId, { role: 'toolResult', toolCallId, content, ...more });
const file = (...rows: unknown[]) => [header, ...rows].map((row) => JSON.stringify(row)).join('\n');

/** The tree as text: each leaf's branch, in the order of the file. */
function branches(messages: readonly Message[]): string[] {
	const parents = new Set(messages.map((m) => m.parentId));
	return messages
		.filter((m) => !parents.has(m.id))
		.map((leaf) => (pathTo(leaf.id, messages) ?? []).map(textOf).join(' > '));
}
const leafText = (text: string) => {
	const { sessions, messages } = imported(text);
	return textOf(messages.find((m) => m.id === sessions[0]?.leafId) ?? { parts: [] });
};

describe('a pi session of version 3', () => {
	test('keeps its branches, and the last entry is the active leaf', () => {
		const text = file(
			user('a', null, 'q1'),
			answer('b', 'a', 'a1'),
			user('c', 'b', 'q2'),
			answer('d', 'c', 'a2'),
			user('e', 'b', 'q2 again'),
			answer('f', 'e', 'a2 again'),
			entry('g', 'd', { type: 'label', targetId: 'd', label: 'good' })
		);
		const { messages } = imported(text);
		expect(branches(messages)).toEqual(['q1 > a1 > q2 > a2', 'q1 > a1 > q2 again > a2 again']);
		expect(leafText(text)).toBe('a2');
	});

	test('a first message written twice has two roots', () => {
		const text = file(user('a', null, 'q'), answer('b', 'a', 'a'), user('c', null, 'better q'));
		expect(branches(imported(text).messages)).toEqual(['q > a', 'better q']);
	});

	test('results go to the call above them, also where ids repeat', () => {
		const { messages, report } = imported(
			file(
				user('a', null, 'q'),
				call('b', 'a', 'call_0', 'call_0'),
				result('c', 'b', 'call_0', [{ type: 'text', text: 'one' }]),
				result('d', 'c', 'call_0', 'two', { isError: true }),
				call('e', 'd', 'call_0'),
				result('f', 'e', 'call_0', [{ type: 'text', text: 'three' }]),
				answer('g', 'f', 'done')
			)
		);
		const parts = messages.flatMap((m) => m.parts.filter((p) => p.type === 'dynamic-tool'));
		expect(parts.map((p) => [p.state, p.output ?? p.errorText])).toEqual([
			['output-available', 'one'],
			['output-error', 'two'],
			['output-available', 'three']
		]);
		expect(report.counts.find((c) => c.label === 'Results without a call')).toBeUndefined();
	});

	test('a result on another branch is no result of this call', () => {
		const { messages, report } = imported(
			file(
				user('a', null, 'q'),
				call('b', 'a', 'x'),
				user('c', 'a', 'q2'),
				result('d', 'c', 'x', 'astray'),
				answer('e', 'd', 'done')
			)
		);
		expect(messages[1]?.parts[0]).toMatchObject({ state: 'output-error' });
		expect(report.counts).toContainEqual({ label: 'Results without a call', in: 1, out: 1 });
		expect(messages[3]?.metadata).toMatchObject({ source: { raw: { before: [{ line: 5 }] } } });
	});

	test('a compaction is a note, not a checkpoint', () => {
		const { messages, report } = imported(
			file(
				user('a', null, 'q'),
				answer('b', 'a', 'a'),
				entry('c', 'b', {
					type: 'compaction',
					summary: 'S',
					firstKeptEntryId: 'a',
					tokensBefore: 9
				}),
				user('d', 'c', 'q2')
			)
		);
		expect(messages.map((m) => m.role)).toEqual(['user', 'assistant', 'user']);
		expect(messages[2]?.metadata).toMatchObject({
			source: { raw: { before: [{ entry: { type: 'compaction', summary: 'S' } }] } }
		});
		expect(report.notes).toEqual([
			"pi's summaries, which are no checkpoints of Hilo (1): kept in the source of the next message, not shown as messages."
		]);
	});

	test('everything of the file is in the result: strings, pictures, unknown blocks, odd entries', () => {
		const picture = { type: 'image', mimeType: 'image/png', data: 'AAEC' };
		const rows = [
			entry('n', null, { type: 'session_info', name: 'Named by hand' }),
			user('a', 'n', [
				{ type: 'text', text: 'look', textSignature: 's' },
				{ type: 'mystery', x: 1 }
			]),
			call('b', 'a', 'x', 'y'),
			result('c', 'b', 'x', [{ type: 'text', text: 'a' }, picture], { details: { z: [1] } }),
			result('d', 'c', 'y', 'plain string'),
			result('e', 'd', 'nobody', 'lost'),
			message('f', 'e', { role: 'bashExecution', command: 'ls', output: 'x' }),
			answer('g', 'f', 'done', { usage: { input: 1, output: 0 }, stopReason: 'strange' }),
			entry('h', 'g', { type: 'custom', data: 4 })
		];
		const { messages, sessions } = imported(file(...rows));
		expect([...linesFrom(messages)].sort(([a], [b]) => a - b).map(([, row]) => row)).toEqual([
			header,
			...rows
		]);
		expect(sessions[0]?.title).toBe('Named by hand');
		expect(messages[1]?.parts[0]).toMatchObject({
			output: [
				{ type: 'text', text: 'a' },
				{ type: 'image', mimeType: 'image/png' }
			]
		});
		expect(messages[2]?.metadata).toMatchObject({ finish: 'other', usage: { inputTokens: 1 } });
	});

	test('a picture of the user becomes a file with its bytes', () => {
		const picture = { type: 'image', mimeType: 'image/png', data: 'AAEC' };
		const { messages, attachments } = imported(file(user('a', null, [picture])));
		expect(attachments).toMatchObject([{ mediaType: 'image/png', base64: 'AAEC' }]);
		expect(messages[0]?.parts).toMatchObject([
			{ type: 'file', size: 3, sha256: attachments[0]?.sha256 }
		]);
	});
});

describe('damaged pi sessions', () => {
	const rows = [
		user('a', null, 'q'),
		answer('b', 'a', 'a'),
		user('c', 'b', 'q2'),
		answer('d', 'c', 'a2')
	];
	const lines = file(...rows).split('\n');
	const without = (index: number, instead: string) =>
		lines.map((line, i) => (i === index ? instead : line)).join('\n');

	test.each([
		['{"type":"mess', 'it is not valid JSON (cut off or damaged)'],
		['42', 'it is not a JSON object'],
		['{"id":"b"}', 'it has no "type"'],
		['{"type":"message","__proto__":{}}', 'it has a key named "__proto__"']
	])('line 3 is %s: named and left out, the rest is imported', (line, why) => {
		const { messages, report } = imported(without(2, line));
		expect(report.skipped).toEqual([{ what: 'Line 3', why }]);
		expect(report.counts[0]).toEqual({ label: 'Lines', in: 5, out: 4 });
		expect(branches(messages)).toEqual(['q > q2 > a2']);
		expect(report.notes).toEqual([
			'Line 4 follows an entry that is not above it in the file (b); it was joined to the line before.'
		]);
	});

	test('the last line is cut off', () => {
		const { report, messages } = imported(lines.join('\n').slice(0, -10));
		expect(report.skipped).toEqual([
			{ what: 'Line 5', why: 'it is not valid JSON (cut off or damaged)' }
		]);
		expect(messages).toHaveLength(3);
	});

	test('the header is lost: the ids are still the same each time', () => {
		const { report, messages } = imported(without(0, 'garbage'));
		expect(messages).toHaveLength(4);
		expect(report.notes).toContain(
			'The file has no session header; its first line may be missing.'
		);
		expect(decodePi(without(0, 'garbage'), { model })).toEqual(
			decodePi(without(0, 'garbage'), { model })
		);
	});

	test('parents that make a cycle, and ids given twice, still make one tree', () => {
		const { messages } = imported(
			file(user('a', 'b', 'q'), answer('b', 'a', 'a'), answer('b', 'b', 'c'))
		);
		expect(branches(messages)).toEqual(['q > a > c']);
		expect(new Set(messages.map((m) => m.id)).size).toBe(3);
	});

	test.each([
		['only a header', file(), 'This pi session holds no messages.'],
		['nothing', '', 'This pi session holds no messages.']
	])('%s is refused', (_, text, title) => {
		expect(decodePi(text, { model })).toMatchObject({ ok: false, problem: { title } });
	});

	test('dates in words are not guessed at', () => {
		const odd = { ...user('a', null, 'q'), timestamp: '3 de enero de 2026' };
		expect(imported(file(odd)).messages[0]?.createdAt).toBe(Date.parse(header.timestamp));
	});
});
