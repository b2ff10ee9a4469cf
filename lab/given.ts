import { capacityTable } from '../src/lib/context/capacity';
import type { Arguments } from './arguments';
import { Fault } from './fault';
import { templateNames, triggers, type Terms } from './terms';
import type { Workbench } from './workbench';
import type { World } from './world';

/** Smaller windows hold no prompt at all. Tokens. */
const WINDOW_MIN = 512;

/** What the command line says, and nothing else. */
export async function givenTerms(args: Arguments, world: World): Promise<Partial<Terms>> {
	const instructions = args.text('instructions');
	const given = {
		window: args.count('window', WINDOW_MIN),
		maxOutput: args.count('max-output'),
		ratio: args.share('ratio', capacityTable.autoRatioMin, capacityTable.autoRatioMax),
		provider: args.text('provider'),
		template: args.choice('template', templateNames),
		instructions: instructions === undefined ? undefined : await world.read(instructions),
		trigger: args.choice('trigger', triggers),
		focus: args.text('focus'),
		pending: args.text('pending')
	};
	return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The terms of a command: what is given, else what the working file holds, else the defaults. */
export function termsOf(bench: Workbench, given: Partial<Terms>): Terms {
	return {
		trigger: 'manual',
		focus: null,
		pending: null,
		...bench.settings,
		template: bench.session.template,
		instructions: bench.session.instructions,
		...given
	};
}

/**
 * The terms of one pass. A compaction under way goes on with those it was begun with: other ones would make other
 * requests, which nobody has answered. The first pass begins anew, with any.
 */
export function termsOfPass(bench: Workbench, given: Partial<Terms>, pass: number): Terms {
	const begun = bench.underWay?.terms;
	if (!begun) return termsOf(bench, given);
	const terms: Terms = { ...begun, ...given };
	const other = termNames.find((name) => terms[name] !== begun[name]);
	if (other && pass > 1) {
		throw new Fault(
			`The compaction under way was begun with another ${other}. Leave it out, or begin anew with --pass 1.`,
			2
		);
	}
	return terms;
}

const termNames = [
	'window',
	'maxOutput',
	'ratio',
	'provider',
	'template',
	'instructions',
	'trigger',
	'focus',
	'pending'
] as const satisfies readonly (keyof Terms)[];
