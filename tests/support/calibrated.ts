import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base';
import { encode as p50k } from 'gpt-tokenizer/encoding/p50k_base';
import { calibrate, factorOf, type Calibration } from '../../src/lib/context/calibration';
import { estimateText } from '../../src/lib/context/estimate';
import { corpus } from '../fixtures/corpus';

/** Three real tokenizers of different vocabularies: a model of another family differs from o200k as they differ. */
export const tokenizers = { o200k, cl100k, p50k } as const;
export type Tokenizer = keyof typeof tokenizers;

/** Tokens of the corpus are counted once: a context is made of whole entries. */
const counted = new Map<Tokenizer, ReadonlyMap<string, number>>();
function countsOf(tokenizer: Tokenizer): ReadonlyMap<string, number> {
	const known = counted.get(tokenizer);
	if (known) return known;
	const counts = new Map(
		Object.entries(corpus).map(([entry, text]) => [entry, tokenizers[tokenizer](text).length])
	);
	counted.set(tokenizer, counts);
	return counts;
}
const estimates = new Map(
	Object.entries(corpus).map(([entry, text]) => [entry, estimateText(text)])
);

/** Real over estimated tokens of one entry. */
export function ratioOf(entry: string, tokenizer: Tokenizer): number {
	return (countsOf(tokenizer).get(entry) ?? 0) / (estimates.get(entry) ?? 1);
}

/** What a conversation showed: real over estimated tokens of each context after the third report. */
export interface Shown {
	/** Share of the real size that the estimate missed, 0 where it was enough; one a context. */
	readonly uncalibrated: readonly number[];
	readonly calibrated: readonly number[];
	readonly factor: number;
}

/**
 * A conversation mostly in one language or notation, with others mixed in, whose contexts a provider counts with
 * `tokenizer`. Three contexts are reported; `contexts` more are predicted, each reported after it was.
 * @param random 0–1
 */
export function conversationIn(
	entry: string,
	tokenizer: Tokenizer,
	random: () => number,
	contexts = 20
): Shown {
	const counts = countsOf(tokenizer);
	const entries = [...counts.keys()];
	let calibration: Calibration | null = null;
	const uncalibrated: number[] = [];
	const calibrated: number[] = [];
	for (let report = 0; report < 3 + contexts; report++) {
		let real = 0;
		let estimated = 0;
		const pieces = 6 + Math.floor(random() * 40);
		for (let n = 0; n < pieces; n++) {
			const other = entries[Math.floor(random() * entries.length)] ?? entry;
			const name = random() < 0.85 ? entry : other;
			real += counts.get(name) ?? 0;
			estimated += estimates.get(name) ?? 0;
		}
		if (report >= 3) {
			uncalibrated.push(missing(real, estimated));
			calibrated.push(missing(real, estimated * factorOf(calibration)));
		}
		calibration = calibrate(calibration, estimated, real);
	}
	return { uncalibrated, calibrated, factor: factorOf(calibration) };
}

const missing = (real: number, estimated: number) => Math.max(0, (real - estimated) / real);

/** The value that a share of all does not pass. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** Numbers from 0 to 1 that depend on nothing but the seed (mulberry32). */
export function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

export const entriesOfCorpus = Object.keys(corpus);
