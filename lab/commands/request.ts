import { estimateText } from '../../src/lib/context/estimate';
import type { User } from '../command';
import { Fault } from '../fault';
import { givenTerms, termsOfPass } from '../given';
import { nextPass, play, repliesBefore } from '../pass';
import { nobody } from '../summariser';
import { figure, whyNot } from '../words';

/** The exact request of a pass, to be put to any model. */
export const requestCommand: User = {
	kind: 'uses',
	usage: 'request [--pass N] [--trigger …] [--pending TEXT] [--focus TEXT] [--out FILE]',
	about: 'the exact summary request of a pass, by default the next one',
	options: {
		pass: { type: 'string' },
		trigger: { type: 'string' },
		pending: { type: 'string' },
		focus: { type: 'string' },
		out: { type: 'string' }
	},
	operands: [],
	async run(bench, args, world) {
		const wanted = args.count('pass') ?? nextPass(bench);
		const terms = termsOfPass(bench, await givenTerms(args, world), wanted);
		const step = await play(bench, terms, repliesBefore(bench, wanted), world, nobody);
		if (step.kind === 'ended') {
			const { outcome } = step;
			throw new Fault(outcome.kind === 'committed' ? 'No pass is left.' : whyNot(outcome));
		}
		const { request, pass, passes } = step;
		const tokens = estimateText(request.system) + estimateText(request.prompt);
		return {
			product: request,
			text: `Pass ${pass} of ${passes}: about ${figure(tokens)} tokens, at most ${figure(request.maxOutputTokens)} to be answered.`,
			data: { pass, passes, tokens, maxOutputTokens: request.maxOutputTokens }
		};
	}
};
