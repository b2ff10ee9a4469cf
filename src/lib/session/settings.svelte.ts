import { capacityTable } from '$lib/context/capacity';
import type { ModelRef, TemplateName } from '$lib/history/message';
import type { HiloDatabase } from '$lib/storage/database';
import { changeSetting, readSetting } from '$lib/storage/settings';
import { offlineModel } from '$lib/models/provider';

export type Theme = 'system' | 'light' | 'dark';

/** What the user has chosen for the whole app. */
export interface SettingValues {
	readonly theme: Theme;
	/** Share of the window, 0.5–0.95. */
	readonly autoRatio: number;
	readonly instructions: string;
	readonly template: TemplateName;
	readonly model: ModelRef;
	/** Who writes the summaries; null: the model of the session. */
	readonly summariser: ModelRef | null;
	/** CSS pixels. */
	readonly sidebarWidth: number;
	readonly sidebarOpen: boolean;
	readonly panelWidth: number;
	/** Epoch milliseconds of the last export of everything, or null. */
	readonly lastBackup: number | null;
}

const defaults: SettingValues = {
	theme: 'system',
	autoRatio: capacityTable.autoRatio,
	instructions:
		'You help with careful research. Say what you know and from where; mark what is uncertain; keep quotations, numbers and identifiers exact. Answer in the language you are asked in.',
	template: 'research',
	model: offlineModel.ref,
	summariser: null,
	sidebarWidth: 280,
	sidebarOpen: true,
	panelWidth: 400,
	lastBackup: null
};

/** The settings, read once and written through. */
export class Settings {
	#values = $state.raw<SettingValues>(defaults);
	readonly #db: HiloDatabase;

	constructor(db: HiloDatabase) {
		this.#db = db;
	}

	get values(): SettingValues {
		return this.#values;
	}

	/** Reads what was stored; what is missing or of another shape keeps its default. */
	async load(): Promise<void> {
		this.#values = read(await readSetting(this.#db, 'app'));
	}

	/** Changes settings: only these, so that two tabs do not undo each other's. Nothing is changed when it cannot be stored. */
	async change(patch: Partial<SettingValues>): Promise<void> {
		await changeSetting(this.#db, 'app', (stored) => ({ ...read(stored), ...patch }));
		this.#values = { ...this.#values, ...patch };
	}
}

function read(stored: unknown): SettingValues {
	if (typeof stored !== 'object' || stored === null) return defaults;
	const entries = Object.entries(stored).filter(([key, value]) =>
		key === 'summariser'
			? value === null || isModelRef(value)
			: key in defaults && sameShape(value, defaults[key as keyof SettingValues])
	);
	return { ...defaults, ...Object.fromEntries(entries) };
}

function isModelRef(value: unknown): value is ModelRef {
	return (
		typeof value === 'object' &&
		value !== null &&
		'provider' in value &&
		'model' in value &&
		typeof value.provider === 'string' &&
		typeof value.model === 'string'
	);
}

/** A default of null stands for "a number or nothing". */
function sameShape(value: unknown, example: unknown): boolean {
	if (example === null) return value === null || typeof value === 'number';
	return typeof value === typeof example;
}
