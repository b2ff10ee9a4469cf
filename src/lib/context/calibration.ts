/**
 * What usage reports have taught of one model: how many of its tokens one of ours is. The mean and the mean deviation are
 * kept as a sender of packets keeps its round-trip time (RFC 6298), because the question is the same one: what bound does
 * the next value rarely pass?
 */
export interface Calibration {
	/** Smoothed ratio of reported to estimated tokens. */
	readonly mean: number;
	/** Smoothed absolute deviation from the mean. */
	readonly deviation: number;
	/** Reports seen. */
	readonly reports: number;
}

/** The factor stays within these, whatever a provider reports. */
export const FACTOR_MIN = 0.6;
export const FACTOR_MAX = 1.8;
/** Gains of RFC 6298, but faster: a conversation has tens of reports, a connection thousands. The first count for more. */
const MEAN_GAIN = 1 / 4;
const DEVIATION_GAIN = 1 / 3;
/** So many deviations above the mean an estimate leans: an under-estimate overflows, an over-estimate only compacts early. */
const LEAN = 1.5;
/** What is believed before any report: our estimates are right, give or take. */
const PRIOR: Calibration = { mean: 1, deviation: 0.05, reports: 0 };
/** A ratio beyond these says that the server counts something else: only what was not cached, or several requests. */
export const PLAUSIBLE_MIN = 0.5;
export const PLAUSIBLE_MAX = 4;
/** Below so many tokens a report says more of a server's own frame than of its tokenizer. */
const REPORT_MIN = 500;

/**
 * Takes in one usage report. Reports of contexts under 500 tokens, and figures no tokenizer gives, change nothing. Rule C14.
 * @param estimated our uncalibrated estimate of the context, in tokens
 * @param reported the provider's figure for the same context
 */
export function calibrate(
	before: Calibration | null,
	estimated: number,
	reported: number
): Calibration | null {
	const seen = reported / estimated;
	if (!(estimated >= REPORT_MIN && seen >= PLAUSIBLE_MIN && seen <= PLAUSIBLE_MAX)) return before;
	const { mean, deviation, reports } = before ?? PRIOR;
	const error = clamp(seen) - mean;
	return {
		mean: mean + Math.max(MEAN_GAIN, 1 / (reports + 2)) * error,
		deviation: deviation + DEVIATION_GAIN * (Math.abs(error) - deviation),
		reports: reports + 1
	};
}

/** What estimates for a model are multiplied with: 1 without reports, else within 0.6–1.8. Rule C14. */
export function factorOf(calibration: Calibration | null): number {
	return calibration ? clamp(calibration.mean + LEAN * calibration.deviation) : 1;
}

const clamp = (ratio: number) => Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, ratio));
