import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { estimateText } from '../../src/lib/context/estimate';
import { corpus } from '../fixtures/corpus';
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
