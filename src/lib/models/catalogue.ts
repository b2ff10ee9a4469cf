import type { ModelEntry, ProviderConfig } from './provider';

/** Tokens; null where unknown. */
export interface KnownLimits {
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
}

export function limitsOf(_model: string): KnownLimits {
	return { contextWindow: null, maxOutput: null };
}

export interface ListOptions {
	readonly fetch?: typeof globalThis.fetch;
	readonly signal?: AbortSignal;
}

export type ListResult =
	| { readonly ok: true; readonly models: readonly ModelEntry[] }
	| { readonly ok: false; readonly failure: import('./failure').Failure };

export async function listModels(
	_config: ProviderConfig,
	_options: ListOptions = {}
): Promise<ListResult> {
	return { ok: true, models: [] };
}
