import type { ModelRef } from '$lib/history/message';
import type { ModelChoice } from '$lib/session/view';
import { formatTokens } from './format';

/** A model as the value of an option. A model's name may hold anything, a provider's id does not hold a line end. */
export const modelKey = (ref: ModelRef) => `${ref.provider}\n${ref.model}`;

export const sameModel = (a: ModelRef, b: ModelRef) => modelKey(a) === modelKey(b);

export interface ModelGroup {
	/** The provider's name; empty for what stands alone. */
	readonly name: string;
	readonly options: readonly { readonly value: string; readonly label: string }[];
}

/** Every model one can choose, by provider. The chosen one stays, and is said, also where it is no longer offered. */
export function modelGroups(
	models: readonly ModelChoice[],
	chosen: ModelRef | null
): readonly ModelGroup[] {
	const isKnown = chosen === null || models.some(({ ref }) => sameModel(ref, chosen));
	const missing = isKnown
		? []
		: [{ value: modelKey(chosen), label: `${chosen.model} (not available)` }];
	return [
		...(missing.length > 0 ? [{ name: '', options: missing }] : []),
		...[...new Set(models.map(({ providerName }) => providerName))].map((name) => ({
			name,
			options: models
				.filter(({ providerName }) => providerName === name)
				.map((choice) => ({ value: modelKey(choice.ref), label: wordsFor(choice) }))
		}))
	];
}

function wordsFor({ name, contextWindow, assumed }: ModelChoice): string {
	if (contextWindow === null) return name;
	return `${name} · ${formatTokens(contextWindow)}${assumed ? ' assumed' : ''}`;
}

/** The name a model goes by here, else the provider's name for it. */
export function modelName(models: readonly ModelChoice[], ref: ModelRef): string {
	return models.find((choice) => sameModel(choice.ref, ref))?.name ?? ref.model;
}
