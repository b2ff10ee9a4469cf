import { NotAnApiError, readEvidence, retryAfter, type Evidence } from './evidence';
import { readOverflow } from './overflow';
import { isLocal, localServerAdvice } from './local-server';
import { shownAddress, withoutKeys } from './redact';

export type FailureKind =
	| 'unreachable'
	| 'not-an-api'
	| 'auth'
	| 'rate-limit'
	| 'overflow'
	| 'model-missing'
	| 'server'
	| 'cut'
	| 'empty'
	| 'blocked'
	| 'unknown';

/** Why a model call failed, in sentences a person can act on. No text of it ever holds a key. */
export interface Failure {
	readonly kind: FailureKind;
	/** What happened. */
	readonly title: string;
	/** What to do. */
	readonly advice: string;
	/** The server's or the browser's own words, shortened, keys removed. May be empty. */
	readonly detail: string;
	/** HTTP status. */
	readonly status?: number;
	readonly retryAfterSeconds?: number;
	/** A window in tokens that the server named when it refused a request that was too long. */
	readonly limitTokens?: number;
}

/** What the failed call was addressed to, and what is known of its circumstances. */
export interface CallContext {
	/** Empty for the offline model. */
	readonly baseURL: string;
	readonly model: string;
	/** Only for removing it from the server's words. */
	readonly apiKey?: string;
	/** Whether some of the answer had arrived. */
	readonly started?: boolean;
	/** The page's own origin, for recipes that must name it. */
	readonly pageOrigin?: string;
	/** `navigator.onLine`. */
	readonly online?: boolean;
	/** Epoch milliseconds, for a `Retry-After` that is a date. */
	readonly now?: number;
}

/** What a fetch guard throws when it refuses a host, so that it reads as a refusal and not as a dead server. */
export class BlockedRequestError extends Error {
	override readonly name = 'BlockedRequestError';
	constructor(readonly host: string) {
		super(`Requests to ${host} are not allowed.`);
	}
}

/** Longest text quoted from a server, in characters. */
const detailMax = 600;

interface Case {
	readonly evidence: Evidence;
	readonly call: CallContext;
	/** The base URL and its origin as they may be shown. */
	readonly address: string;
	readonly origin: string;
	says(pattern: RegExp): boolean;
	named(pattern: RegExp): boolean;
}

type Verdict = Pick<Failure, 'kind' | 'title' | 'advice'> &
	Partial<Pick<Failure, 'retryAfterSeconds' | 'limitTokens'>>;
type Rule = (c: Case) => Verdict | null;

const networkWords =
	/failed to fetch|fetch failed|networkerror|load failed|network error|cannot connect to api|network connection was lost/i;
const networkNames = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|ETIMEDOUT|EPIPE|UND_ERR/;
const cutWords =
	/without a finish reason|terminated|error in input stream|failed to process successful response|premature|aborted by the server|no output generated/i;

/** Asked in this order; the first that knows the error answers. */
const rules: readonly Rule[] = [
	(c) =>
		c.named(/BlockedRequestError/) || c.says(/content security policy/i)
			? {
					kind: 'blocked',
					title: `Hilo did not contact ${c.origin}.`,
					advice:
						'Only hosts of providers you configured may be contacted. Check the address in Settings; a provider added just now may need a reload of this page.'
				}
			: null,
	(c) =>
		c.says(/dynamically imported module|importing a module script failed/i)
			? {
					kind: 'unknown',
					title: 'A part of Hilo itself could not be loaded.',
					advice:
						'The app was probably updated, or is not stored for offline use yet. Reload this page; your messages are safe.'
				}
			: null,
	(c) => {
		const overflow = readOverflow(c.evidence.words) ?? (c.evidence.status === 413 ? {} : null);
		if (!overflow) return null;
		const limit = overflow.limitTokens;
		return {
			kind: 'overflow',
			title: limit
				? `The request is longer than ${c.call.model} takes: its limit here is ${limit.toLocaleString('en')} tokens.`
				: `The request is longer than ${c.call.model} takes.`,
			advice:
				'Compact the conversation, shorten the message, or choose a model with a larger window.',
			...overflow
		};
	},
	(c) =>
		c.says(/moderation|content[_ ]policy|content_filter|flagged|responsibleai/i) &&
		(c.evidence.status ?? 400) < 500
			? {
					kind: 'blocked',
					title: 'The provider refused this request because of its content rules.',
					advice: 'Rephrase the message, or choose another provider for it.'
				}
			: null,
	(c) =>
		c.says(/insufficient[_ ](?:quota|credits?|balance|funds)|exceeded your current quota/i) ||
		c.evidence.status === 402
			? {
					kind: 'rate-limit',
					title: `${c.origin} says that the account has no credit left.`,
					advice: 'Check plan and billing at the provider, or choose another model.'
				}
			: null,
	(c) =>
		c.evidence.status === 401 ||
		(c.evidence.status === 403 && !c.evidence.isHtml) ||
		c.says(/invalid_api_key|incorrect api key|invalid api key|no auth credentials/i)
			? {
					kind: 'auth',
					title: c.call.apiKey
						? `${c.origin} did not accept the key.`
						: `${c.origin} wants a key, and none is set.`,
					advice:
						'Check the key in Settings: copied whole, not expired, and allowed to use this model.'
				}
			: null,
	(c) => {
		if (c.evidence.status !== 429 && !c.named(/rate_limit/)) return null;
		const wait = retryAfter(c.evidence, c.call.now ?? Date.now());
		return {
			kind: 'rate-limit',
			title: `${c.origin} asks to slow down.`,
			advice:
				wait === undefined
					? 'Wait a moment, then press Retry.'
					: `Wait ${wait} ${wait === 1 ? 'second' : 'seconds'}, then press Retry.`,
			...(wait === undefined ? {} : { retryAfterSeconds: wait })
		};
	},
	(c) =>
		c.says(/support tool use|does not support tools|tools? (?:is|are) not supported/i)
			? {
					kind: 'unknown',
					title: `${c.call.model} cannot call tools at ${c.origin}.`,
					advice: 'Choose a model that supports tool calling.'
				}
			: null,
	(c) =>
		c.says(
			/model_not_found|no endpoints found|no models? (?:is )?loaded|invalid model|model\b[^.\n]{0,120}(?:not found|does not exist|not exist|is not available)|unknown model/i
		)
			? {
					kind: 'model-missing',
					title: `${c.origin} has no model named “${c.call.model}”.`,
					advice:
						'Choose one of the listed models. On a local server, load or pull the model first.'
				}
			: null,
	(c) =>
		(c.named(/NotAnApiError/) || (c.evidence.status ?? 0) < 500) && c.evidence.isHtml
			? {
					kind: 'not-an-api',
					title: `${c.address} answered with a web page, not with JSON.`,
					advice: 'The base URL is probably wrong: most end in /v1.'
				}
			: null,
	(c) =>
		c.evidence.status === 404 || c.evidence.status === 405 || c.says(/unexpected endpoint/i)
			? {
					kind: 'not-an-api',
					title: `There is no chat API at ${c.address}.`,
					advice: 'The base URL is probably wrong: most end in /v1.'
				}
			: null,
	(c) =>
		!c.call.started &&
		c.named(
			/NotAnApiError|JSONParseError|TypeValidationError|EmptyResponseBody|InvalidResponseData/
		) &&
		!cutWords.test(c.evidence.words)
			? {
					kind: 'not-an-api',
					title: `${c.address} answered with something that is not a chat answer.`,
					advice:
						'Check the base URL (most end in /v1) and that the server speaks the OpenAI chat completions protocol.'
				}
			: null,
	(c) =>
		(c.evidence.status ?? 0) >= 500
			? {
					kind: 'server',
					title: /loading model/i.test(c.evidence.words)
						? `${c.origin} is still loading the model.`
						: `${c.origin} failed on its side (${c.evidence.status}).`,
					advice: 'Nothing is wrong with your message. Try again in a moment.'
				}
			: null,
	(c) =>
		cutWords.test(c.evidence.words) ||
		(c.call.started &&
			(networkWords.test(c.evidence.words) ||
				c.named(networkNames) ||
				c.named(/JSONParseError|TypeValidationError/)))
			? {
					kind: 'cut',
					title: 'The connection broke off before the answer was complete.',
					advice: 'What arrived is kept. Press Retry for a new answer.'
				}
			: null,
	(c) =>
		networkWords.test(c.evidence.words) || c.named(networkNames) || c.named(/TimeoutError/)
			? {
					kind: 'unreachable',
					title:
						c.call.online === false && !isLocal(c.call.baseURL)
							? `This device is offline, so ${c.origin} could not be reached.`
							: `The server at ${c.origin} did not answer.`,
					advice: unreachableAdvice(c)
				}
			: null,
	(c) =>
		c.evidence.status === undefined && c.call.started
			? {
					kind: 'server',
					title: `${c.origin} reported an error in the middle of the answer.`,
					advice: 'What arrived is kept. Press Retry for a new answer.'
				}
			: null
];

function unreachableAdvice(c: Case): string {
	if (c.call.online === false && !isLocal(c.call.baseURL))
		return 'Reading, searching and the built-in model work offline. Press Retry when the connection is back.';
	if (isLocal(c.call.baseURL)) return localServerAdvice(c.call.baseURL, c.call.pageOrigin);
	if (/^http:/i.test(c.call.baseURL) && c.call.pageOrigin?.startsWith('https:'))
		return 'A page loaded over https may not call a server over plain http. Use an https address.';
	// Some hosts (OpenAI, Cerebras) send no CORS header with a refusal, so the browser hides that it was a refusal.
	return c.call.apiKey
		? 'Either the key is wrong (some providers hide that refusal from browsers), or the address is wrong, or the server does not allow this page (CORS).'
		: 'Check the address, that the server runs, and that it allows this page (CORS). A missing key can look like this too.';
}

/**
 * Puts any error of a model call into words.
 * @param error what was thrown, or the error object a server put into its stream
 */
export function classify(error: unknown, call: CallContext): Failure {
	const evidence = readEvidence(error);
	const address = shownAddress(call.baseURL) || 'The built-in model';
	const c: Case = {
		evidence,
		call,
		address,
		origin: /^https?:\/\/[^/]+/i.exec(address)?.[0] ?? address,
		says: (pattern) => pattern.test(evidence.words),
		named: (pattern) => evidence.names.some((name) => pattern.test(name))
	};
	let verdict: Verdict | null = null;
	for (const rule of rules) if ((verdict = rule(c))) break;
	verdict ??= {
		kind: 'unknown',
		title: evidence.status
			? `${c.origin} refused the request (${evidence.status}).`
			: 'The model could not be asked.',
		advice: 'The details below are the server’s own words. Press Retry, or choose another model.'
	};
	const clean = (text: string) => withoutKeys(text, call.apiKey);
	return {
		...verdict,
		title: clean(verdict.title),
		advice: clean(verdict.advice),
		detail: shorten(clean(evidence.message)),
		...(evidence.status === undefined || error instanceof NotAnApiError
			? {}
			: { status: evidence.status })
	};
}

function shorten(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > detailMax ? `${line.slice(0, detailMax - 1)}…` : line;
}

/** The failure of an answer that came back whole and held nothing. */
export function emptyAnswer(model: string, onlyReasoned: boolean): Failure {
	return {
		kind: 'empty',
		title: onlyReasoned
			? `${model} thought, but wrote no answer.`
			: `${model} answered with nothing.`,
		advice: 'Press Retry, or choose another model.',
		detail: ''
	};
}
