import { failureNotice, storageNotice } from './notices';
import { offlineModel, offlineProvider, type ProviderConfig } from '$lib/models/provider';
import type { ModelRow } from '$lib/storage/database';
import { newId } from './ids';
import type { Models } from './models.svelte';
import type { Settings, SettingValues, Theme } from './settings.svelte';
import type {
	ModelForm,
	ModelList,
	ProviderForm,
	ProviderLine,
	SettingsView
} from './settings-view';
import type { Notice } from './view';

/** The settings page's verbs, over the models and the settings. Each says in a sentence why it did not work. */
export class SettingsDesk implements SettingsView {
	constructor(
		private readonly models: Models,
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
		const configured = this.models.rows.map((row): ProviderLine => ({
			id: row.id,
			kind: row.kind,
			name: row.name,
			baseURL: row.baseURL,
			hasKey: row.sealedKey !== null,
			models: row.models.map(({ model, contextWindow, maxOutput, learntWindow }) => ({
				name: model,
				contextWindow,
				maxOutput,
				learntWindow
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

	async saveProvider(form: ProviderForm): Promise<Notice | null> {
		const problem = problemOf(form);
		if (problem) return problem;
		return told(async () => {
			const id = form.id ?? newId.run();
			const before = this.models.rows.find((row) => row.id === id);
			const hadKey = before?.sealedKey ?? null;
			await this.models.save({
				id,
				name: form.name.trim() || new URL(form.baseURL.trim()).host,
				baseURL: form.baseURL.trim(),
				...(form.key === null ? {} : { apiKey: form.key.trim() }),
				models: form.models.map(rowOf)
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

	#hasKey(id: string): boolean {
		return this.models.rows.find((row) => row.id === id)?.sealedKey != null;
	}

	removeProvider(id: string): Promise<Notice | null> {
		return told(async () => {
			await this.models.remove(id);
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
				? await this.models.storedKey(form.id, new URL(baseURL).origin)
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

function rowOf(form: ModelForm): ModelRow {
	return {
		model: form.name.trim(),
		name: form.name.trim(),
		contextWindow: form.contextWindow,
		maxOutput: form.maxOutput,
		learntWindow: form.learntWindow ?? null
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
