/**
 * A loopback server that speaks OpenAI's chat completions over real HTTP, with CORS and preflight as hosted providers
 * answer them. Each chat request takes the next behaviour from a queue; with an empty queue it answers by itself: a
 * checkpoint for a summary request, an echo for anything else. Nothing here waits on a clock: a promise among the
 * chunks holds the stream until the test resolves it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { answer, chat, corsHeaders, defaultFor, type ChatBody } from './openai-answers';
import { behaviours, type Behaviour } from './openai-behaviours';

export { checkpointFor, wireText, type ChatBody } from './openai-answers';
export { behaviours, words, type Behaviour, type Chunk, type WireUsage } from './openai-behaviours';

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
