import { outputLimit } from '../../src/lib/context/capacity';
import { occupancyOf } from '../../src/lib/context/occupancy';
import { buildRequest } from '../../src/lib/context/request';
import type { User } from '../command';
import { givenTerms, termsOf } from '../given';
import { situationOf } from '../situation';
import { figure, plural } from '../words';

/** The exact next request: what the app would show and send. */
export const projectionCommand: User = {
	kind: 'uses',
	usage: 'projection [--pending TEXT] [--out FILE]',
	about: 'the exact next request, with its tokens by part',
	options: { pending: { type: 'string' }, out: { type: 'string' } },
	operands: [],
	async run(bench, args, world) {
		const terms = termsOf(bench, await givenTerms(args, world));
		const situation = situationOf(bench, terms);
		const { instructions } = terms;
		const occupancy = occupancyOf({ ...situation, instructions });
		const maxOutputTokens = outputLimit(situation.capacity, occupancy.tokens);
		const request = buildRequest({ ...situation, instructions, maxOutputTokens });
		const parts = Object.entries(occupancy.parts).map(
			([name, tokens]) => `${name} ${figure(tokens)}`
		);
		return {
			product: { request, tokens: occupancy },
			text: `${plural(request.messages.length, 'message')}, ${figure(occupancy.tokens)} tokens (${occupancy.source}): ${parts.join(', ')}.`,
			data: { messages: request.messages.length, tokens: occupancy, maxOutputTokens }
		};
	}
};
