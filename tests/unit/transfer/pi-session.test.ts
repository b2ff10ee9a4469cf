import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Part } from '$lib/history/message';
import { pathTo } from '$lib/history/tree';
import { decodePi } from '$lib/transfer/pi';
import { imported, linesFrom, model } from './pi-lines-from';

const text = readFileSync('tests/fixtures/pi-v1-linear-large.jsonl', 'utf8');
const lines = text.trimEnd().split('\n');
const entries = lines.map((line) => JSON.parse(line));
const { sessions, messages, attachments, report } = imported(text);

describe('a real pi session of 1,019 lines', () => {
	test('counts in are counts out', () => {
		expect(report.skipped).toEqual([]);
		expect(report.notes).toEqual([]);
		expect(report.counts).toEqual([
			{ label: 'Lines', in: 1019, out: 1019 },
			{ label: 'User messages', in: 88, out: 88 },
			{ label: 'Answers', in: 453, out: 453 },
			{ label: 'Tool calls', in: 391, out: 391 },
			{ label: 'Calls without a result', in: 18, out: 18 },
			{ label: 'Tool results', in: 373, out: 373 },
			{ label: 'Other entries', in: 105, out: 105 }
		]);
		expect(attachments).toEqual([]);
	});

	test('every line can be made again from the messages, to the last field', () => {
		const again = linesFrom(messages);
		expect([...again.keys()].sort((a, b) => a - b)).toEqual(lines.map((_, index) => index + 1));
		for (const [line, entry] of again) expect(entry, `line ${line}`).toEqual(entries[line - 1]);
	});

	test('every byte of text a person or a tool wrote stands in a part, not only in the source', () => {
		const written = entries
			.flatMap((entry) => entry.message?.content ?? [])
			.flatMap((block) => block.text ?? block.thinking ?? []);
		const shown = messages.flatMap((message) => message.parts).flatMap(textsOf);
		expect(written.length).toBe(88 + 244 + 373 + 1);
		expect(shown.sort()).toEqual(written.sort());
	});

	test('usage counts cached tokens once, and is left out where the provider reported none', () => {
		const reported = entries
			.filter((entry) => entry.message?.role === 'assistant')
			.map(({ message: { usage } }) => ({
				inputTokens: usage.input + usage.cacheRead + usage.cacheWrite,
				outputTokens: usage.output,
				cachedInputTokens: usage.cacheRead
			}))
			.filter((usage) => usage.inputTokens + usage.outputTokens > 0);
		const kept = messages.flatMap((m) => (m.role === 'assistant' ? (m.metadata.usage ?? []) : []));
		expect(kept).toHaveLength(439);
		expect(kept).toEqual(reported);
		expect(Math.max(...kept.map((usage) => usage.cachedInputTokens ?? 0))).toBe(176_585);
	});

	test('ends are told apart', () => {
		const ends: Record<string, number> = {};
		for (const message of messages)
			if (message.role === 'assistant')
				ends[message.metadata.finish ?? 'none'] =
					(ends[message.metadata.finish ?? 'none'] ?? 0) + 1;
		expect(ends).toEqual({ stop: 65, 'tool-calls': 366, stopped: 21, error: 1 });
		const failed = messages.find((m) => m.role === 'assistant' && m.metadata.finish === 'error');
		expect(failed?.metadata).toMatchObject({ errorText: 'terminated' });
	});

	test('calls and results stay pairs: none is left open', () => {
		const calls = messages.flatMap((m) => m.parts.filter((part) => part.type === 'dynamic-tool'));
		const states: Record<string, number> = {};
		for (const { state } of calls) states[state] = (states[state] ?? 0) + 1;
		expect(states).toEqual({ 'output-available': 354, 'output-error': 19 + 18 });
	});

	test('it is one branch from the first line to the last, under the first thing really asked', () => {
		const [session] = sessions;
		expect(session?.title).toBe(
			'read packages/coding-agent/docs/theme.md in full, then theme.ts, and then…'
		);
		expect(session?.leafId).toBe(messages.at(-1)?.id);
		expect(session?.leafId && pathTo(session.leafId, messages)).toEqual(messages);
		expect(messages.at(-1)?.depth).toBe(88 + 453 - 1);
		expect(new Set(messages.map((message) => message.id)).size).toBe(541);
	});

	test('twice is the same, so importing it again adds nothing', () => {
		expect(decodePi(text, { model })).toEqual(decodePi(text, { model }));
	});

	test('more lines at the end change no id', () => {
		const shorter = imported(lines.slice(0, 500).join('\n'));
		const ids = messages.map((message) => message.id);
		expect(shorter.sessions[0]?.id).toBe(sessions[0]?.id);
		expect(shorter.messages.map((message) => message.id)).toEqual(
			ids.slice(0, shorter.messages.length)
		);
	});
});

function textsOf(part: Part): string[] {
	if (part.type === 'text' || part.type === 'reasoning') return [part.text];
	if (part.type !== 'dynamic-tool') return [];
	if (typeof part.output === 'string') return [part.output];
	// A sentence of ours where the file holds no result.
	return part.errorText?.startsWith('The imported file') ? [] : [part.errorText ?? ''];
}
