/**
 * A loopback server that speaks OpenAI's chat completions over real HTTP, with CORS and preflight as hosted providers
 * answer them. Each chat request takes the next behaviour from a queue; with an empty queue it answers by itself: a
 * checkpoint for a summary request, an echo for anything else. Nothing here waits on a clock: a promise among the
 * chunks holds the stream until the test resolves it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface WireUsage {
	readonly prompt_tokens: number;
	readonly completion_tokens: number;
	readonly prompt_tokens_details?: { readonly cached_tokens: number };
	readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

/** A piece of a stream: text to send, or a promise to wait for before going on. */
export type Chunk = string | Promise<unknown>;

interface Common {
	/** Whether the answer carries CORS headers. Default true; the preflight always does. */
	readonly cors?: boolean;
	/** Held before the first byte of the answer. */
	readonly gate?: Promise<unknown>;
}

export type Behaviour = Common &
	(
		| {
				/** `finish: null` closes the stream properly but without a finish reason and without `[DONE]`. */
				readonly kind: 'text';
				readonly chunks: readonly Chunk[];
				readonly reasoning?: readonly Chunk[];
				readonly finish?: 'stop' | 'length' | 'content_filter' | null;
				/** `null`: the server reports none. */
				readonly usage?: WireUsage | null;
		  }
		| { readonly kind: 'echo' }
		| {
				readonly kind: 'tool-call';
				readonly name: string;
				readonly input: unknown;
				readonly id?: string;
				readonly before?: readonly Chunk[];
				readonly usage?: WireUsage;
		  }
		| {
				/** Any plain HTTP answer. An object body is sent as JSON. */
				readonly kind: 'status';
				readonly status: number;
				readonly body?: unknown;
				readonly headers?: Readonly<Record<string, string>>;
		  }
		/** The bytes stop and the socket is destroyed. */
		| { readonly kind: 'cut'; readonly chunks: readonly Chunk[] }
		/** An error object inside the stream, after some text. */
		| { readonly kind: 'error-chunk'; readonly chunks: readonly Chunk[]; readonly message: string }
		/** A `data:` line that is no JSON, after some text. */
		| { readonly kind: 'garbage-chunk'; readonly chunks: readonly Chunk[] }
		/** Some text, then nothing until the client goes away. */
		| { readonly kind: 'hang'; readonly chunks?: readonly Chunk[] }
	);

/** Ready-made refusals, in the words real servers use. */
export const behaviours = {
	text: (...chunks: Chunk[]): Behaviour => ({ kind: 'text', chunks }),
	unauthorized: (cors = true): Behaviour => ({
		kind: 'status',
		status: 401,
		cors,
		body: {
			error: {
				message: 'Incorrect API key provided.',
				type: 'invalid_request_error',
				code: 'invalid_api_key'
			}
		}
	}),
	missing: (): Behaviour => ({ kind: 'status', status: 404, body: { detail: 'Not Found' } }),
	rateLimited: (seconds = 7): Behaviour => ({
		kind: 'status',
		status: 429,
		headers: { 'retry-after': String(seconds) },
		body: {
			error: {
				message: 'Rate limit reached for requests',
				type: 'requests',
				code: 'rate_limit_exceeded'
			}
		}
	}),
	overflow: (limit = 8192): Behaviour => ({
		kind: 'status',
		status: 400,
		body: {
			error: {
				message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${limit + 1000} tokens. Please reduce the length of the messages.`,
				type: 'invalid_request_error',
				param: 'messages',
				code: 'context_length_exceeded'
			}
		}
	}),
	serverError: (): Behaviour => ({
		kind: 'status',
		status: 500,
		body: {
			error: {
				message: 'The server had an error while processing your request.',
				type: 'server_error'
			}
		}
	}),
	html: (): Behaviour => ({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'text/html; charset=utf-8' },
		body: '<!doctype html><html><head><title>Welcome</title></head><body>It works</body></html>'
	}),
	garbage: (): Behaviour => ({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'application/json' },
		body: '{"choices": [ {"delta": '
	}),
	empty: (): Behaviour => ({ kind: 'text', chunks: [] }),
	cutOff: (...chunks: Chunk[]): Behaviour => ({ kind: 'cut', chunks })
} as const;

interface WireMessage {
	readonly role: string;
	readonly content?: unknown;
	readonly tool_calls?: readonly {
		readonly id: string;
		readonly function: { readonly name: string };
	}[];
	readonly tool_call_id?: string;
}

export interface ChatBody {
	readonly model: string;
	readonly stream?: boolean;
	readonly stream_options?: { readonly include_usage?: boolean };
	readonly max_tokens?: number;
	readonly messages: readonly WireMessage[];
	readonly tools?: readonly unknown[];
}

export interface RecordedRequest {
	readonly method: string;
	readonly path: string;
	readonly headers: IncomingMessage['headers'];
	/** The parsed body of a chat request; null for anything else. */
	readonly body: ChatBody | null;
	/** Whether the client went away before the answer was complete. Settled once `closed` is. */
	aborted: boolean;
	/** Resolves when the exchange is over, whoever ended it. */
	readonly closed: Promise<void>;
}

export interface OpenAIServerOptions {
	readonly models?: readonly string[];
	/** When given, anything without this key is refused with 401. */
	readonly apiKey?: string;
	/** Whether a refusal for a wrong key carries CORS headers. OpenAI's does not. Default true. */
	readonly corsOnRefusal?: boolean;
	/** Request headers the preflight allows. A fixed list, as OpenRouter and Mistral have. */
	readonly allowHeaders?: readonly string[];
	/** 0, the default, takes any free port. */
	readonly port?: number;
}

/** The text of a message, whatever shape its content has on the wire. */
export function wireText(message: WireMessage | undefined): string {
	const content = message?.content;
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : ''))
		.join('\n');
}

/** A short, valid checkpoint for a summary request: each heading of the system text, with bullets that cite. */
export function checkpointFor(body: ChatBody): string {
	const system = body.messages
		.filter((m) => m.role === 'system')
		.map(wireText)
		.join('\n');
	const prompt = wireText(body.messages.findLast((m) => m.role === 'user'));
	const headings = [...new Set([...system.matchAll(/^## .+$/gm)].map(([line]) => line.trim()))];
	const blocks = [...prompt.matchAll(/^\[m:(\S+) (user|assistant|tool)[^\]]*\]\n([^\n]*)/gm)];
	return headings
		.map((heading, index) => {
			const block = blocks[index % Math.max(1, blocks.length)];
			if (!block) return `${heading}\n—`;
			const [, id, role, line = ''] = block;
			const mark = role === 'assistant' ? 'model' : role;
			return `${heading}\n- [${mark}] ${line.slice(0, 120)} (m:${id})`;
		})
		.join('\n\n');
}

export class OpenAIServer {
	readonly requests: RecordedRequest[] = [];
	/** What a chat request gets when the queue is empty. */
	fallback: Behaviour | null = null;
	readonly #queue: Behaviour[] = [];
	readonly #waiting: ((request: RecordedRequest) => void)[] = [];
	readonly #server = createServer((request, response) => void this.#handle(request, response));

	#port = 0;

	private constructor(readonly options: OpenAIServerOptions) {}

	static async start(options: OpenAIServerOptions = {}): Promise<OpenAIServer> {
		const server = new OpenAIServer(options);
		await new Promise<void>((resolve) =>
			server.#server.listen(options.port ?? 0, '127.0.0.1', resolve)
		);
		const address = server.#server.address();
		if (typeof address === 'object' && address) server.#port = address.port;
		return server;
	}

	/** Stays the same after `stop`, when nothing answers there any more. */
	get origin(): string {
		return `http://127.0.0.1:${this.#port}`;
	}
	get baseURL(): string {
		return `${this.origin}/v1`;
	}
	get chats(): RecordedRequest[] {
		return this.requests.filter((r) => r.path === '/v1/chat/completions' && r.method === 'POST');
	}
	/** Behaviours for the next chat requests, in order. */
	enqueue(...next: Behaviour[]): void {
		this.#queue.push(...next);
	}
	/** The next chat request that arrives after this call. */
	nextChat(): Promise<RecordedRequest> {
		return new Promise((resolve) => this.#waiting.push(resolve));
	}
	reset(): void {
		this.requests.length = 0;
		this.#queue.length = 0;
		this.fallback = null;
	}
	/** Stops listening and drops open connections. */
	async stop(): Promise<void> {
		const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
		this.#server.closeAllConnections();
		await closed;
	}

	async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const path = new URL(request.url ?? '/', this.origin).pathname;
		if (request.method === 'OPTIONS') return this.#preflight(request, response, path);
		const text = await readAll(request);
		const isChat = path === '/v1/chat/completions' && request.method === 'POST';
		const record = this.#record(request, response, path, isChat ? parseBody(text) : null);

		const key = this.options.apiKey;
		if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
			return answer(response, behaviours.unauthorized(this.options.corsOnRefusal ?? true));
		if (path === '/v1/models' && request.method === 'GET')
			return answer(response, {
				kind: 'status',
				status: 200,
				body: {
					object: 'list',
					data: (this.options.models ?? ['test-model']).map((id) => ({
						id,
						object: 'model',
						created: 1_700_000_000,
						owned_by: 'test'
					}))
				}
			});
		if (!isChat) return answer(response, behaviours.missing());
		if (!record.body)
			return answer(response, {
				kind: 'status',
				status: 400,
				body: { error: { message: 'We could not parse the JSON body of your request.' } }
			});
		const behaviour = this.#queue.shift() ?? this.fallback ?? defaultFor(record.body);
		await chat(response, record.body, behaviour);
	}

	#preflight(request: IncomingMessage, response: ServerResponse, path: string): void {
		this.#record(request, response, path, null);
		const allow = this.options.allowHeaders ?? ['authorization', 'content-type'];
		response.writeHead(204, {
			...corsHeaders,
			'access-control-allow-methods': 'GET, POST, OPTIONS',
			'access-control-allow-headers': allow.join(', '),
			'access-control-allow-private-network': 'true'
		});
		response.end();
	}

	#record(
		request: IncomingMessage,
		response: ServerResponse,
		path: string,
		body: ChatBody | null
	): RecordedRequest {
		let close = () => {};
		const record: RecordedRequest = {
			method: request.method ?? 'GET',
			path,
			headers: request.headers,
			body,
			aborted: false,
			closed: new Promise((resolve) => (close = resolve))
		};
		response.on('close', () => {
			record.aborted = !response.writableEnded;
			close();
		});
		this.requests.push(record);
		if (body) this.#waiting.shift()?.(record);
		return record;
	}
}

const corsHeaders = {
	'access-control-allow-origin': '*',
	'access-control-expose-headers': 'retry-after, x-request-id'
};

async function readAll(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString('utf8');
}

function parseBody(text: string): ChatBody | null {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

function defaultFor(body: ChatBody): Behaviour {
	const last = wireText(body.messages.findLast((m) => m.role === 'user'));
	return last.includes('<transcript>')
		? behaviours.text(...words(checkpointFor(body)))
		: { kind: 'echo' };
}

/** Text in pieces of a few words, as models stream it. */
export const words = (text: string): string[] => text.match(/\s*\S+(?:\s+\S+){0,2}\s*/g) ?? [];

function answer(
	response: ServerResponse,
	b: Extract<Behaviour, { kind: 'status' }> | Behaviour
): void {
	if (b.kind !== 'status') return;
	const isText = typeof b.body === 'string';
	response.writeHead(b.status, {
		'content-type': isText ? 'text/plain' : 'application/json',
		...(b.cors === false ? {} : corsHeaders),
		...b.headers
	});
	response.end(isText ? b.body : JSON.stringify(b.body ?? {}));
}

async function chat(response: ServerResponse, body: ChatBody, b: Behaviour): Promise<void> {
	await b.gate;
	if (b.kind === 'status') return answer(response, b);
	if (b.kind === 'echo')
		return chat(response, body, {
			...b,
			kind: 'text',
			chunks: words(`You said: ${wireText(body.messages.findLast((m) => m.role === 'user'))}`)
		});
	if (body.stream !== true) return whole(response, body, b);

	const send = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`);
	const frame = (delta: unknown, finish: string | null = null) =>
		send({
			id: 'chatcmpl-test',
			object: 'chat.completion.chunk',
			created: 1_700_000_000,
			model: body.model,
			choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }]
		});
	let written = '';
	const pour = async (chunks: readonly Chunk[] = [], field = 'content') => {
		for (const chunk of chunks) {
			if (typeof chunk !== 'string') await chunk;
			else if (!response.destroyed) {
				if (field === 'content') written += chunk;
				frame({ [field]: chunk });
			}
		}
	};
	const finish = (reason: string, usage: WireUsage | null | undefined) => {
		frame({}, reason);
		// OpenAI sends usage in a chunk of its own, without choices, only when asked.
		if (body.stream_options?.include_usage && usage !== null)
			send({
				id: 'chatcmpl-test',
				object: 'chat.completion.chunk',
				created: 1_700_000_000,
				model: body.model,
				choices: [],
				usage: withTotal(usage ?? countUsage(body, written))
			});
		response.write('data: [DONE]\n\n');
	};

	response.writeHead(200, {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-cache',
		...(b.cors === false ? {} : corsHeaders)
	});
	frame({ role: 'assistant', content: '' });
	switch (b.kind) {
		case 'text':
			await pour(b.reasoning, 'reasoning_content');
			await pour(b.chunks);
			if (b.finish !== null) finish(b.finish ?? 'stop', b.usage);
			break;
		case 'tool-call': {
			await pour(b.before);
			const json = JSON.stringify(b.input);
			const half = Math.ceil(json.length / 2);
			const call = { index: 0, id: b.id ?? 'call_1', type: 'function' };
			frame({ tool_calls: [{ ...call, function: { name: b.name, arguments: '' } }] });
			for (const piece of [json.slice(0, half), json.slice(half)])
				frame({ tool_calls: [{ index: 0, function: { arguments: piece } }] });
			finish('tool_calls', b.usage);
			break;
		}
		case 'cut':
			await pour(b.chunks);
			// Flushed first: what was sent before the cut must have left this process.
			await new Promise<void>((resolve) => response.write(': cut\n\n', () => resolve()));
			response.socket?.resetAndDestroy();
			return;
		case 'error-chunk':
			await pour(b.chunks);
			send({ error: { message: b.message, type: 'server_error', code: 500 } });
			break;
		case 'garbage-chunk':
			await pour(b.chunks);
			response.write('data: {"choices": [{"del\n\n');
			break;
		case 'hang':
			await pour(b.chunks);
			return;
	}
	response.end();
}

function whole(response: ServerResponse, body: ChatBody, b: Behaviour): void {
	const text =
		b.kind === 'text' ? b.chunks.filter((chunk) => typeof chunk === 'string').join('') : '';
	const message =
		b.kind === 'tool-call'
			? {
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							id: b.id ?? 'call_1',
							type: 'function',
							function: { name: b.name, arguments: JSON.stringify(b.input) }
						}
					]
				}
			: { role: 'assistant', content: text };
	answer(response, {
		kind: 'status',
		status: 200,
		body: {
			id: 'chatcmpl-test',
			object: 'chat.completion',
			created: 1_700_000_000,
			model: body.model,
			choices: [
				{
					index: 0,
					message,
					finish_reason:
						b.kind === 'tool-call'
							? 'tool_calls'
							: b.kind === 'text'
								? (b.finish ?? 'stop')
								: 'stop'
				}
			],
			usage: withTotal(countUsage(body, text))
		}
	});
}

const countUsage = (body: ChatBody, text: string): WireUsage => ({
	prompt_tokens: Math.ceil(JSON.stringify(body.messages).length / 4),
	completion_tokens: Math.ceil(text.length / 4)
});

const withTotal = (usage: WireUsage) => ({
	...usage,
	total_tokens: usage.prompt_tokens + usage.completion_tokens
});
