import { failureNotice, storageNotice } from './notices';
import type { Price } from '$lib/context/price';
import type { ModelRef } from '$lib/history/message';
import { isLocal } from '$lib/models/local-server';
import { limitsOf } from '$lib/models/limits';
import { priceOf } from '$lib/models/prices';
import { offlineModel, offlineProvider, type ProviderConfig } from '$lib/models/provider';
import type { ModelRow } from '$lib/storage/database';
import { newId } from './ids';
import type { Models } from './models.svelte';
import type { Settings, SettingValues, Theme } from './settings.svelte';
import type {
	KnownOfModel,
	ModelForm,
	ModelList,
	PriceForm,
	ProviderForm,
	ProviderLine,
	SettingsView
} from './settings-view';
import type { Notice } from './view';

/** The settings page's verbs, over the models and the settings. Each says in a sentence why it did not work. */
export class SettingsDesk implements SettingsView {
	constructor(
		private readonly configured: Models,
		private readonly settings: Settings
	) {}

	get providers(): readonly ProviderLine[] {
		const offline: ProviderLine = {
			id: offlineProvider.id,
			kind: 'offline',
			name: offlineProvider.name,
			baseURL: '',
			hasKey: false,
			models: [{ ...offlineModel, name: offlineModel.name }]
		};
		const configured = this.configured.rows.map((row): ProviderLine => ({
			id: row.id,
			kind: row.kind,
			name: row.name,
			baseURL: row.baseURL,
			hasKey: row.sealedKey !== null,
			models: row.models.map(({ model, contextWindow, maxOutput, learntWindow, price }) => ({
				name: model,
				contextWindow,
				maxOutput,
				learntWindow,
				price: price ?? null
			}))
		}));
		return [offline, ...configured];
	}
	get theme() {
		return this.settings.values.theme;
	}
	get autoRatio() {
		return this.settings.values.autoRatio;
	}
	get instructions() {
		return this.settings.values.instructions;
	}
	get template() {
		return this.settings.values.template;
	}
	get summariser() {
		return this.settings.values.summariser;
	}
	get models() {
		return this.configured.choices;
	}

	async saveProvider(form: ProviderForm): Promise<Notice | null> {
		const problem = problemOf(form) ?? this.#priceProblem(form);
		if (problem) return problem;
		return told(async () => {
			const id = form.id ?? newId.run();
			const before = this.configured.rows.find((row) => row.id === id);
			const hadKey = before?.sealedKey ?? null;
			await this.configured.save({
				id,
				name: form.name.trim() || new URL(form.baseURL.trim()).host,
				baseURL: form.baseURL.trim(),
				...(form.key === null ? {} : { apiKey: form.key.trim() }),
				models: form.models.map((model) => rowOf(model, this.known(form.baseURL, model.name).price))
			});
			const lostKey = form.key === null && hadKey !== null && !this.#hasKey(id);
			if (!lostKey) return null;
			return {
				tone: 'warning',
				title: 'Saved, without its key: a key belongs to the address it was entered for.',
				advice: 'Enter the key again for the new address.'
			};
		});
	}

	#priceProblem(form: ProviderForm): Notice | null {
		const open = form.models.find(
			({ name, price }) => priceFrom(price, this.known(form.baseURL, name).price) === undefined
		);
		if (!open) return null;
		return {
			tone: 'warning',
			title: `The price of ${open.name} is not complete.`,
			advice: 'Enter what input and output cost for a million tokens, or leave all three empty.'
		};
	}

	#hasKey(id: string): boolean {
		return this.configured.rows.find((row) => row.id === id)?.sealedKey != null;
	}

	removeProvider(id: string): Promise<Notice | null> {
		return told(async () => {
			await this.configured.remove(id);
			return null;
		});
	}

	async testProvider(form: ProviderForm): Promise<Notice | null> {
		const list = await this.listModels(form);
		return list.kind === 'failed' ? list.notice : null;
	}

	async listModels(form: ProviderForm): Promise<ModelList> {
		const problem = problemOf(form);
		if (problem) return { kind: 'failed', notice: problem };
		const { listModels } = await import('$lib/models/catalogue');
		const result = await listModels(await this.#config(form));
		if (!result.ok) {
			const safe = 'Nothing was saved or sent besides this question.';
			return { kind: 'failed', notice: failureNotice(result.failure, safe, []) };
		}
		const models = result.models.map((model): ModelForm => ({
			name: model.ref.model,
			contextWindow: model.contextWindow,
			maxOutput: model.maxOutput
		}));
		return { kind: 'models', models };
	}

	/** The provider as the form stands; a key that was not typed again is the stored one, if the address is the same. */
	async #config(form: ProviderForm): Promise<ProviderConfig> {
		const baseURL = form.baseURL.trim();
		const stored =
			form.key === null && form.id !== null
				? await this.configured.storedKey(form.id, new URL(baseURL).origin)
				: null;
		const apiKey = form.key?.trim() || stored;
		return {
			kind: 'openai-compatible',
			id: form.id ?? 'new',
			name: form.name,
			baseURL,
			...(apiKey ? { apiKey } : {})
		};
	}

	/** A local server loads a model with a window of its own choosing, and costs nothing. */
	known(baseURL: string, model: string): KnownOfModel {
		const url = baseURL.trim();
		if (URL.canParse(url) && isLocal(url)) {
			return { contextWindow: null, maxOutput: null, price: free };
		}
		const limits = limitsOf(model.trim());
		return {
			contextWindow: limits?.contextWindow ?? null,
			maxOutput: limits?.maxOutput ?? null,
			price: priceOf(model.trim())
		};
	}

	setTheme(theme: Theme) {
		return this.#change({ theme });
	}
	setAutoRatio(autoRatio: number) {
		return this.#change({ autoRatio });
	}
	setInstructions(instructions: string) {
		return this.#change({ instructions });
	}
	setTemplate(template: SettingValues['template']) {
		return this.#change({ template });
	}
	setSummariser(summariser: ModelRef | null) {
		return this.#change({ summariser });
	}

	#change(patch: Partial<SettingValues>): Promise<Notice | null> {
		return told(async () => {
			await this.settings.change(patch);
			return null;
		});
	}
}

async function told(work: () => Promise<Notice | null>): Promise<Notice | null> {
	try {
		return await work();
	} catch (error) {
		return storageNotice(error);
	}
}

const free: Price = { input: 0, cachedInput: 0, output: 0 };

/**
 * The price that was typed, its open fields filled: from what is known, a cached token else costing what any other does.
 * Null where nothing was typed; undefined where input or output is still open.
 */
function priceFrom(
	form: PriceForm | null | undefined,
	known: Price | null
): Price | null | undefined {
	if (!form || (form.input === null && form.cachedInput === null && form.output === null))
		return null;
	const input = form.input ?? known?.input ?? null;
	const output = form.output ?? known?.output ?? null;
	if (input === null || output === null) return undefined;
	// A discount is known of the known input price only.
	const usual = form.input === null ? known?.cachedInput : undefined;
	return { input, cachedInput: form.cachedInput ?? usual ?? input, output };
}

function rowOf(form: ModelForm, known: Price | null): ModelRow {
	return {
		model: form.name.trim(),
		name: form.name.trim(),
		contextWindow: form.contextWindow,
		maxOutput: form.maxOutput,
		learntWindow: form.learntWindow ?? null,
		price: priceFrom(form.price, known) ?? null
	};
}

/** What is wrong with the form itself, before any server is asked. */
function problemOf(form: ProviderForm): Notice | null {
	const refuse = (title: string, advice: string): Notice => ({ tone: 'warning', title, advice });
	const url = URL.canParse(form.baseURL.trim()) ? new URL(form.baseURL.trim()) : null;
	if (!url || !/^https?:$/.test(url.protocol)) {
		return refuse(
			'The base URL is not an address.',
			'It begins with https:// or http:// and usually ends in /v1, for instance http://localhost:11434/v1.'
		);
	}
	if (url.username || url.password) {
		return refuse(
			'The base URL contains a user name or password.',
			'Put the key in its own field.'
		);
	}
	const small = form.models.find(
		(model) => model.contextWindow !== null && model.contextWindow < 2048
	);
	if (small) {
		return refuse(
			`The window of ${small.name} is smaller than 2,048 tokens.`,
			'Enter the model’s context window in tokens, or leave it empty.'
		);
	}
	return null;
}
