import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ModelRef } from '../history/message';
import type { ProviderConfig } from './provider';

export interface ResolveOptions {
	readonly fetch?: typeof globalThis.fetch;
	/** Milliseconds between the offline model's chunks; its own default when left out. */
	readonly paceMs?: number;
}

export async function resolveModel(
	_provider: ProviderConfig,
	_model: ModelRef,
	_options: ResolveOptions = {}
): Promise<LanguageModelV4> {
	throw new Error('Not built yet.');
}
