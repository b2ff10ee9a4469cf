import type { Price } from '$lib/context/price';
import type { ModelRef, TemplateName } from '$lib/history/message';
import type { Theme } from './settings.svelte';
import type { ModelChoice, Notice } from './view';

/** A price as it is typed: US dollars for a million tokens, null where a field is left open. */
export interface PriceForm {
	readonly input: number | null;
	readonly cachedInput: number | null;
	readonly output: number | null;
}

/** One model of a provider as it is edited. Tokens; null where unknown. */
export interface ModelForm {
	/** The provider's own name for it. */
	readonly name: string;
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
	/** A lower window learnt from a provider's refusal: shown, and used instead. */
	readonly learntWindow?: number | null;
	/** Absent or open fields: the price that is known without it stands. */
	readonly price?: PriceForm | null;
}

/** What the built-in lists know of a model at an address. Tokens; null where unknown. */
export interface KnownOfModel {
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
	readonly price: Price | null;
}

/** A configured provider as the list shows it. The key itself never comes to a component. */
export interface ProviderLine {
	readonly id: string;
	readonly kind: 'offline' | 'openai-compatible';
	readonly name: string;
	/** Empty for the built-in model. */
	readonly baseURL: string;
	readonly hasKey: boolean;
	readonly models: readonly ModelForm[];
}

/** What the form hands over. */
export interface ProviderForm {
	/** null for a new one. */
	readonly id: string | null;
	readonly name: string;
	readonly baseURL: string;
	/** null: the stored key stays as it is. An empty text: no key. */
	readonly key: string | null;
	readonly models: readonly ModelForm[];
}

/** The models a server lists, or why it did not. */
export type ModelList =
	| { readonly kind: 'models'; readonly models: readonly ModelForm[] }
	| { readonly kind: 'failed'; readonly notice: Notice };

/**
 * The settings as components see them: values to show, verbs to call. A verb resolves with the sentence to show in
 * place, or null when there is nothing to say.
 */
export interface SettingsView {
	readonly providers: readonly ProviderLine[];
	readonly theme: Theme;
	/** Share of the window, 0.5–0.95. */
	readonly autoRatio: number;
	/** The system instructions a new session begins with. */
	readonly instructions: string;
	readonly template: TemplateName;
	/** Who writes the summaries; null: the model of the session. */
	readonly summariser: ModelRef | null;
	/** Every model that can be chosen. */
	readonly models: readonly ModelChoice[];

	saveProvider(form: ProviderForm): Promise<Notice | null>;
	removeProvider(id: string): Promise<Notice | null>;
	/** Asks the server as the form stands, without saving it. null means it answered. */
	testProvider(form: ProviderForm): Promise<Notice | null>;
	listModels(form: ProviderForm): Promise<ModelList>;
	/** What is known of a model where nothing is typed. */
	known(baseURL: string, model: string): KnownOfModel;
	setTheme(theme: Theme): Promise<Notice | null>;
	setAutoRatio(ratio: number): Promise<Notice | null>;
	setInstructions(text: string): Promise<Notice | null>;
	setTemplate(template: TemplateName): Promise<Notice | null>;
	setSummariser(model: ModelRef | null): Promise<Notice | null>;
}
