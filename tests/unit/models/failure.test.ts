import { describe, expect, test } from 'vitest';
import { BlockedRequestError, classify, type CallContext } from '$lib/models/failure';
import { readOverflow } from '$lib/models/overflow';

const hosted: CallContext = {
	baseURL: 'https://api.example.com/v1',
	model: 'big-model',
	apiKey: 'sk-abcdefgh12345678',
	now: Date.parse('2026-01-01T00:00:00Z')
};
const local: CallContext = { baseURL: 'http://127.0.0.1:11434/v1', model: 'llama3' };

const http = (status: number, body: unknown, headers: Record<string, string> = {}) =>
	Object.assign(new Error('refused'), {
		name: 'AI_APICallError',
		statusCode: status,
		responseBody: typeof body === 'string' ? body : JSON.stringify(body),
		responseHeaders: headers
	});
const said = (status: number, message: string, more: object = {}) =>
	http(status, { error: { message, ...more } });
const network = (message: string, code?: string) =>
	new TypeError(message, { cause: code ? Object.assign(new Error(code), { code }) : undefined });

describe('classify', () => {
	test.each<[string, unknown, CallContext, object]>([
		[
			'Chrome, dead server',
			network('Failed to fetch'),
			local,
			{ kind: 'unreachable', title: 'The server at http://127.0.0.1:11434 did not answer.' }
		],
		[
			'Firefox, dead server',
			network('NetworkError when attempting to fetch resource.'),
			local,
			{ kind: 'unreachable' }
		],
		['Safari, dead server', network('Load failed'), local, { kind: 'unreachable' }],
		['Node, dead server', network('fetch failed', 'ECONNREFUSED'), local, { kind: 'unreachable' }],
		[
			'Ollama without origins: the recipe',
			network('Failed to fetch'),
			{ ...local, pageOrigin: 'https://hilo.app' },
			{ advice: expect.stringContaining('OLLAMA_ORIGINS to https://hilo.app') }
		],
		[
			'hosted with a key: maybe the key',
			network('Failed to fetch'),
			hosted,
			{ kind: 'unreachable', advice: expect.stringMatching(/key is wrong.*CORS/) }
		],
		[
			'device offline',
			network('Failed to fetch'),
			{ ...hosted, online: false },
			{ kind: 'unreachable', title: expect.stringContaining('offline') }
		],
		[
			'offline does not matter to a local server',
			network('Failed to fetch'),
			{ ...local, online: false },
			{ title: expect.not.stringContaining('offline') }
		],
		[
			'https page, http server',
			network('Failed to fetch'),
			{ baseURL: 'http://llm.example.com/v1', model: 'm', pageOrigin: 'https://hilo.app' },
			{ advice: expect.stringContaining('https') }
		],
		[
			'network dies after text',
			network('network error'),
			{ ...hosted, started: true },
			{ kind: 'cut' }
		],
		[
			'Safari: network dies after text',
			network('Load failed'),
			{ ...hosted, started: true },
			{ kind: 'cut' }
		],
		[
			'undici: terminated',
			network('terminated', 'UND_ERR_SOCKET'),
			{ ...hosted, started: true },
			{ kind: 'cut' }
		],
		[
			'no finish',
			Object.assign(new Error('Response stream ended without a finish reason.'), {
				name: 'AI_InvalidResponseDataError'
			}),
			hosted,
			{ kind: 'cut' }
		],
		[
			'OpenAI 401',
			said(401, 'Incorrect API key provided: sk-abcdefgh12345678.'),
			hosted,
			{ kind: 'auth', status: 401, title: 'https://api.example.com did not accept the key.' }
		],
		[
			'401, none set',
			said(401, 'Missing bearer'),
			{ ...hosted, apiKey: undefined },
			{ kind: 'auth', title: expect.stringContaining('none is set') }
		],
		['403', said(403, 'Forbidden'), hosted, { kind: 'auth', status: 403 }],
		[
			'OpenRouter moderation 403',
			said(403, 'Input was flagged by moderation'),
			hosted,
			{ kind: 'blocked' }
		],
		[
			'429 in seconds',
			http(429, { error: { message: 'slow down' } }, { 'Retry-After': '12' }),
			hosted,
			{ kind: 'rate-limit', retryAfterSeconds: 12, advice: expect.stringContaining('12 seconds') }
		],
		[
			'429 as a date',
			http(429, '{}', { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }),
			hosted,
			{ retryAfterSeconds: 60 }
		],
		[
			'429 in words',
			said(
				429,
				'Rate limit reached … on tokens per minute (TPM): Limit 6000, Used 5900. Please try again in 1m2.5s.'
			),
			hosted,
			{ kind: 'rate-limit', retryAfterSeconds: 63 }
		],
		[
			'429 in milliseconds',
			said(429, 'Please try again in 350ms.'),
			hosted,
			{ retryAfterSeconds: 1 }
		],
		[
			'no credit',
			said(429, 'You exceeded your current quota', { code: 'insufficient_quota' }),
			hosted,
			{ kind: 'rate-limit', title: expect.stringContaining('no credit') }
		],
		[
			'OpenRouter 402',
			said(402, 'Insufficient credits'),
			hosted,
			{ kind: 'rate-limit', status: 402 }
		],
		[
			'Ollama model',
			said(404, 'model "llama3" not found, try pulling it first'),
			local,
			{ kind: 'model-missing', status: 404, title: expect.stringContaining('“llama3”') }
		],
		[
			'OpenAI model',
			said(404, 'The model `gpt-4.9` does not exist or you do not have access to it.', {
				code: 'model_not_found'
			}),
			hosted,
			{ kind: 'model-missing' }
		],
		[
			'LM Studio, none loaded',
			said(400, 'No models loaded. Please load a model in the developer page.'),
			local,
			{ kind: 'model-missing' }
		],
		[
			'404 elsewhere',
			http(404, { detail: 'Not Found' }),
			hosted,
			{ kind: 'not-an-api', advice: expect.stringContaining('/v1') }
		],
		[
			'404 web page',
			http(404, '<!DOCTYPE html><title>Oops</title>'),
			hosted,
			{
				kind: 'not-an-api',
				title: 'https://api.example.com/v1 answered with a web page, not with JSON.',
				detail: 'Oops'
			}
		],
		['500', said(500, 'oh no'), hosted, { kind: 'server', status: 500, detail: 'oh no' }],
		[
			'502 web page',
			http(502, '<html><title>Bad gateway</title></html>'),
			hosted,
			{ kind: 'server', detail: 'Bad gateway' }
		],
		[
			'llama.cpp loading',
			said(503, 'Loading model'),
			local,
			{ kind: 'server', title: expect.stringContaining('loading') }
		],
		['413', http(413, ''), hosted, { kind: 'overflow', status: 413 }],
		[
			'router’s error inside the stream',
			{ message: 'Provider returned error', code: 502 },
			{ ...hosted, started: true },
			{ kind: 'server', status: 502 }
		],
		[
			'error inside the stream',
			{ message: 'boom', type: 'oops' },
			{ ...hosted, started: true },
			{ kind: 'server', detail: 'boom' }
		],
		[
			'tools',
			said(404, 'No endpoints found that support tool use.'),
			hosted,
			{ kind: 'unknown', title: expect.stringContaining('tools') }
		],
		['guard', new BlockedRequestError('evil.example'), hosted, { kind: 'blocked' }],
		[
			'CSP',
			new TypeError(
				'Refused to connect because it violates the document’s Content Security Policy'
			),
			hosted,
			{ kind: 'blocked' }
		],
		[
			'our own chunk is gone',
			new TypeError('Failed to fetch dynamically imported module: /x.js'),
			hosted,
			{ kind: 'unknown', title: expect.stringContaining('Hilo') }
		],
		[
			'422',
			said(422, 'temperature: out of range'),
			hosted,
			{ kind: 'unknown', status: 422, detail: 'temperature: out of range' }
		],
		['nothing known', undefined, hosted, { kind: 'unknown' }],
		[
			'circular causes',
			(() => {
				const e: Error & { cause?: unknown } = new Error('round');
				e.cause = e;
				return e;
			})(),
			hosted,
			{ kind: 'unknown', detail: 'round' }
		]
	])('%s', (_name, error, call, expected) => {
		expect(classify(error, call)).toMatchObject(expected);
	});

	test.each([
		['echoed', said(401, 'Bad key sk-abcdefgh12345678!')],
		['in a bearer', said(400, 'Header was: Bearer sk-abcdefgh12345678')],
		['of another', said(401, 'Incorrect API key provided: sk-proj-ZZZZZZZZ****9999')],
		['in a URL', said(400, 'GET https://h/x?key=AIzaSyA1234567890abcdefghijk failed')]
	])('never shows a key: %s', (_name, error) => {
		const shown = JSON.stringify(classify(error, hosted));
		expect(shown).not.toMatch(/sk-|AIza|abcdefgh1234|ZZZZ/);
		expect(shown).toContain('[key]');
	});

	test('never shows what an address carries besides origin and path', () => {
		const call = { ...hosted, baseURL: 'https://me:pass@api.example.com/v1?key=hush#x' };
		expect(JSON.stringify(classify(http(404, ''), call))).not.toMatch(/pass|hush/);
	});

	test('shortens a long body', () => {
		expect(classify(http(400, 'x'.repeat(5000)), hosted).detail).toHaveLength(600);
	});
});

describe('overflow', () => {
	test.each<[string, string, number | undefined]>([
		[
			'OpenAI',
			"This model's maximum context length is 128000 tokens. However, your messages resulted in 130000 tokens.",
			128000
		],
		[
			'OpenRouter',
			"This endpoint's maximum context length is 131,072 tokens. However, you requested about 140000 tokens",
			131072
		],
		['OpenAI, new', 'Your input exceeds the context window of this model.', undefined],
		[
			'vLLM',
			"'max_tokens' is too large: 9000. This model's maximum context length is 8192 tokens and your request has 500 input tokens",
			8192
		],
		[
			'vLLM, decoder',
			'The decoder prompt (length 9000) is longer than the maximum model length of 8192.',
			8192
		],
		[
			'llama.cpp',
			'request (9001 tokens) exceeds the available context size (4096 tokens), try increasing it',
			4096
		],
		[
			'llama.cpp, old',
			'the request exceeds the available context size. try increasing the context size',
			undefined
		],
		[
			'llama.cpp, fields',
			'{"error":{"code":400,"type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":4096}}',
			4096
		],
		[
			'LM Studio',
			'Trying to keep the first 9001 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
			4096
		],
		[
			'LM Studio, n_keep',
			'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9001>= n_ctx: 4096).',
			4096
		],
		['Ollama', 'the input length exceeds the context length', undefined],
		['Ollama, max', 'prompt too long; exceeded max context length by 123 tokens', undefined],
		[
			'Mistral',
			'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
			32768
		],
		['Groq', 'Please reduce the length of the messages or completion.', undefined],
		[
			'Cerebras',
			'Please reduce the length of the messages or completion. Current length is 9001 while limit is 8192',
			8192
		],
		[
			'Groq, TPM',
			'Request too large for model `x` in organization `o` on tokens per minute (TPM): Limit 6000, Requested 9001',
			6000
		],
		['Anthropic', 'prompt is too long: 213462 tokens > 200000 maximum', 200000],
		[
			'Anthropic, with output',
			'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
			200000
		],
		[
			'Google',
			'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
			1048575
		],
		[
			'xAI',
			"This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
			131072
		],
		[
			'Together',
			"The input (516368 tokens) is longer than the model's context length (262144 tokens).",
			262144
		],
		[
			'TGI',
			'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000',
			8192
		],
		['Moonshot', 'Your request exceeded model token limit: 131072 (requested: 140000)', 131072],
		['GitHub Models', 'Request body too large for gpt-4o model. Max size: 8000 tokens.', 8000]
	])('%s', (_name, words, limit) => {
		expect(readOverflow(words)).toEqual(limit === undefined ? {} : { limitTokens: limit });
		const failure = classify(said(400, words), hosted);
		expect(failure).toMatchObject({ kind: 'overflow' });
		expect(failure.limitTokens).toBe(limit);
	});

	test.each([
		'Rate limit reached for model x on tokens per minute (TPM): Limit 6000, Used 5000, Requested 2000.',
		'max_tokens must be less than or equal to 8192',
		'The model is overloaded.'
	])('is not: %s', (words) => {
		expect(readOverflow(words)).toBeNull();
	});
});
