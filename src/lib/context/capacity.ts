/** What is known of a model's limits, in tokens. `null` means unknown. */
export interface ModelLimits {
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
	/** A lower window learnt from a provider's overflow error. */
	readonly learntWindow?: number | null;
}

/** The numbers every decision about room is made with, in tokens. */
export interface Capacity {
	/** W: the context window. */
	readonly window: number;
	/** Where the window comes from: the model's data, an assumption, or a provider's refusal. */
	readonly windowSource: 'known' | 'assumed' | 'learnt';
	/** M: the model's maximum output, or null where unknown. */
	readonly maxOutput: number | null;
	/** R: kept free for the next answer. */
	readonly reserve: number;
	/** S = W − R: the safe input limit. */
	readonly safeLimit: number;
	/** Occupancy above which a compaction starts by itself after a turn. */
	readonly autoThreshold: number;
	/** The verbatim tail a checkpoint may keep. */
	readonly tailBudget: number;
	/** The most a summary may be. */
	readonly summaryCap: number;
}

/** The one table of numbers. Tokens unless said otherwise. */
export const capacityTable = {
	/** Assumed for a model of unknown window: what common local servers offer; shown as assumed and editable. */
	assumedWindow: 32_000,
	/** Share of the window kept for the next answer. */
	reserveShare: 0.15,
	/** Below this an answer is cut before it says anything. */
	reserveMin: 2048,
	/** No answer needs more; a bigger reserve only wastes a large window. */
	reserveMax: 48_000,
	/** A small window must still hold a question: never more than this share of it is reserved. */
	reserveShareMax: 0.4,
	/** Slack above the model's maximum output for estimation error, as a share of the window. */
	reserveSlackShare: 0.05,
	/** The default auto ratio, a share of the window (a setting, see `autoRatioMin` and `autoRatioMax`). */
	autoRatio: 0.8,
	autoRatioMin: 0.5,
	autoRatioMax: 0.95,
	/** Automatic compaction must come before the preflight does. */
	autoShareOfSafe: 0.95,
	/** Share of the safe limit that stays verbatim. */
	tailShare: 0.2,
	tailMin: 512,
	tailMax: 32_000,
	/** Share of the reserve a summary may take. */
	summaryShareOfReserve: 0.8,
	/** The prompt asks for a summary of this share of the cap: the cap is a ceiling, not a goal. */
	summaryTargetShare: 0.25,
	/** Slack between input + requested output and the window, as a share of the window. */
	outputSlackShare: 0.02,
	/** Fewer output tokens than this are never asked for. */
	outputMin: 256,
	/** An automatic compaction must free at least this share of the safe limit, or it does not start. */
	minimumGainShare: 0.1
} as const;

const clamp = (value: number, low: number, high: number) => Math.min(Math.max(value, low), high);

/**
 * The capacity of a model. Rules C1–C5.
 * @param limits what is known of the model, in tokens
 * @param autoRatio the user's auto ratio, 0.5–0.95; clamped
 */
export function capacityOf(
	limits: ModelLimits,
	autoRatio: number = capacityTable.autoRatio
): Capacity {
	const t = capacityTable;
	const declared = limits.contextWindow ?? t.assumedWindow;
	const learnt = limits.learntWindow ?? null;
	const window = learnt === null ? declared : Math.min(declared, learnt);
	const windowSource =
		learnt !== null && learnt <= declared
			? 'learnt'
			: limits.contextWindow === null
				? 'assumed'
				: 'known';
	const maxOutput = limits.maxOutput;

	const ceiling = Math.min(
		t.reserveShareMax * window,
		maxOutput === null ? Infinity : maxOutput + t.reserveSlackShare * window
	);
	const reserve = Math.floor(
		Math.min(clamp(Math.round(t.reserveShare * window), t.reserveMin, t.reserveMax), ceiling)
	);
	const safeLimit = window - reserve;
	return {
		window,
		windowSource,
		maxOutput,
		reserve,
		safeLimit,
		autoThreshold: Math.floor(
			Math.min(
				clamp(autoRatio, t.autoRatioMin, t.autoRatioMax) * window,
				t.autoShareOfSafe * safeLimit
			)
		),
		tailBudget: clamp(Math.round(t.tailShare * safeLimit), t.tailMin, t.tailMax),
		summaryCap: Math.min(maxOutput ?? Infinity, Math.floor(t.summaryShareOfReserve * reserve))
	};
}

/**
 * Output tokens to ask of the provider: what fits beside the input. Some providers refuse a request whose input plus
 * requested output exceeds the window, however short the answer would be. Rule C6.
 */
export function outputLimit(capacity: Capacity, occupancy: number): number {
	const room = capacity.window - occupancy - capacityTable.outputSlackShare * capacity.window;
	return Math.max(
		capacityTable.outputMin,
		Math.floor(Math.min(capacity.maxOutput ?? Infinity, room))
	);
}
