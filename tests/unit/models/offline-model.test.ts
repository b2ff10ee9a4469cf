import type {
	LanguageModelV4CallOptions,
	LanguageModelV4Prompt,
	LanguageModelV4StreamPart
} from '@ai-sdk/provider';
import { describe, expect, test, vi } from 'vitest';
import { estimateText } from '$lib/context/estimate';
import { streamAnswer } from '$lib/models/answer';
import { pieces } from '$lib/models/offline/pace';
import { OfflineModel } from '$lib/models/offline/model';
import { offlineModel, offlineProvider } from '$lib/models/provider';
import { assistant, request, search, user } from './build';

vi.setConfig({ testTimeout: 30_000 }); // One test loads the SDK, which takes seconds on a busy machine.

const hello: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }];
const model = new OfflineModel({ paceMs: 0 });

async function parts(options: LanguageModelV4CallOptions, from = model) {
	const seen: LanguageModelV4StreamPart[] = [];
	const reader = (await from.doStream(options)).stream.getReader();
	for (let next = await reader.read(); !next.done; next = await reader.read())
		seen.push(next.value);
	return seen;
}

describe('the offline model', () => {
	test('streams by the specification, and the deltas make up the text', async () => {
		const seen = await parts({ prompt: hello });
		expect(seen.map((part) => part.type).filter((type) => type !== 'text-delta')).toEqual([
			'stream-start',
			'text-start',
			'text-end',
			'finish'
		]);
		const text = seen.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
		const whole = await model.doGenerate({ prompt: hello });
		expect(whole.content).toEqual([{ type: 'text', text }]);
		expect(seen.filter((part) => part.type === 'text-delta').length).toBeGreaterThan(10);
		expect(seen.at(-1)).toMatchObject({
			finishReason: { unified: 'stop' },
			usage: { outputTokens: { total: estimateText(text) } }
		});
	});

	test('reports more input for a longer prompt', async () => {
		const short = await model.doGenerate({ prompt: hello });
		const long = await model.doGenerate({
			prompt: [{ role: 'system', content: 'word '.repeat(500) }, ...hello]
		});
		expect(long.usage.inputTokens.total).toBeGreaterThan(
			(short.usage.inputTokens.total ?? 0) + 400
		);
	});

	test.each([1, 20, 60])('keeps to %d output tokens and says so', async (maxOutputTokens) => {
		const { content, finishReason } = await model.doGenerate({ prompt: hello, maxOutputTokens });
		const [part] = content;
		expect(finishReason.unified).toBe('length');
		expect(part?.type === 'text' ? estimateText(part.text) : Infinity).toBeLessThanOrEqual(
			maxOutputTokens
		);
	});

	test('stops promptly, however slow its pace is', async () => {
		const stop = new AbortController();
		const slow = new OfflineModel({ paceMs: 60_000 });
		const { stream } = await slow.doStream({ prompt: hello, abortSignal: stop.signal });
		const reader = stream.getReader();
		for (let i = 0; i < 3; i++) await reader.read();
		const pending = reader.read();
		stop.abort(new Error('enough'));
		await expect(pending).rejects.toThrow('enough');
	});

	test.each(['', 'one', ' two  words ', 'a b c d e f g\n\nh', '\n'])(
		'pieces join to the text: %j',
		(text) => {
			expect(pieces(text).join('')).toBe(text);
		}
	);
});

test('answers through the SDK: calls the tool, then quotes its result', async () => {
	const asked: unknown[] = [];
	const events = [];
	for await (const event of streamAnswer({
		provider: offlineProvider,
		model: offlineModel.ref,
		request: request(
			[user('We sleep well.'), assistant('Fine.'), user('What is the Westerberg dosage?')],
			{ tools: search }
		),
		executeTool: async (name, input) => {
			asked.push([name, input]);
			return [{ message: '0a1b2c3d4e', role: 'user', snippet: 'Westerberg: dosage 20 mg.' }];
		},
		loadFile: async () => ({}),
		signal: new AbortController().signal,
		now: () => 0,
		paceMs: 0
	}))
		events.push(event);
	expect(asked).toEqual([['search_history', { query: 'Westerberg dosage' }]]);
	expect(events.at(-1)).toMatchObject({
		type: 'end',
		finish: 'stop',
		parts: [
			{ type: 'dynamic-tool', state: 'output-available', toolCallId: 'offline-1' },
			{ type: 'step-start' },
			{ type: 'text', text: expect.stringContaining('> Westerberg: dosage 20 mg.') }
		],
		usage: { inputTokens: expect.any(Number) }
	});
});
