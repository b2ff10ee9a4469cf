import { retryAfter, type Evidence } from './evidence';
import type { CallContext, Failure } from './failure-kinds';
import { isLocal, localServerAdvice } from './local-server';
import { readOverflow } from './overflow';

/** A failed call, ready to be asked about. */
export interface Case {
	readonly evidence: Evidence;
	readonly call: CallContext;
	/** The base URL and its origin as they may be shown. */
	readonly address: string;
	readonly origin: string;
	says(pattern: RegExp): boolean;
	named(pattern: RegExp): boolean;
}

export type Verdict = Pick<Failure, 'kind' | 'title' | 'advice'> &
	Partial<Pick<Failure, 'retryAfterSeconds' | 'limitTokens'>>;
type Rule = (c: Case) => Verdict | null;

const networkWords =
	/failed to fetch|fetch failed|networkerror|load failed|network error|cannot connect to api|network connection was lost/i;
const networkNames = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ECONNRESET|ETIMEDOUT|EPIPE|UND_ERR/;
const cutWords =
	/without a finish reason|terminated|error in input stream|failed to process successful response|premature|aborted by the server|no output generated/i;

/** Asked in this order; the first that knows the error answers. */
export const rules: readonly Rule[] = [
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
					? 'Wait a moment, then try again.'
					: `Wait ${wait} ${wait === 1 ? 'second' : 'seconds'}, then try again.`,
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
			/model_not_found|no endpoints found|no models? (?:is )?loaded|invalid model|model\b[^\n]{0,120}?(?:not found|does not exist|not exist|is not available)|unknown model/i
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
					advice: 'Try again for a new answer.'
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
					advice: 'Try again for a new answer.'
				}
			: null
];

function unreachableAdvice(c: Case): string {
	if (c.call.online === false && !isLocal(c.call.baseURL))
		return 'Reading, searching and the built-in model work offline. Try again when the connection is back.';
	if (isLocal(c.call.baseURL)) return localServerAdvice(c.call.baseURL, c.call.pageOrigin);
	if (/^http:/i.test(c.call.baseURL) && c.call.pageOrigin?.startsWith('https:'))
		return 'A page loaded over https may not call a server over plain http. Use an https address.';
	// Some hosts (OpenAI, Cerebras) send no CORS header with a refusal, so the browser hides that it was a refusal.
	return c.call.apiKey
		? 'Either the key is wrong (some providers hide that refusal from browsers), or the address is wrong, or the server does not allow this page (CORS).'
		: 'Check the address, that the server runs, and that it allows this page (CORS). A missing key can look like this too.';
}
