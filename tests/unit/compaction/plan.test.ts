import { describe, expect, test } from 'vitest';
import { planCompaction } from '../../../src/lib/compaction/plan';
import { checkpointBlock } from '../../../src/lib/context/request';
import { estimateText } from '../../../src/lib/context/estimate';
import { uncalibrated } from '../../../src/lib/context/measure';
import { fixedTokens, occupancyOf } from '../../../src/lib/context/occupancy';
import { project } from '../../../src/lib/context/projection';
import { recallTools } from '../../../src/lib/context/recall';
import { known, mustPlan, planOf, run, small } from '../../support/compaction';
import { grow, words } from '../../support/tree';

/** `count` turns of about `tokens` tokens each. */
function turns(count: number, tokens: number) {
	const tree = grow();
	for (let n = 0; n < count; n++) tree.talk(words(tokens / 4, n), words((tokens * 3) / 4, n + 50));
	return tree;
}
const reasonOf = (...input: Parameters<typeof planOf>) => {
	const plan = planOf(...input);
	return plan.kind === 'noop' ? plan.reason : 'compact';
};
const pendingOf = (tokens: number) => grow(9).user(words(tokens));

describe('C20', () => {
	test('C20 nothing, an open run, and a fixed part over S', () => {
		expect(reasonOf(grow())).toBe('empty');
		expect(reasonOf(turns(4, 600), { stable: false })).toBe('unstable');
		expect(reasonOf(turns(4, 600), { instructions: words(6200) })).toBe('cannot-fit');
		expect(reasonOf(turns(4, 600), { instructions: words(6200), trigger: 'preflight' })).toBe(
			'cannot-fit'
		);
	});

	test('C20 case 12: one huge first message waits alone: nothing to compact', () => {
		expect(reasonOf(grow(), { trigger: 'preflight', pending: pendingOf(30_000) })).toBe('empty');
	});
});

describe('C21 the thresholds', () => {
	test('C21 auto: over the threshold, not at it', () => {
		expect(reasonOf(turns(9, 600), { trigger: 'auto' })).toBe('below-threshold');
		expect(reasonOf(turns(11, 600), { trigger: 'auto' })).toBe('compact');
	});

	test('C21 auto: what the provider reported decides, not the estimate', () => {
		const short = turns(4, 600);
		short.user('u');
		short.answer('a', { usage: { inputTokens: 5900, outputTokens: 10 } });
		expect(reasonOf(short, { trigger: 'auto' })).toBe('compact');
		const long = turns(11, 600);
		long.user('u');
		long.answer('a', { usage: { inputTokens: 4000, outputTokens: 10 } });
		expect(reasonOf(long, { trigger: 'auto' })).toBe('below-threshold');
	});

	test('C21 preflight counts the pending message, against S', () => {
		const tree = turns(8, 600);
		expect(reasonOf(tree, { trigger: 'preflight', pending: pendingOf(500) })).toBe(
			'below-threshold'
		);
		expect(reasonOf(tree, { trigger: 'preflight', pending: pendingOf(1500) })).toBe('compact');
	});

	test('C21 case 35: against the window of the model that will be asked', () => {
		const tree = turns(12, 600);
		const trigger = 'preflight' as const;
		expect(reasonOf(tree, { trigger, capacity: known(128_000) })).toBe('below-threshold');
		expect(reasonOf(tree, { trigger, capacity: small })).toBe('compact');
	});

	test('C21 case 19: right after a checkpoint nothing is compacted again', async () => {
		const tree = turns(10, 600);
		tree.user('u');
		tree.answer('a', { usage: { inputTokens: 6100, outputTokens: 10 } });
		await run(tree, mustPlan(tree, { trigger: 'auto' }));
		tree.user('ok');
		expect(reasonOf(tree, { trigger: 'auto' })).toBe('below-threshold');
		expect(reasonOf(tree, { trigger: 'preflight' })).toBe('below-threshold');
	});
});

describe('C22 manual', () => {
	test('C22 one turn, or the checkpoint is the leaf: no-ops', async () => {
		expect(reasonOf(turns(1, 600))).toBe('one-turn');
		const tree = turns(3, 600);
		await run(tree, mustPlan(tree));
		expect(reasonOf(tree)).toBe('checkpoint-is-leaf');
	});

	test('C22 two turns: the first is summarised, the second kept; no threshold', () => {
		const tree = turns(2, 600);
		const [u1, a1, u2, a2] = tree.branch();
		const { boundary } = mustPlan(tree);
		expect(boundary).toEqual({ firstKeptMessageId: u2?.id, covered: [u1, a1], kept: [u2, a2] });
	});
});

describe('C23 what cannot fit is not tried', () => {
	test('C23 case 12: a pending message that leaves no room for a summary', () => {
		const tree = turns(3, 600);
		expect(reasonOf(tree, { trigger: 'preflight', pending: pendingOf(9000) })).toBe(
			'cannot-advance'
		);
		expect(reasonOf(tree, { trigger: 'preflight', pending: pendingOf(5600) })).toBe(
			'cannot-advance'
		);
		expect(reasonOf(tree, { trigger: 'preflight', pending: pendingOf(5000) })).toBe('compact');
	});

	test('C23 an unanswered message that leaves no room (Retry)', () => {
		const tree = turns(3, 600);
		tree.user(words(6000));
		expect(reasonOf(tree, { trigger: 'preflight' })).toBe('cannot-advance');
		expect(reasonOf(tree)).toBe('gain-too-small');
	});
});

describe('C24 covered nothing', () => {
	async function compactedWithLater() {
		const tree = turns(4, 600);
		await run(tree, mustPlan(tree));
		tree.talk('a short question', 'a short answer');
		return tree;
	}

	test('C24 auto cannot advance', () => {
		const tree = turns(1, 600);
		tree.answer('a', { usage: { inputTokens: 6000, outputTokens: 10 } });
		expect(reasonOf(tree, { trigger: 'auto' })).toBe('cannot-advance');
	});

	test('C24 manual after a checkpoint with new messages is a refresh at the same boundary', async () => {
		const tree = await compactedWithLater();
		const before = project(tree.branch());
		const plan = mustPlan(tree, { focus: 'keep every sample size' });
		expect(plan.boundary.covered).toEqual([]);
		expect(plan.boundary.firstKeptMessageId).toBe(before.tail[0]?.id);
		expect(plan.previous).toBe(before.checkpoint);
	});

	test('C24 manual after a null boundary refreshes at the first later turn', () => {
		const tree = turns(1, 600);
		tree.checkpoint(null, { summary: words(300) });
		const [u] = tree.talk('short', 'short');
		expect(mustPlan(tree).boundary).toMatchObject({ covered: [], firstKeptMessageId: u?.id });
	});

	test('C24 case 35: preflight rewrites a checkpoint that was written for a larger model', () => {
		const tree = turns(1, 600);
		const u2 = tree.user('u2');
		tree.answer('a2');
		tree.checkpoint(u2, { summary: words(7000) });
		tree.talk('u3', 'a3');
		const plan = mustPlan(tree, { trigger: 'preflight', pending: pendingOf(50) });
		expect(plan.boundary.covered).toEqual([]);
		expect(plan.boundary.kept).toHaveLength(4);
	});

	test('C24 preflight with a small checkpoint and nothing to cover cannot advance', () => {
		const tree = turns(1, 600);
		const u2 = tree.user('u2');
		tree.answer('a2');
		tree.checkpoint(u2, { summary: words(100) });
		expect(
			reasonOf(tree, { trigger: 'preflight', instructions: words(5000), pending: pendingOf(1000) })
		).toBe('cannot-advance');
	});
});

describe('C25, C26 gain', () => {
	test('C25 auto must free a tenth of S', () => {
		const tree = turns(1, 400);
		tree.talk(words(300), words(500));
		tree.answer('a', { usage: { inputTokens: 6000, outputTokens: 10 } });
		expect(reasonOf(tree, { trigger: 'auto' })).toBe('gain-too-small');
	});

	test('C26 a manual checkpoint that could only grow the context is not paid for', () => {
		const tree = grow();
		tree.talk('hello', 'hi', 'thanks', 'bye');
		expect(reasonOf(tree)).toBe('gain-too-small');
	});

	test('C26 a template of more sections needs more to replace', () => {
		const tree = turns(2, 140);
		const template = (name: 'general' | 'research') =>
			reasonOf(tree, { template: name, toolsAfter: [] });
		expect([template('general'), template('research')]).toEqual(['compact', 'gain-too-small']);
	});

	test('C28 a first turn too small for a summary: by hand at most half of what is there is kept', () => {
		const tree = grow();
		tree.talk('/mode', 'ok');
		for (let n = 0; n < 8; n++) tree.talk(words(500, n), words(1500, n + 9));
		const large = { capacity: known(131_072) };
		const plan = mustPlan(tree, large);
		const open = plan.coveredTokens + plan.staying;
		expect(plan.boundary.covered.length).toBeGreaterThan(2);
		expect(plan.coveredTokens).toBeGreaterThan(open / 2 - 2100);
		expect(plan.boundary.kept.length).toBeGreaterThan(0);
		expect(reasonOf(tree, { ...large, trigger: 'auto' })).toBe('below-threshold');
	});
});

describe('C27 the measure', () => {
	test('C18, C27 before and after are the estimates of the requests before and after', async () => {
		const tree = turns(8, 600);
		const instructions = words(100);
		const plan = mustPlan(tree, { instructions });
		const before = { instructions, tools: [], projection: project(tree.branch()), pending: null };
		expect(plan.before.tokens).toBe(occupancyOf({ ...before, provider: 'p' }).tokens);
		const { commits } = await run(tree, plan);
		const after = {
			instructions,
			tools: recallTools,
			projection: project(tree.branch()),
			pending: null,
			provider: 'p'
		};
		expect(commits[0]?.tokensAfter).toBe(occupancyOf(after).tokens);
	});

	test('C27 tools that the caller names are counted instead', () => {
		const tree = turns(4, 600);
		const without = mustPlan(tree, { toolsAfter: [] }).staying;
		expect(mustPlan(tree).staying - without).toBe(fixedTokens('', recallTools));
		expect(mustPlan(tree, { tools: recallTools }).staying).toBe(mustPlan(tree).staying);
	});

	test('C34 preflight: kept, a summary of the target, and the pending message fit S', () => {
		for (const pendingTokens of [100, 1000, 3000, 4500]) {
			const plan = mustPlan(turns(12, 600), {
				trigger: 'preflight',
				pending: pendingOf(pendingTokens)
			});
			const frame = estimateText(checkpointBlock('').text);
			expect(plan.staying + plan.summaryTarget + frame).toBeLessThanOrEqual(small.safeLimit);
		}
	});

	test('C53 the target: a quarter of the cap or 800, and at most half of what is replaced', () => {
		expect(mustPlan(turns(8, 600)).summaryTarget).toBe(800);
		const short = mustPlan(turns(2, 600));
		expect(short.summaryTarget).toBeGreaterThan(250);
		expect(short.summaryTarget).toBeLessThan(320);
		// With tools that a first checkpoint would bring, so little would not be worth one.
		expect(mustPlan(turns(2, 280), { tools: recallTools }).summaryTarget).toBe(160);
	});

	test('C36 case 11: the pending message is neither covered nor kept', () => {
		const tree = turns(12, 600);
		const pending = pendingOf(100);
		const { boundary } = mustPlan(tree, { trigger: 'preflight', pending });
		expect([...boundary.covered, ...boundary.kept]).toEqual(tree.branch());
	});

	test('C36 Retry: the unanswered leaf is kept, and is the tail', () => {
		const tree = turns(12, 600);
		const question = tree.user('the question to answer again');
		const { boundary } = mustPlan(tree, { trigger: 'preflight' });
		expect(boundary.kept.at(-1)).toBe(question);
		expect(boundary.firstKeptMessageId).not.toBeNull();
	});

	test('C20 planning reads and changes nothing', () => {
		const tree = turns(8, 600);
		const before = JSON.stringify(tree.branch());
		planCompaction({
			trigger: 'manual',
			projection: project(tree.branch()),
			pending: null,
			instructions: '',
			tools: [],
			capacity: small,
			provider: 'p',
			template: 'general',
			stable: true,
			estimator: { ...uncalibrated, message: () => 700 }
		});
		expect(JSON.stringify(tree.branch())).toBe(before);
	});
});
