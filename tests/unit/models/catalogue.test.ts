import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { limitsOf, listModels } from '$lib/models/catalogue';
import { offlineProvider, type ProviderConfig } from '$lib/models/provider';
import { quietFetch } from '$lib/models/http';
import { OpenAIServer } from '../../support/openai-server';

describe('limitsOf', () => {
	test.each<[string, number | null, number | null]>([
		['gpt-4o', 128000, 16384],
		['openai/gpt-4o', 128000, 16384],
		['openrouter/openai/gpt-4o-mini:free', 128000, 16384],
		['gpt-4o-2024-08-06', 128000, 16384],
		['GPT-4.1-mini', 1047576, 32768],
		['gpt-4-0613', 8192, 8192],
		['gpt-4-1106-preview', 128000, 4096],
		['anthropic/claude-3.5-sonnet', 200000, 8192],
		['claude-3-5-sonnet-20241022', 200000, 8192],
		['claude-sonnet-4-5-20250929', 200000, 64000],
		['models/gemini-2.5-flash', 1048576, 65536],
		['gemini-1.5-pro-002', 2097152, 8192],
		['mistral-large-latest', 131072, null],
		['command-r-08-2024', 128000, 4096],
		// Never a guess: older or unknown relatives of known names stay unknown.
		['mistral-large-2402', null, null],
		['gpt-4o-audio-preview', null, null],
		['gpt-4-32k', null, null],
		['my-finetune', null, null],
		['', null, null]
	])('%s', (name, contextWindow, maxOutput) => {
		expect(limitsOf(name)).toEqual({ contextWindow, maxOutput });
	});
});

describe('listModels', () => {
	let server: OpenAIServer;
	beforeAll(async () => {
		server = await OpenAIServer.start({ models: ['gpt-4o', 'a-model'], apiKey: 'sk-right' });
	});
	beforeEach(() => server.reset());
	afterAll(() => server.stop());
	const config = (apiKey: string, baseURL = server.baseURL): ProviderConfig => ({
		kind: 'openai-compatible',
		id: 'mine',
		name: 'Mine',
		baseURL,
		apiKey
	});

	test('lists by name; a local server’s windows are not taken from the catalogue', async () => {
		expect(await listModels(config('sk-right', `${server.baseURL}/ `))).toEqual({
			ok: true,
			models: ['a-model', 'gpt-4o'].map((name) => ({
				ref: { provider: 'mine', model: name },
				name,
				contextWindow: null,
				maxOutput: null
			}))
		});
	});

	test('a wrong key and a wrong path are told apart', async () => {
		expect(await listModels(config('sk-wrong'))).toMatchObject({
			ok: false,
			failure: { kind: 'auth' }
		});
		expect(await listModels(config('sk-right', server.origin))).toMatchObject({
			ok: false,
			failure: { kind: 'not-an-api' }
		});
	});

	test('a cancelled listing is a value, too', async () => {
		const result = await listModels(config('sk-right'), { signal: AbortSignal.abort() });
		expect(result.ok).toBe(false);
	});

	test('the offline model needs no network', async () => {
		expect(await listModels(offlineProvider)).toMatchObject({
			ok: true,
			models: [{ contextWindow: 8192, maxOutput: 2048 }]
		});
		expect(server.requests).toEqual([]);
	});

	// What hosted routers say of their models, read from an answer in their shape.
	test.each<[string, unknown, number | null, number | null]>([
		[
			'OpenRouter',
			{
				data: [
					{
						id: 'x/y',
						context_length: 9000,
						top_provider: { context_length: 8000, max_completion_tokens: 700 }
					}
				]
			},
			8000,
			700
		],
		[
			'Groq',
			{ data: [{ id: 'y', context_window: 131072, max_completion_tokens: 32768 }] },
			131072,
			32768
		],
		['Together: a bare list', [{ id: 'y', context_length: 4096 }], 4096, null],
		['vLLM', { data: [{ id: 'y', max_model_len: 2048 }] }, 2048, null],
		['known by name', { data: [{ id: 'openai/gpt-4o' }] }, 128000, 16384],
		['nothing said', { data: [{ id: 'y', context_length: 0 }] }, null, null]
	])('%s', async (_name, body, contextWindow, maxOutput) => {
		const fetch = async () => Response.json(body);
		const result = await listModels(config('k', 'https://api.example.com/v1'), { fetch });
		expect(result).toMatchObject({ ok: true, models: [{ contextWindow, maxOutput }] });
	});
});

test('quietFetch drops what would be preflighted, and only that', async () => {
	const server = await OpenAIServer.start();
	await quietFetch(fetch)(`${server.baseURL}/models`, {
		headers: { 'User-Agent': 'ai-sdk/1', 'X-Stainless-Lang': 'js', Authorization: 'Bearer k' }
	});
	const headers = server.requests[0]?.headers;
	expect(headers?.['user-agent']).not.toBe('ai-sdk/1');
	expect(headers).not.toHaveProperty('x-stainless-lang');
	expect(headers).toMatchObject({ authorization: 'Bearer k' });
	await server.stop();
});
