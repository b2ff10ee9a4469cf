import type { Price } from '../context/price';
import { knownName } from './limits';

/**
 * US dollars for a million tokens, from the providers' price pages: input, cached input, output. A snapshot, editable for
 * each model; a name missing here costs "unknown", never a guess.
 */
const table = `
gpt-5 1.25 0.125 10
gpt-5.1 1.25 0.125 10
gpt-5-mini 0.25 0.025 2
gpt-5-nano 0.05 0.005 0.4
gpt-5-chat 1.25 0.125 10
gpt-4.1 2 0.5 8
gpt-4.1-mini 0.4 0.1 1.6
gpt-4.1-nano 0.1 0.025 0.4
gpt-4o 2.5 1.25 10
gpt-4o-mini 0.15 0.075 0.6
o3 2 0.5 8
o4-mini 1.1 0.275 4.4
claude-3-haiku 0.25 0.03 1.25
claude-3-5-haiku 0.8 0.08 4
claude-3-5-sonnet 3 0.3 15
claude-3-7-sonnet 3 0.3 15
claude-sonnet-4 3 0.3 15
claude-sonnet-4-5 3 0.3 15
claude-haiku-4-5 1 0.1 5
claude-opus-4 15 1.5 75
claude-opus-4-1 15 1.5 75
claude-opus-4-5 5 0.5 25
`;

const prices = new Map<string, Price>(
	table
		.trim()
		.split('\n')
		.map((line) => {
			const [name = '', input, cachedInput, output] = line.split(' ');
			return [
				name,
				{ input: Number(input), cachedInput: Number(cachedInput), output: Number(output) }
			];
		})
);

/** What a model costs, by its name, or null where that is unknown. */
export function priceOf(model: string): Price | null {
	return knownName(model, prices);
}
