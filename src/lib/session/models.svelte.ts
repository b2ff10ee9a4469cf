import { calibrate, factorOf } from '$lib/context/calibration';
import { capacityOf, type Capacity } from '$lib/context/capacity';
import type { Price } from '$lib/context/price';
import type { ModelRef } from '$lib/history/message';
import { limitsOf } from '$lib/models/limits';
import { priceOf } from '$lib/models/prices';
import { isLocal } from '$lib/models/local-server';
import { offlineModel, offlineProvider, type ProviderConfig } from '$lib/models/provider';
import { changeCalibration, readCalibrations } from '$lib/storage/calibration';
import type { CalibrationRow, HiloDatabase, ModelRow, ProviderRow } from '$lib/storage/database';
import {
	changeProvider,
	readProviders,
	removeProvider,
	saveProvider
} from '$lib/storage/providers';
import { openKey, sealKey } from '$lib/storage/vault';
import type { ModelChoice } from './view';

/** A provider as the settings page edits it. An undefined key leaves the stored one as it is; an empty one removes it. */
export interface ProviderEdit {
	readonly id: string;
	readonly name: string;
	readonly baseURL: string;
	readonly apiKey?: string;
	readonly models: readonly ModelRow[];
}

/** The configured providers and their models. Keys are opened only for the call that needs them. */
export class Models {
	#rows = $state.raw<readonly ProviderRow[]>([]);
	#calibrations = $state.raw<readonly CalibrationRow[]>([]);
	readonly #db: HiloDatabase;

	constructor(db: HiloDatabase) {
		this.#db = db;
	}

	get rows(): readonly ProviderRow[] {
		return this.#rows;
	}

	async load(): Promise<void> {
		[this.#rows, this.#calibrations] = await Promise.all([
			readProviders(this.#db),
			readCalibrations(this.#db)
		]);
	}

	/** Every model one can choose, the built-in one first. */
	get choices(): readonly ModelChoice[] {
		const configured = this.#rows.flatMap((row) =>
			row.models.map((model): ModelChoice => {
				const { window, windowSource, maxOutput } = capacityOf(limitsFor(row, model));
				const isAssumed = windowSource === 'assumed';
				return {
					ref: { provider: row.id, model: model.model },
					name: model.name,
					providerName: row.name,
					// The one in force: a refusal may have taught a lower one.
					contextWindow: isAssumed ? null : window,
					maxOutput,
					assumed: isAssumed
				};
			})
		);
		return [
			{
				ref: offlineModel.ref,
				name: offlineModel.name,
				providerName: offlineProvider.name,
				contextWindow: offlineModel.contextWindow,
				maxOutput: offlineModel.maxOutput,
				assumed: false
			},
			...configured
		];
	}

	/** The capacity of a model, or null when it is not configured here (any more). */
	capacity(ref: ModelRef, autoRatio: number): Capacity | null {
		if (ref.provider === offlineProvider.id) return capacityOf(offlineModel, autoRatio);
		const row = this.#rows.find((row) => row.id === ref.provider);
		const model = row?.models.find((model) => model.model === ref.model);
		return row && model ? capacityOf(limitsFor(row, model), autoRatio) : null;
	}

	/** What estimates for a model are multiplied with. */
	factor(ref: ModelRef): number {
		return factorOf(
			this.#calibrations.find((row) => row.provider === ref.provider && row.model === ref.model) ??
				null
		);
	}

	/** Takes in what a provider reported for a context that we had estimated. */
	async calibrate(
		ref: ModelRef,
		{ estimated, reported }: { readonly estimated: number; readonly reported: number }
	): Promise<void> {
		await changeCalibration(this.#db, ref, (before) => calibrate(before, estimated, reported));
		this.#calibrations = await readCalibrations(this.#db);
	}

	/** What a model costs, or null where that is unknown. The built-in one is free, and so is a server of one's own. */
	price(ref: ModelRef): Price | null {
		if (ref.provider === offlineProvider.id) return free;
		const row = this.#rows.find((row) => row.id === ref.provider);
		if (!row) return null;
		const edited = row.models.find((model) => model.model === ref.model)?.price;
		return edited ?? (isLocal(row.baseURL) ? free : priceOf(ref.model));
	}

	/** The provider of a model, with its key, ready for one call. Null when it is not configured here. */
	async provider(ref: ModelRef): Promise<ProviderConfig | null> {
		if (ref.provider === offlineProvider.id) return offlineProvider;
		const row = this.#rows.find((row) => row.id === ref.provider);
		if (!row) return null;
		const apiKey = await this.storedKey(row.id, originOf(row.baseURL));
		return {
			kind: row.kind,
			id: row.id,
			name: row.name,
			baseURL: row.baseURL,
			...(apiKey === null ? {} : { apiKey })
		};
	}

	/** A provider's stored key, for the origin it was saved for only. */
	async storedKey(id: string, origin: string): Promise<string | null> {
		const sealed = this.#rows.find((row) => row.id === id)?.sealedKey;
		return sealed ? openKey(this.#db, sealed, origin) : null;
	}

	/** Stores a provider. A key is sealed for the origin of its base URL: changed origins need the key again. */
	async save(edit: ProviderEdit): Promise<void> {
		const origin = originOf(edit.baseURL);
		const stored = this.#rows.find((row) => row.id === edit.id);
		const before = stored?.sealedKey ?? null;
		const sealedKey = edit.apiKey
			? await sealKey(this.#db, edit.apiKey, origin)
			: edit.apiKey === undefined && before?.origin === origin
				? before
				: null;
		const row: ProviderRow = {
			id: edit.id,
			kind: 'openai-compatible',
			name: edit.name,
			baseURL: edit.baseURL,
			sealedKey,
			models: edit.models.map((model) => {
				const known = stored?.models.find((each) => each.model === model.model);
				// Whoever types another window knows better than an earlier refusal.
				const isCorrected = known && known.contextWindow !== model.contextWindow;
				return { ...known, ...model, ...(isCorrected ? { learntWindow: null } : {}) };
			})
		};
		await saveProvider(this.#db, row);
		await this.load();
	}

	async remove(id: string): Promise<void> {
		await removeProvider(this.#db, id);
		await this.load();
	}

	/** Whether this model is asked without tools, because it has refused a request with some. */
	refusesTools(ref: ModelRef): boolean {
		const row = this.#rows.find((row) => row.id === ref.provider);
		return row?.models.find((model) => model.model === ref.model)?.refusesTools === true;
	}

	/** Keeps what a provider's refusal told of a model: a lower window, or that it takes no tools. */
	async learn(
		ref: ModelRef,
		told: Partial<Pick<ModelRow, 'learntWindow' | 'refusesTools'>>
	): Promise<void> {
		await changeProvider(this.#db, ref.provider, (row) => ({
			...row,
			models: row.models.map((model) => (model.model === ref.model ? { ...model, ...told } : model))
		}));
		await this.load();
	}
}

/**
 * What the user typed, else what the catalogue knows, else unknown. A local server loads a model with a window of its own
 * choosing, often far smaller than the model's, so the catalogue says nothing of it.
 */
function limitsFor(row: ProviderRow, model: ModelRow) {
	const known = isLocal(row.baseURL) ? null : limitsOf(model.model);
	return {
		contextWindow: model.contextWindow ?? known?.contextWindow ?? null,
		maxOutput: model.maxOutput ?? known?.maxOutput ?? null,
		learntWindow: model.learntWindow
	};
}

const free: Price = { input: 0, cachedInput: 0, output: 0 };

function originOf(baseURL: string): string {
	return new URL(baseURL).origin;
}
