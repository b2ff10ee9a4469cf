import type { ModelMessage } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { capacityOf } from '$lib/context/capacity';
import { estimateText } from '$lib/context/estimate';
import { handleOf, readHandle, resultAt, tokensPerResult } from '$lib/context/results';
import { estimatorOf } from '$lib/context/measure';
import type { MessageId, Part } from '$lib/history/message';
import { RunRoom } from '$lib/models/run-room';
import { streamAnswer, type AnswerEnd, type AnswerOptions } from '$lib/models/answer';
import { behaviours, OpenAIServer, wireText, type ChatBody } from '../../support/openai-server';
import { words } from '../../support/tree';
import { at, model, request, search, user } from './build';

vi.setConfig({ testTimeout: 30_000 }); // The first test loads the SDK, which takes seconds on a busy machine.

let server: OpenAIServer;
beforeAll(async () => {
	server = await OpenAIServer.start();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

/** Safe limit 6,144; one result may take 1,536. */
const capacity = capacityOf({ contextWindow: 8192, maxOutput: null });
const messageId = '00000000-0000-7000-8000-000000000abc' as MessageId;
const handle = (place: number) => handleOf(messageId, place);
/** The server does not say what a request took: then our estimate decides. */
const silent = { prompt_tokens: 0, completion_tokens: 0 };
const ask = (input: unknown, name = 'search_history') => ({
	kind: 'tool-call' as const,
	name,
	input,
	usage: silent
});
const result = (n: number) => `Result ${n}. ${words(2000, n)}`;

async function run(more: Partial<AnswerOptions> = {}): Promise<AnswerEnd> {
	let count = 0;
	for await (const event of streamAnswer({
		provider: at(server),
		model,
		request: request([user('Look.')], { tools: search, maxOutputTokens: 5000 }),
		executeTool: async () => result(++count),
		loadFile: async () => ({}),
		signal: new AbortController().signal,
		now: () => 0,
		room: { capacity, messageId },
		...more
	})) {
		if (event.type === 'end') return event;
	}
	throw new Error('The answer had no end.');
}

const bodies = () => server.chats.flatMap(({ body }) => (body ? [body] : []));
const toolTexts = (body: ChatBody | undefined) =>
	(body?.messages ?? []).filter(({ role }) => role === 'tool').map(wireText);
const tokensOf = (body: ChatBody) =>
	body.messages.reduce(
		(sum, message) =>
			sum +
			estimateText(wireText(message)) +
			estimateText(JSON.stringify(message.tool_calls ?? '')),
		estimateText(JSON.stringify(body.tools))
	);

describe('an answer of many steps', () => {
	test('C111 six large results in a small window: each request fits, and what was left out can be read', async () => {
		server.enqueue(
			...Array.from({ length: 6 }, (_, n) => ask({ query: `q${n + 1}` })),
			ask({ query: handle(1) }),
			behaviours.text('Done.')
		);
		let count = 0;
		const end = await run({
			executeTool: async (_name, input, call) => {
				const { query } = input as { query: string };
				return readHandle(query) ? `Again: ${call.result(query)?.slice(0, 400)}` : result(++count);
			}
		});
		expect(end).toMatchObject({ finish: 'stop', parts: expect.anything() });
		expect(end.failure).toBeUndefined();
		expect(bodies()).toHaveLength(8);
		for (const [index, body] of bodies().entries()) {
			expect(tokensOf(body)).toBeLessThanOrEqual(capacity.safeLimit);
			// Calls and results, in turns.
			expect(body.messages.slice(2).map(({ role }) => role)).toEqual(
				Array.from({ length: index }, () => ['assistant', 'tool']).flat()
			);
		}
		const last = toolTexts(bodies().at(-1));
		expect(last[0]).toBe(
			`[Left out to save room: ${result(1).length} characters. read_tool_result reads them, handle ${handle(1)}.]`
		);
		expect(last[5]).toContain(`handle ${handle(6)}, offset`);
		expect(estimateText(last[5] ?? '')).toBeLessThanOrEqual(tokensPerResult(capacity));
		expect(last[6]).toBe(`Again: ${result(1).slice(0, 400)}`);
		// What is stored is whole, and its handle names it.
		expect([1, 6].map((place) => resultAt(end.parts, place))).toEqual([result(1), result(6)]);
	});

	test('C111 C117 results of parallel calls of one id have each its own handle, in whatever order they came', () => {
		const room = new RunRoom({ capacity, messageId }, request([user('Look.')]));
		const called = (input: number) => ({
			type: 'tool-call' as const,
			toolCallId: 'call_0',
			toolName: 't',
			input
		});
		const told = (input: number) => ({
			...called(input),
			type: 'tool-result' as const,
			output: result(input)
		});
		const step = (first: number) => {
			const content = [called(first), called(first + 1), told(first + 1), told(first)];
			const chunks = [{ type: 'start-step' }, ...content];
			for (const chunk of chunks) room.note(chunk as unknown as Parameters<typeof room.note>[0]);
			return { content } as unknown as Parameters<typeof room.isFull>[0][number];
		};
		const steps = [step(1)];
		expect(room.isFull(steps)).toBe(false);
		expect(room.isFull([...steps, step(3)])).toBe(false);
		expect([1, 2, 3, 4].map((place) => room.result(handle(place)))).toEqual(
			[1, 2, 3, 4].map(result)
		);

		const output = { type: 'text' as const, value: '' };
		const content = ['call_0', 'call_0'].map((toolCallId) => ({
			...{ type: 'tool-result' as const, toolCallId, toolName: 't', output }
		}));
		const messages: ModelMessage[] = [1, 2].flatMap((): ModelMessage[] => [
			{ role: 'assistant', content: 'I call.' },
			{ role: 'tool', content }
		]);
		// Results stand in the messages in the order in which they came.
		const sent = room
			.prepare(messages, 0)
			.messages.flatMap((message) =>
				message.role === 'tool' ? [JSON.stringify(message.content)] : []
			);
		expect(
			sent.map((text) => [...text.matchAll(/r:\w+\.(\d)/g)].map(([, place]) => place))
		).toEqual([
			['2', '1'],
			['4', '3']
		]);
	});

	test('C111 C13 the request is measured as the model counts its images', async () => {
		const image: Part = {
			type: 'file',
			mediaType: 'image/png',
			filename: 'a.png',
			sha256: 'ab'.repeat(32),
			size: 1,
			tokens: 100,
			width: 4000,
			height: 4000
		};
		const question = request([user([image, { type: 'text', text: 'Look.' }])], { tools: search });
		const dear = estimatorOf(1.2, undefined, () => capacity.safeLimit);
		for (const [more, expected] of [
			[{}, undefined],
			[{ factor: 1.2, estimator: estimatorOf(1.2) }, undefined],
			[{ factor: 1.2, estimator: dear }, 'no-room']
		] as const) {
			server.reset();
			server.enqueue(ask({ query: 'x' }), behaviours.text('Done.'));
			const end = await run({
				request: question,
				room: { capacity, messageId, ...more },
				executeTool: async () => 'found'
			});
			expect(end.failure?.kind).toBe(expected);
		}
	});

	test('C112 what was left out stays so, and the beginning of the requests the same', async () => {
		server.enqueue(
			...Array.from({ length: 6 }, () => ask({ query: 'x' })),
			behaviours.text('Done.')
		);
		await run();
		const texts = bodies().map(toolTexts);
		for (let n = 1; n < texts.length; n++) {
			const [before = [], after = []] = [texts[n - 1], texts[n]];
			for (const [index, text] of before.entries()) {
				if (text.startsWith('[Left out')) expect(after[index]).toBe(text);
				else expect([text, expect.stringMatching(/^\[Left out/)]).toContainEqual(after[index]);
			}
		}
	});

	test('C114 where no further step fits, the answer ends with what it has and says why', async () => {
		server.enqueue({ ...ask({ query: 'x' }), before: ['I looked. '] });
		const question = user(words(capacity.safeLimit - 190));
		const end = await run({ request: request([question], { tools: search }) });
		expect(bodies()).toHaveLength(1);
		expect(end).toMatchObject({
			finish: 'tool-calls',
			failure: {
				kind: 'no-room',
				title: 'The answer needed more room than this model has.',
				detail: expect.stringContaining(String(capacity.safeLimit))
			}
		});
		expect(end.parts[0]).toEqual({ type: 'text', text: 'I looked. ' });
		expect(resultAt(end.parts, 1)).toBe(result(1));
	});

	test('C115 a provider that counts more than we do has older results left out sooner', async () => {
		const large = { prompt_tokens: 4500, completion_tokens: 20 };
		for (const [usage, expected] of [
			[silent, false],
			[large, true]
		] as const) {
			server.reset();
			const steps = Array.from({ length: 3 }, () => ({ ...ask({ query: 'x' }), usage }));
			server.enqueue(...steps, behaviours.text('Done.'));
			await run({ executeTool: async () => words(1200) });
			expect(toolTexts(bodies()[3])[0]?.startsWith('[Left out')).toBe(expected);
		}
	});

	test('C116 no step asks for more output than fits beside its input', async () => {
		server.enqueue(
			...Array.from({ length: 4 }, () => ask({ query: 'x' })),
			behaviours.text('Done.')
		);
		await run();
		expect(bodies()[0]?.max_tokens).toBe(5000);
		for (const body of bodies().slice(1)) {
			expect(tokensOf(body) + (body.max_tokens ?? Infinity)).toBeLessThanOrEqual(capacity.window);
		}
		expect(bodies().at(-1)?.max_tokens).toBeLessThan(5000);
	});

	test('C110 an error of a tool is cut too, and stays one', async () => {
		server.enqueue(ask({ query: 'x' }), behaviours.text('Done.'));
		await run({
			executeTool: async () => {
				throw new Error(result(1));
			}
		});
		expect(toolTexts(bodies()[1])[0]).toContain(`handle ${handle(1)}, offset`);
	});
});
