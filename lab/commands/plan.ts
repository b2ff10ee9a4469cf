import { textOf } from '../../src/lib/history/message';
import type { CompactPlan } from '../../src/lib/compaction/plan';
import { passRoom, summaryCap } from '../../src/lib/compaction/room';
import type { User } from '../command';
import { replies } from '../carry-out';
import { givenTerms, termsOf } from '../given';
import { planOf, situationOf } from '../situation';
import { nobody } from '../summariser';
import { beginning, figure, noops, plural, whyNot } from '../words';

/** What a compaction would do, or why it would do nothing. */
export const planCommand: User = {
	kind: 'uses',
	usage: 'plan [--trigger manual|auto|preflight] [--pending TEXT] [--focus TEXT]',
	about: 'what a compaction would cover and keep, or why there is none',
	options: {
		trigger: { type: 'string' },
		pending: { type: 'string' },
		focus: { type: 'string' }
	},
	operands: [],
	async run(bench, args, world) {
		const terms = termsOf(bench, await givenTerms(args, world));
		const plan = planOf(bench, terms, situationOf(bench, terms));
		if (plan.kind === 'noop') {
			const { reason } = plan;
			return {
				text: `Nothing to do (${reason}): ${noops[reason]} The next request is ${figure(plan.before.tokens)} tokens.`,
				data: { kind: 'noop', reason, before: plan.before.tokens }
			};
		}
		const step = await replies({ bench, plan, model: nobody, world }, []);
		if (step.kind === 'ended') {
			const { outcome } = step;
			const why = outcome.kind === 'committed' ? '' : whyNot(outcome);
			return { text: why, data: { kind: outcome.kind }, exitCode: 1 };
		}
		const found = facts(plan, step.passes);
		return { text: lines(found).join('\n'), data: { kind: 'compact', ...found } };
	}
};

function facts(plan: CompactPlan, passes: number) {
	const { boundary, estimator, capacity } = plan;
	const first = boundary.kept[0];
	const cap = summaryCap(plan, capacity);
	return {
		trigger: plan.trigger,
		covered: { messages: boundary.covered.length, tokens: plan.coveredTokens },
		kept: {
			messages: boundary.kept.length,
			tokens: boundary.kept.reduce((sum, message) => sum + estimator.message(message), 0)
		},
		boundary: first ? { id: first.id, begins: beginning(textOf(first)) } : null,
		previous: plan.previous?.id ?? null,
		before: plan.before.tokens,
		staying: plan.staying,
		target: Math.min(plan.summaryTarget, cap),
		cap,
		roomOfPass: passRoom(plan, capacity, 1, cap),
		passes
	};
}

function lines(found: ReturnType<typeof facts>): string[] {
	const { covered, kept, boundary } = found;
	return [
		`${found.trigger}: ${figure(found.before)} tokens now, ${figure(found.staying)} stay beside the summary`,
		`  covered: ${plural(covered.messages, 'message')}, ${figure(covered.tokens)} tokens${found.previous ? `, and the summary of ${found.previous}` : ''}`,
		`  kept: ${plural(kept.messages, 'message')}, ${figure(kept.tokens)} tokens`,
		boundary
			? `  boundary: ${boundary.id} “${boundary.begins}”`
			: '  boundary: none, nothing before the checkpoint stays verbatim',
		`  summary: target ${figure(found.target)}, cap ${figure(found.cap)} tokens`,
		`  passes: ${found.passes}, of at most ${figure(found.roomOfPass)} tokens of transcript`
	];
}
