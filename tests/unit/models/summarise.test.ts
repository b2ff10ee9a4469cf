import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { summarise, type SummariseOptions } from '$lib/models/summarise';
import { offlineModel, offlineProvider } from '$lib/models/provider';
import { summaryRequest } from '$lib/compaction/prompt';
import { missingSections } from '$lib/compaction/template';
import { behaviours, OpenAIServer } from '../../support/openai-server';
import { at, model } from './build';

vi.setConfig({ testTimeout: 30_000 }); // The first test loads the SDK, which takes seconds on a busy machine.

let server: OpenAIServer;
beforeAll(async () => {
	server = await OpenAIServer.start();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

const asked = summaryRequest({
	template: 'research',
	previousSummary: null,
	transcript: ['[m:0123456789 user]', 'We must exclude trials with n < 30.'],
	target: 300,
	cap: 900
});
const options = (more: Partial<SummariseOptions> = {}): SummariseOptions => ({
	...asked,
	provider: at(server),
	model,
	signal: new AbortController().signal,
	...more
});

test('asks without tools, streams, and reports usage', async () => {
	const seen: string[] = [];
	server.enqueue({
		kind: 'text',
		chunks: ['## A', '\n- b'],
		usage: { prompt_tokens: 10, completion_tokens: 4 }
	});
	expect(await summarise(options({ onText: (text) => seen.push(text) }))).toEqual({
		text: '## A\n- b',
		finish: 'stop',
		usage: { inputTokens: 10, outputTokens: 4 },
		hadReasoningOnly: false,
		hadToolCall: false
	});
	expect(seen).toEqual(['## A', '## A\n- b']);
	const body = server.chats[0]?.body;
	expect(body?.tools).toBeUndefined();
	expect(body).toMatchObject({
		max_tokens: 900,
		messages: [
			{ role: 'system', content: asked.system },
			{ role: 'user', content: asked.prompt }
		]
	});
});

test('the server’s own checkpoint has the sections asked for', async () => {
	const { text } = await summarise(options());
	expect(missingSections(text, 'research')).toEqual([]);
	expect(text).toContain('(m:0123456789)');
});

test.each([
	[
		'length',
		{ kind: 'text', chunks: ['## A'], finish: 'length' },
		{ finish: 'length', text: '## A' }
	],
	[
		'only reasoning',
		{ kind: 'text', chunks: [], reasoning: ['Hm'] },
		{ hadReasoningOnly: true, text: '' }
	],
	['a tool call', { kind: 'tool-call', name: 'x', input: {} }, { hadToolCall: true }],
	[
		'refused',
		behaviours.overflow(4096),
		{ finish: 'error', failure: { kind: 'overflow', limitTokens: 4096 } }
	],
	['cut', behaviours.cutOff('## A'), { finish: 'error', text: '## A', failure: { kind: 'cut' } }]
] as const)('%s', async (_name, behaviour, expected) => {
	server.enqueue(behaviour);
	expect(await summarise(options())).toMatchObject(expected);
	expect(server.chats).toHaveLength(1);
});

test('an abort resolves as stopped and ends the request', async () => {
	const stop = new AbortController();
	server.enqueue({ kind: 'hang', chunks: ['## A'] });
	const result = await summarise(options({ signal: stop.signal, onText: () => stop.abort() }));
	expect(result).toMatchObject({ finish: 'stopped', text: '## A' });
	expect(result.failure).toBeUndefined();
	await server.chats[0]?.closed;
	expect(server.chats[0]?.aborted).toBe(true);
});

test('the offline model summarises by the same road', async () => {
	const result = await summarise(options({ provider: offlineProvider, model: offlineModel.ref }));
	expect(result.finish).toBe('stop');
	expect(missingSections(result.text, 'research')).toEqual([]);
	expect(result.text).toContain('- [user] We must exclude trials with n < 30. (m:0123456789)');
	expect(server.requests).toEqual([]);
});
