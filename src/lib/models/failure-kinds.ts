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
	| 'no-room'
	| 'too-many-steps'
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
