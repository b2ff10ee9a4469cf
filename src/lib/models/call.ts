import type { CallContext } from './failure';
import { normalBaseURL, type ProviderConfig } from './provider';

/**
 * What a failure of a call is explained with.
 * @param model the provider's name for it; empty where no model is involved
 * @param started whether some of the answer had arrived
 */
export function callContext(provider: ProviderConfig, model: string, started = false): CallContext {
	const remote = provider.kind === 'openai-compatible';
	return {
		baseURL: remote ? normalBaseURL(provider.baseURL) : '',
		model,
		...(remote && provider.apiKey ? { apiKey: provider.apiKey } : {}),
		started,
		...surroundings()
	};
}

/** What the page knows of itself that helps to explain a failure. Both are absent outside a browser. */
function surroundings(): { pageOrigin?: string; online?: boolean } {
	const origin: string | undefined = globalThis.location?.origin;
	const online: boolean | undefined = globalThis.navigator?.onLine;
	return {
		...(origin === undefined ? {} : { pageOrigin: origin }),
		...(online === undefined ? {} : { online })
	};
}
