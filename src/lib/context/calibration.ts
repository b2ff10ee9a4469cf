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
const FACTOR_MIN = 0.6;
const FACTOR_MAX = 1.8;
/** Gains of RFC 6298, but faster: a conversation has tens of reports, a connection thousands. */
const MEAN_GAIN = 1 / 4;
const DEVIATION_GAIN = 1 / 3;
/** So many deviations above the mean an estimate leans: an under-estimate overflows, an over-estimate only compacts early. */
const LEAN = 1.5;
/** Share of the mean that one report leaves in doubt. */
const DOUBT = 0.05;
/** Below so many tokens a report says more of a server's own frame than of its tokenizer. */
const REPORT_MIN = 200;

/**
 * Takes in one usage report. Reports of contexts under 200 tokens, and figures that are not positive, change nothing.
 * Rule C14.
 * @param estimated our uncalibrated estimate of the context, in tokens
 * @param reported the provider's figure for the same context
 */
export function calibrate(
	before: Calibration | null,
	estimated: number,
	reported: number
): Calibration | null {
	if (!(estimated >= REPORT_MIN && reported > 0 && Number.isFinite(reported))) return before;
	const ratio = clamp(reported / estimated);
	if (!before) return { mean: ratio, deviation: DOUBT * ratio, reports: 1 };
	const error = ratio - before.mean;
	return {
		mean: before.mean + MEAN_GAIN * error,
		deviation: before.deviation + DEVIATION_GAIN * (Math.abs(error) - before.deviation),
		reports: before.reports + 1
	};
}

/** What estimates for a model are multiplied with: 1 without reports, else within 0.6–1.8. Rule C14. */
export function factorOf(calibration: Calibration | null): number {
	return calibration ? clamp(calibration.mean + LEAN * calibration.deviation) : 1;
}

const clamp = (ratio: number) => Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, ratio));
