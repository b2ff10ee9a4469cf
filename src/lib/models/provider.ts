import type { ModelRef } from '../history/message';

/** The model that is always there: no network, no key, no weights. */
export interface OfflineProvider {
	readonly kind: 'offline';
	readonly id: 'offline';
	readonly name: string;
}

/** Any server that speaks OpenAI's chat completions: a hosted one with a key, or a local one without. */
export interface OpenAICompatibleProvider {
	readonly kind: 'openai-compatible';
	readonly id: string;
	readonly name: string;
	/** Where `/models` and `/chat/completions` hang; usually ends in `/v1`. */
	readonly baseURL: string;
	readonly apiKey?: string;
}

/** A configured source of models. Its `id` is what `ModelRef.provider` names. */
export type ProviderConfig = OfflineProvider | OpenAICompatibleProvider;

/** A model one can choose. Tokens; null where unknown. */
export interface ModelEntry {
	readonly ref: ModelRef;
	readonly name: string;
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
}

export const offlineProvider: OfflineProvider = {
	kind: 'offline',
	id: 'offline',
	name: 'Built-in, offline'
};

/** Window small enough that a newcomer meets compaction within minutes. */
export const offlineModel: ModelEntry = {
	ref: { provider: 'offline', model: 'hilo-extractive' },
	name: 'Hilo extractive',
	contextWindow: 8192,
	maxOutput: 2048
};

/** The base URL in the form it is used in: trimmed, without query, fragment or trailing slashes. */
export function normalBaseURL(baseURL: string): string {
	return baseURL
		.trim()
		.replace(/[?#].*$/, '')
		.replace(/\/+$/, '');
}
