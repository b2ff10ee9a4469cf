import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateText } from '../../src/lib/context/estimate';
import { corpus } from '../fixtures/corpus';
import {
	conversationIn,
	entriesOfCorpus,
	percentile,
	ratioOf,
	seeded,
	tokenizers,
	type Tokenizer
} from '../support/calibrated';
import { median, round, table } from './table';

/** Estimate over o200k for each entry of the corpus: between 0.9 and 1.5. Rule C10. */
export function accuracy(): void {
	const rows = Object.entries(corpus).map(([entry, text]) => {
		const real = encode(text).length;
		const ratio = round(estimateText(text) / real);
		return {
			entry,
			characters: text.length,
			o200k: real,
			estimate: estimateText(text),
			ratio,
			within: ratio >= 0.9 && ratio <= 1.5 ? 'yes' : 'NO'
		};
	});
	table(
		'Estimate against o200k',
		rows.toSorted((a, b) => a.ratio - b.ratio)
	);
}

/** How much faster the estimate is than a tokenizer, on the whole corpus. The goal is 10 times. */
export async function speed(): Promise<void> {
	const text = Object.values(corpus).join('\n').repeat(12);
	const estimate = await median(9, () => estimateText(text));
	const tokenize = await median(3, () => encode(text));
	table(`Speed on ${round(text.length / 1000, 0)} thousand characters of all entries`, [
		{
			of: 'estimate',
			ms: round(estimate),
			'characters a µs': round(text.length / estimate / 1000, 1)
		},
		{
			of: 'gpt-tokenizer',
			ms: round(tokenize),
			'characters a µs': round(text.length / tokenize / 1000, 1)
		}
	]);
	console.log(`  ${round(tokenize / estimate, 1)} times as fast`);
}

/** What three usage reports make of estimates, with tokenizers of three vocabularies. Rule C14. */
export function calibration(): void {
	const rows = (Object.keys(tokenizers) as Tokenizer[]).flatMap((tokenizer) => {
		const random = seeded(14);
		const within = entriesOfCorpus.filter((entry) => ratioOf(entry, tokenizer) <= 1.8);
		const beyond = entriesOfCorpus.filter((entry) => ratioOf(entry, tokenizer) > 1.8);
		return [within, beyond].flatMap((entries, index) => {
			if (entries.length === 0) return [];
			const shown = entries.flatMap((entry) =>
				Array.from({ length: 20 }, () => conversationIn(entry, tokenizer, random))
			);
			const p95 = (values: readonly number[]) => `${round(100 * percentile(values, 0.95), 1)} %`;
			return [
				{
					tokenizer,
					entries: `${entries.length} ${index === 0 ? 'within' : 'beyond'} 1.8`,
					'p95 under-estimate before': p95(shown.flatMap((each) => each.uncalibrated)),
					'after 3 reports': p95(shown.flatMap((each) => each.calibrated))
				}
			];
		});
	});
	table('Under-estimates before and after calibration', rows);
}
