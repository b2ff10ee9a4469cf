/** What the loopback server can be told to do with a chat request, in data. */
export interface WireUsage {
	readonly prompt_tokens: number;
	readonly completion_tokens: number;
	readonly prompt_tokens_details?: { readonly cached_tokens: number };
	readonly completion_tokens_details?: { readonly reasoning_tokens: number };
}

/** A piece of a stream: text to send, or a promise to wait for before going on. */
export type Chunk = string | PromiseLike<unknown>;

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
				/** Further calls of the same answer. */
				readonly also?: readonly { readonly id: string; readonly input: unknown }[];
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

/** A plain HTTP answer instead of a chat answer. */
export type StatusBehaviour = Extract<Behaviour, { readonly kind: 'status' }>;

/** Ready-made refusals, in the words real servers use. */
export const behaviours = {
	text: (...chunks: Chunk[]): Behaviour => ({ kind: 'text', chunks }),
	unauthorized: (cors = true): StatusBehaviour => ({
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
	missing: (): StatusBehaviour => ({ kind: 'status', status: 404, body: { detail: 'Not Found' } }),
	rateLimited: (seconds = 7): StatusBehaviour => ({
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
	overflow: (limit = 8192): StatusBehaviour => ({
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
	serverError: (): StatusBehaviour => ({
		kind: 'status',
		status: 500,
		body: {
			error: {
				message: 'The server had an error while processing your request.',
				type: 'server_error'
			}
		}
	}),
	html: (): StatusBehaviour => ({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'text/html; charset=utf-8' },
		body: '<!doctype html><html><head><title>Welcome</title></head><body>It works</body></html>'
	}),
	garbage: (): StatusBehaviour => ({
		kind: 'status',
		status: 200,
		headers: { 'content-type': 'application/json' },
		body: '{"choices": [ {"delta": '
	}),
	empty: (): Behaviour => ({ kind: 'text', chunks: [] }),
	cutOff: (...chunks: Chunk[]): Behaviour => ({ kind: 'cut', chunks })
} as const;

/** Text in pieces of a few words, as models stream it. */
export const words = (text: string): string[] => text.match(/\s*\S+(?:\s+\S+){0,2}\s*/g) ?? [];
