import type { Capacity } from '../../src/lib/context/capacity';
import { estimated, occupancyOf, type Occupancy } from '../../src/lib/context/occupancy';
import type { User } from '../command';
import { givenTerms, termsOf } from '../given';
import { situationOf, type Situation } from '../situation';
import { figure } from '../words';

/** How full the next request is, by the app's own functions. */
export const occupancyCommand: User = {
	kind: 'uses',
	usage: 'occupancy [--pending TEXT]',
	about: 'the capacity of the model, and what the next request takes of it',
	options: { pending: { type: 'string' } },
	operands: [],
	async run(bench, args, world) {
		const terms = termsOf(bench, await givenTerms(args, world));
		const situation = situationOf(bench, terms);
		const { instructions } = terms;
		const occupancy = occupancyOf({ ...situation, instructions });
		const other = reportOfOther(situation, instructions);
		return {
			text: [...capacityLines(situation.capacity), ...occupancyLines(occupancy, other)].join('\n'),
			data: { capacity: situation.capacity, occupancy, other }
		};
	}
};

interface OtherReport {
	readonly provider: string;
	readonly tokens: number;
}

/** What the newest answer's provider reported, where another one will be asked: the app does not count it. Rule C15. */
function reportOfOther(situation: Situation, instructions: string): OtherReport | null {
	const name = situation.projection.later
		.flatMap((message) =>
			message.role === 'assistant' && message.metadata.usage ? [message.metadata.model] : []
		)
		.at(-1)?.provider;
	if (name === undefined || name === situation.provider) return null;
	const { tokens, source } = occupancyOf({ ...situation, instructions, provider: name });
	return source === 'reported' ? { provider: name, tokens } : null;
}

function capacityLines(capacity: Capacity): string[] {
	const { window, windowSource, maxOutput, reserve, safeLimit } = capacity;
	const rows: readonly (readonly [string, number])[] = [
		['reserve R', reserve],
		['safe limit S', safeLimit],
		['auto threshold', capacity.autoThreshold],
		['tail budget', capacity.tailBudget],
		['summary cap', capacity.summaryCap]
	];
	return [
		`window W ${figure(window)} (${windowSource}), maximum output ${maxOutput === null ? 'unknown' : figure(maxOutput)}`,
		...rows.map(([name, tokens]) => `  ${name}: ${figure(tokens)}`)
	];
}

function occupancyLines({ tokens, source, parts }: Occupancy, other: OtherReport | null): string[] {
	return [
		`next request: ${figure(tokens)} tokens (${source}); estimated ${figure(estimated(parts))}`,
		...Object.entries(parts).map(([name, part]) => `  ${name}: ${figure(part)}`),
		...(other
			? [
					`${other.provider} reported ${figure(other.tokens)}: not counted, another provider will be asked (--provider ${other.provider})`
				]
			: [])
	];
}
