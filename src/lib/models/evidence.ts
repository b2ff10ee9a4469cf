/** What an error of the SDK, the browser or a server tells, read without importing the SDK. */
export interface Evidence {
	/** HTTP status, or the status a server put into an error object inside a stream. */
	readonly status?: number;
	readonly headers: Readonly<Record<string, string>>;
	/** Names and codes of the error and its causes, e.g. `AI_APICallError`, `ECONNREFUSED`. */
	readonly names: readonly string[];
	/** Every text found, for matching only. */
	readonly words: string;
	/** The one text worth showing. */
	readonly message: string;
	readonly isHtml: boolean;
}

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null;
const asText = (value: unknown): string | undefined =>
	typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;

/** An HTTP answer that is no chat completion although its status says OK. Thrown by the fetch wrapper. */
export class NotAnApiError extends Error {
	override readonly name = 'NotAnApiError';
	constructor(
		readonly statusCode: number,
		readonly responseBody: string
	) {
		super('The answer is not what a chat API sends.');
	}
}

function parsed(body: string): unknown {
	try {
		return JSON.parse(body);
	} catch {
		return null;
	}
}

/** The human sentence in an error body: `error.message`, `error`, `message` or `detail`, as servers variously have it. */
function sentenceIn(value: unknown): string | undefined {
	if (Array.isArray(value)) return sentenceIn(value[0]);
	if (!isBag(value)) return asText(value);
	const inner = isBag(value['error']) ? sentenceIn(value['error']) : asText(value['error']);
	const metadata = value['metadata'];
	const raw = isBag(metadata) ? asText(metadata['raw']) : undefined;
	const sentence = inner ?? asText(value['message']) ?? asText(value['detail']);
	return sentence && raw ? `${sentence} ${raw}` : (sentence ?? raw);
}

/** Reads an error and its causes, outermost first; stops after a few, since causes can be circular. */
export function readEvidence(error: unknown): Evidence {
	const names: string[] = [];
	const words: string[] = [];
	let headers: Record<string, string> = {};
	let status: number | undefined;
	let body: string | undefined;
	let message: string | undefined;

	let current: unknown = error;
	for (let depth = 0; depth < 6 && current !== undefined && current !== null; depth++) {
		if (!isBag(current)) {
			const text = asText(current);
			if (text) words.push(text);
			message ??= text;
			break;
		}
		const { name, code, type, statusCode, responseBody, responseHeaders } = current;
		for (const label of [name, code, type]) if (typeof label === 'string') names.push(label);
		// Routers put the status of the provider behind them into `code` of an error inside the stream.
		for (const number of [statusCode, current['status'], code])
			if (typeof number === 'number' && number >= 400 && number < 600) status ??= number;
		if (typeof responseBody === 'string') body ??= responseBody;
		if (isBag(responseHeaders)) headers = { ...lowerCased(responseHeaders), ...headers };
		const text = sentenceIn(current);
		if (text) words.push(text);
		message ??= text;
		current = current['cause'] ?? current['lastError'];
	}

	const isHtml = body !== undefined && /^\s*(?:<!doctype html|<html|<head|<body)/i.test(body);
	if (body !== undefined && body.trim() !== '') {
		words.push(body);
		const inBody = isHtml
			? /<title[^>]*>([^<]*)<\/title>/i.exec(body)?.[1]?.trim()
			: (sentenceIn(parsed(body)) ?? body.trim());
		if (inBody) message = inBody;
	}
	return {
		...(status === undefined ? {} : { status }),
		headers,
		names,
		words: words.join('\n'),
		message: message ?? '',
		isHtml
	};
}

function lowerCased(headers: Bag): Record<string, string> {
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])
	);
}

/** Seconds a server asks to wait, from its headers (RFC 9110: seconds or a date) or from its words. */
export function retryAfter(evidence: Evidence, now: number): number | undefined {
	const ms = Number(evidence.headers['retry-after-ms']);
	if (ms > 0) return Math.ceil(ms / 1000);
	const header = evidence.headers['retry-after'];
	if (header !== undefined) {
		const seconds = Number(header);
		if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds));
		const date = Date.parse(header);
		if (Number.isFinite(date)) return Math.max(0, Math.ceil((date - now) / 1000));
	}
	const spoken = /try again in (?:(\d+)m(?!s))?\s*(?:([\d.]+)\s*(ms|s))?/i.exec(evidence.words);
	if (!spoken || (spoken[1] === undefined && spoken[2] === undefined)) return undefined;
	const rest = Number(spoken[2] ?? 0) / (spoken[3]?.toLowerCase() === 'ms' ? 1000 : 1);
	return Math.ceil(Number(spoken[1] ?? 0) * 60 + rest);
}
