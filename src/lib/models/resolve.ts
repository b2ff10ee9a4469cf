import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelRef } from '../history/message';
import { quietFetch, streamFetch } from './http';
import { normalBaseURL, type ProviderConfig } from './provider';

export interface ResolveOptions {
	readonly fetch?: typeof globalThis.fetch;
	/** Milliseconds between the offline model's chunks; its own default when left out. */
	readonly paceMs?: number;
}

/** The language model a reference names, ready to stream. Loads what the provider needs, and only that. */
export async function resolveModel(
	provider: ProviderConfig,
	model: ModelRef,
	{ fetch, paceMs }: ResolveOptions = {}
): Promise<LanguageModelV4> {
	if (provider.kind === 'offline') {
		const { OfflineModel } = await import('./offline/model');
		return new OfflineModel(paceMs === undefined ? {} : { paceMs });
	}
	const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
	return createOpenAICompatible({
		// A fixed name: the SDK reads provider options under it, and a user's name for a provider may hold anything.
		name: 'openaiCompatible',
		baseURL: normalBaseURL(provider.baseURL),
		...(provider.apiKey ? { apiKey: provider.apiKey } : {}),
		includeUsage: true,
		// Bound late, so that a guard put over `globalThis.fetch` is the one that is called.
		fetch: streamFetch(quietFetch(fetch ?? ((input, init) => globalThis.fetch(input, init))))
	}).chatModel(model.model);
}
