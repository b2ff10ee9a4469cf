import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { streamAnswer, type AnswerEnd, type AnswerOptions } from '$lib/models/answer';
import type { Part } from '$lib/history/message';
import { behaviours, OpenAIServer, type Behaviour } from '../../support/openai-server';
import { assistant, at, call, model, request, search, user } from './build';

vi.setConfig({ testTimeout: 30_000 }); // The first test loads the SDK, which takes seconds on a busy machine.

let server: OpenAIServer;
beforeAll(async () => {
	server = await OpenAIServer.start();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

const options = (more: Partial<AnswerOptions> = {}): AnswerOptions => ({
	provider: at(server),
	model,
	request: request([user('Hello')]),
	executeTool: async () => 'result',
	loadFile: async () => ({}),
	signal: new AbortController().signal,
	now: () => 0,
	...more
});

async function run(given: AnswerOptions): Promise<{ end: AnswerEnd; seen: (readonly Part[])[] }> {
	const seen: (readonly Part[])[] = [];
	let end: AnswerEnd | null = null;
	for await (const event of streamAnswer(given)) {
		expect(end, 'nothing comes after the end').toBeNull();
		if (event.type === 'end') end = event;
		else seen.push(event.parts);
	}
	if (!end) throw new Error('The answer had no end.');
	return { end, seen };
}

const text = (value: string): Part => ({ type: 'text', text: value });

describe('an answer', () => {
	test('grows part by part and ends with the provider’s usage', async () => {
		server.enqueue({
			kind: 'text',
			chunks: ['One ', 'two ', 'three.'],
			reasoning: ['Hm.'],
			usage: {
				prompt_tokens: 100,
				completion_tokens: 9,
				prompt_tokens_details: { cached_tokens: 60 },
				completion_tokens_details: { reasoning_tokens: 4 }
			}
		});
		const { end, seen } = await run(options());
		expect(seen.map((parts) => parts.at(-1))).toMatchObject([
			{ type: 'reasoning', text: 'Hm.' },
			text('One '),
			text('One two '),
			text('One two three.')
		]);
		expect(end).toEqual({
			type: 'end',
			finish: 'stop',
			parts: [{ type: 'reasoning', text: 'Hm.' }, text('One two three.')],
			usage: { inputTokens: 100, outputTokens: 9, cachedInputTokens: 60, reasoningTokens: 4 },
			totalUsage: { inputTokens: 100, outputTokens: 9, cachedInputTokens: 60, reasoningTokens: 4 },
			durationMs: 0
		});
		// Parts that did not change are the same objects.
		expect(seen[3]?.[0]).toBe(seen[1]?.[0]);
		expect(end.parts[0]).toBe(seen[1]?.[0]);
	});

	test('sends instructions and checkpoint as system messages of their own, and no header of the SDK', async () => {
		await run(
			options({
				provider: at(server, 'sk-secret'),
				request: request([user('A'), assistant('B'), user('C')], {
					system: [
						{ kind: 'instructions', text: 'Be brief.' },
						{ kind: 'checkpoint', text: '## Goal\n- x' }
					],
					maxOutputTokens: 77
				})
			})
		);
		const [chat] = server.chats;
		expect(chat?.body).toMatchObject({
			model: 'test-model',
			max_tokens: 77,
			stream: true,
			stream_options: { include_usage: true },
			messages: [
				{ role: 'system', content: 'Be brief.' },
				{ role: 'system', content: '## Goal\n- x' },
				{ role: 'user', content: 'A' },
				{ role: 'assistant', content: 'B' },
				{ role: 'user', content: 'C' }
			]
		});
		expect(chat?.headers.authorization).toBe('Bearer sk-secret');
		expect(chat?.headers['user-agent'] ?? '').not.toContain('ai-sdk');
	});

	test('runs a tool and goes on; usage is the last step’s, total the sum', async () => {
		server.enqueue(
			{
				kind: 'tool-call',
				name: 'search_history',
				input: { query: 'bees' },
				before: ['Looking. '],
				usage: { prompt_tokens: 50, completion_tokens: 5 }
			},
			{
				kind: 'text',
				chunks: ['Found it.'],
				usage: { prompt_tokens: 80, completion_tokens: 3 }
			}
		);
		const asked: unknown[] = [];
		const { end, seen } = await run(
			options({
				request: request([user('Where?')], { tools: search }),
				executeTool: async (name, input, { toolCallId }) => {
					asked.push([name, input, toolCallId]);
					return { hits: 1 };
				}
			})
		);
		expect(asked).toEqual([['search_history', { query: 'bees' }, 'call_1']]);
		expect(end.parts).toEqual([
			text('Looking. '),
			call('output-available', { input: { query: 'bees' }, output: { hits: 1 } }),
			{ type: 'step-start' },
			text('Found it.')
		]);
		expect(end.usage).toEqual({ inputTokens: 80, outputTokens: 3 });
		expect(end.totalUsage).toEqual({ inputTokens: 130, outputTokens: 8 });
		const states = seen.flatMap((parts) =>
			parts.flatMap((part) => (part.type === 'dynamic-tool' ? [part.state] : []))
		);
		expect([...new Set(states)]).toEqual([
			'input-streaming',
			'input-available',
			'output-available'
		]);
		expect(server.chats[1]?.body?.messages.slice(-2)).toMatchObject([
			{ role: 'assistant', tool_calls: [{ id: 'call_1', function: { name: 'search_history' } }] },
			{ role: 'tool', tool_call_id: 'call_1', content: '{"hits":1}' }
		]);
	});

	test('tells the model of a tool that failed, and goes on', async () => {
		server.enqueue(
			{ kind: 'tool-call', name: 'search_history', input: { query: 'x' } },
			behaviours.text('No luck.')
		);
		const { end } = await run(
			options({
				request: request([user('Where?')], { tools: search }),
				executeTool: async () => {
					throw new Error('the index is gone');
				}
			})
		);
		expect(end.finish).toBe('stop');
		expect(end.parts[0]).toEqual(call('output-error', { errorText: 'the index is gone' }));
		expect(server.chats[1]?.body?.messages.at(-1)).toMatchObject({
			role: 'tool',
			content: expect.stringContaining('the index is gone')
		});
	});

	test('C117 case 37 parallel calls of one id are stored and sent on with a result each', async () => {
		server.enqueue(
			{
				kind: 'tool-call',
				name: 'search_history',
				id: 'call_0',
				input: { query: 'first' },
				also: [{ id: 'call_0', input: { query: 'second' } }]
			},
			behaviours.text('Both.')
		);
		const { end } = await run(
			options({
				request: request([user('Where?')], { tools: search }),
				// The second is answered first.
				executeTool: async (_name, input) => {
					const { query } = input as { query: string };
					if (query === 'first') await new Promise((resolve) => setTimeout(resolve, 20));
					return `found ${query}`;
				}
			})
		);
		expect(end.parts.slice(0, 2)).toMatchObject([
			{ toolCallId: 'call_0', input: { query: 'first' }, output: 'found first' },
			{ input: { query: 'second' }, output: 'found second' }
		]);
		const ids = end.parts.flatMap((part) =>
			part.type === 'dynamic-tool' ? [part.toolCallId] : []
		);
		expect(new Set(ids).size).toBe(2);
		const results = server.chats[1]?.body?.messages.filter(({ role }) => role === 'tool');
		expect(results?.map(({ content }) => content).sort()).toEqual(['found first', 'found second']);
	});

	test('C118 stops calling tools at the step limit, and says so', async () => {
		server.fallback = { kind: 'tool-call', name: 'search_history', input: { query: 'x' } };
		const { end } = await run(
			options({ request: request([user('Where?')], { tools: search }), maxSteps: 2 })
		);
		expect(server.chats).toHaveLength(2);
		expect(end.finish).toBe('tool-calls');
		expect(end.failure).toEqual({
			kind: 'too-many-steps',
			title: 'It called tools 2 times in a row and was stopped.',
			advice: expect.stringContaining('go on'),
			detail: ''
		});
	});

	test('C118 an answer in the last step that is allowed is an answer', async () => {
		server.enqueue(
			{ kind: 'tool-call', name: 'search_history', input: { query: 'x' } },
			behaviours.text('There.')
		);
		const { end } = await run(
			options({ request: request([user('Where?')], { tools: search }), maxSteps: 2 })
		);
		expect(end.finish).toBe('stop');
		expect(end.failure).toBeUndefined();
	});
});

describe('Stop', () => {
	test('keeps what came and ends the request', async () => {
		const stop = new AbortController();
		server.enqueue({ kind: 'hang', chunks: ['Some ', 'text'] });
		const seen: string[] = [];
		let end: AnswerEnd | null = null;
		for await (const event of streamAnswer(options({ signal: stop.signal }))) {
			if (event.type === 'end') end = event;
			else {
				seen.push(event.parts.map((p) => (p.type === 'text' ? p.text : '')).join(''));
				if (seen.at(-1) === 'Some text') stop.abort();
			}
		}
		expect(end).toMatchObject({ finish: 'stopped', parts: [text('Some text')] });
		expect(end?.failure).toBeUndefined();
		const [chat] = server.chats;
		await chat?.closed;
		expect(chat?.aborted).toBe(true);
	});

	test('before the first byte leaves nothing, and is no failure', async () => {
		const stop = new AbortController();
		server.enqueue({ kind: 'hang' });
		const arrived = server.nextChat();
		const running = run(options({ signal: stop.signal }));
		await arrived;
		stop.abort();
		const { end } = await running;
		expect(end).toMatchObject({ finish: 'stopped', parts: [] });
		expect(end.failure).toBeUndefined();
	});

	test('before the start sends nothing', async () => {
		const { end } = await run(options({ signal: AbortSignal.abort() }));
		expect(end).toMatchObject({ finish: 'stopped', parts: [] });
		expect(server.requests).toEqual([]);
	});

	test('while a tool runs closes its call, so that no call is left without a result', async () => {
		const stop = new AbortController();
		server.enqueue({ kind: 'tool-call', name: 'search_history', input: { query: 'x' } });
		const { end } = await run(
			options({
				signal: stop.signal,
				request: request([user('Where?')], { tools: search }),
				executeTool: (_name, _input, { signal }) => {
					stop.abort();
					return new Promise((_, reject) =>
						signal.aborted
							? reject(signal.reason)
							: signal.addEventListener('abort', () => reject(signal.reason))
					);
				}
			})
		);
		expect(end.finish).toBe('stopped');
		expect(end.parts).toEqual([
			call('output-error', { errorText: expect.stringMatching(/stopped/i) })
		]);
	});

	test('leaving the loop early ends the request too', async () => {
		server.enqueue({ kind: 'hang', chunks: ['Some'] });
		for await (const event of streamAnswer(options())) if (event.type === 'parts') break;
		const [chat] = server.chats;
		await chat?.closed;
		expect(chat?.aborted).toBe(true);
	});
});

describe('a failure', () => {
	test.each<[string, Behaviour, object]>([
		['wrong key', behaviours.unauthorized(), { kind: 'auth', status: 401 }],
		['nothing there', behaviours.missing(), { kind: 'not-an-api', status: 404 }],
		[
			'too fast',
			behaviours.rateLimited(7),
			{ kind: 'rate-limit', status: 429, retryAfterSeconds: 7 }
		],
		['too long', behaviours.overflow(8192), { kind: 'overflow', status: 400, limitTokens: 8192 }],
		['broken server', behaviours.serverError(), { kind: 'server', status: 500 }],
		[
			'web page',
			behaviours.html(),
			{ kind: 'not-an-api', title: expect.stringContaining('web page') }
		],
		['half a JSON', behaviours.garbage(), { kind: 'not-an-api' }],
		['nothing said', behaviours.empty(), { kind: 'empty' }],
		[
			'LM Studio’s unknown path: 200 with an error',
			{
				kind: 'status',
				status: 200,
				body: { error: 'Unexpected endpoint or method. (POST /chat)' }
			},
			{ kind: 'not-an-api', detail: expect.stringContaining('Unexpected endpoint') }
		]
	])('%s', async (_name, behaviour, failure) => {
		server.enqueue(behaviour);
		const { end } = await run(options({ provider: at(server, 'sk-very-secret-key') }));
		expect(end.failure).toMatchObject(failure);
		expect(end.finish).toBe(end.failure?.kind === 'empty' ? 'stop' : 'error');
		expect(end.parts).toEqual([]);
		expect(JSON.stringify(end)).not.toContain('very-secret');
		// Nothing is retried behind the user's back.
		expect(server.chats).toHaveLength(1);
	});

	test.each<[string, Behaviour, string]>([
		['the socket dies', behaviours.cutOff('Half an ', 'answer'), 'cut'],
		[
			'the stream closes without a finish',
			{ kind: 'text', chunks: ['Half an ', 'answer'], finish: null },
			'cut'
		],
		[
			'an error comes inside the stream',
			{ kind: 'error-chunk', chunks: ['Half an ', 'answer'], message: 'boom' },
			'server'
		],
		['a line is no JSON', { kind: 'garbage-chunk', chunks: ['Half an ', 'answer'] }, 'cut']
	])('keeps the text when %s', async (_name, behaviour, kind) => {
		server.enqueue(behaviour);
		const { end } = await run(options());
		expect(end.finish).toBe('error');
		expect(end.failure?.kind).toBe(kind);
		expect(end.parts).toEqual([text('Half an answer')]);
	});

	test('a dead server is unreachable', async () => {
		const gone = await OpenAIServer.start();
		const provider = at(gone);
		await gone.stop();
		const { end } = await run(options({ provider }));
		expect(end.failure).toMatchObject({
			kind: 'unreachable',
			title: `The server at ${gone.origin} did not answer.`
		});
	});

	test('a provider’s length and content filter are its own words, no failure', async () => {
		for (const [finish, expected] of [
			['length', 'length'],
			['content_filter', 'content-filter']
		] as const) {
			server.enqueue({ kind: 'text', chunks: ['Half'], finish });
			const { end } = await run(options());
			expect(end).toMatchObject({ finish: expected, parts: [text('Half')] });
			expect(end.failure).toBeUndefined();
		}
	});

	test('reasoning without an answer is empty, and says so', async () => {
		server.enqueue({ kind: 'text', chunks: [], reasoning: ['Hm, hm.'] });
		const { end } = await run(options());
		expect(end.failure).toMatchObject({ kind: 'empty', title: expect.stringContaining('thought') });
	});

	test('an attachment that cannot be read sends nothing', async () => {
		const { end } = await run(
			options({
				request: request([
					user([
						{
							type: 'file',
							filename: 'a.txt',
							mediaType: 'text/plain',
							sha256: 'x',
							size: 1,
							tokens: 1
						}
					])
				]),
				loadFile: async () => {
					throw new Error('The attachment a.txt is gone.');
				}
			})
		);
		expect(end.failure).toMatchObject({ kind: 'unknown', detail: 'The attachment a.txt is gone.' });
		expect(server.requests).toEqual([]);
	});
});
