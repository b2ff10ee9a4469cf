import type { Finish, ModelRef } from '../../src/lib/history/message';
import type { Step } from '../carry-out';
import type { Outcome, User } from '../command';
import { Fault } from '../fault';
import { givenTerms, termsOfPass } from '../given';
import { nextPass, play, repliesBefore } from '../pass';
import { nobody } from '../summariser';
import type { Terms } from '../terms';
import { figure, plural, whyNot } from '../words';
import type { Reply, Workbench } from '../workbench';

const finishes = [
	'stop',
	'length',
	'tool-calls',
	'content-filter',
	'stopped',
	'interrupted',
	'error',
	'other'
] as const satisfies readonly Finish[];

/** Takes what any model answered to a pass, if the core accepts it. The last pass commits. */
export const applyCommand: User = {
	kind: 'uses',
	usage: `apply SUMMARY.md [--pass N] [--finish stop|length|…] [--model PROVIDER/NAME]`,
	about: 'verifies an answer to a pass; keeps it, or commits after the last pass',
	options: {
		pass: { type: 'string' },
		finish: { type: 'string' },
		model: { type: 'string' },
		trigger: { type: 'string' },
		pending: { type: 'string' },
		focus: { type: 'string' }
	},
	operands: ['SUMMARY.md'],
	async run(bench, args, world) {
		const [path = ''] = args.operands;
		const pass = args.count('pass') ?? nextPass(bench);
		const finish = args.choice('finish', finishes) ?? 'stop';
		const model = modelNamed(args.text('model'));
		const terms = termsOfPass(bench, await givenTerms(args, world), pass);
		const before = repliesBefore(bench, pass);
		const replies = [...before, { text: await world.read(path), finish }];
		return told(bench, terms, replies, await play(bench, terms, replies, world, model));
	}
};

function modelNamed(name: string | undefined): ModelRef {
	if (name === undefined) return nobody;
	const [, provider, model] = /^([^/]+)\/(.+)$/.exec(name) ?? [];
	if (!provider || !model) throw new Fault('--model must be PROVIDER/NAME.', 2);
	return { provider, model };
}

function told(bench: Workbench, terms: Terms, replies: readonly Reply[], step: Step): Outcome {
	const pass = replies.length;
	if (step.kind === 'asks') {
		const leafId = bench.session.leafId;
		if (leafId === null) throw new Fault('The session is empty.');
		return {
			bench: { ...bench, underWay: { terms, leafId, replies } },
			text: `Pass ${pass} of ${step.passes} is accepted and folds into the next.`,
			data: { kind: 'accepted', pass, passes: step.passes }
		};
	}
	const { outcome, passes } = step;
	if (outcome.kind !== 'committed') {
		const rejection = outcome.kind === 'rejected' ? outcome.rejection : null;
		return {
			text: `${whyNot(outcome)} Nothing was changed.`,
			data: { kind: outcome.kind, pass, passes, rejection },
			exitCode: 1
		};
	}
	const { checkpoint, id } = outcome.message;
	const kept = checkpoint.references.filter((reference) => reference.kept).length;
	return {
		bench: step.bench,
		text: `Committed ${id}: ${plural(checkpoint.coveredMessageCount, 'message')} covered, ${figure(checkpoint.tokensBefore)} → ${figure(checkpoint.tokensAfter)} tokens, ${kept} of ${plural(checkpoint.references.length, 'reference')} kept.`,
		data: {
			kind: 'committed',
			id,
			passes,
			covered: checkpoint.coveredMessageCount,
			before: checkpoint.tokensBefore,
			after: checkpoint.tokensAfter,
			found: checkpoint.references.length,
			kept
		}
	};
}
