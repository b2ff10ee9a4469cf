import { describe, expect, test } from 'vitest';
import { PRESERVED_HEADING } from '../../../src/lib/compaction/template';
import { verifyAnswer } from '../../../src/lib/compaction/verify';
import { estimateText } from '../../../src/lib/context/estimate';
import { estimatorOf } from '../../../src/lib/context/measure';
import { project } from '../../../src/lib/context/projection';
import { checkpointBlock } from '../../../src/lib/context/request';
import {
	answerOf,
	known,
	mustPlan,
	planOf,
	run,
	small,
	summaryOf,
	transcriptOf,
	type Summariser
} from '../../support/compaction';
import { grow, words } from '../../support/tree';

/** Ten turns of about 600 tokens. */
function longTree(count = 10) {
	const tree = grow();
	for (let n = 0; n < count; n++) tree.talk(words(150, n), words(450, n + 50));
	return tree;
}
const snapshot = (tree: ReturnType<typeof grow>) => JSON.stringify([...tree.rows.values()]);

describe('C84 case 2, 4, 5, 7: whatever the summariser does, nothing is committed', () => {
	const failing: Summariser = () => ({ kind: 'failed', failure: 'HTTP 429' });
	const once =
		(bad: Summariser): Summariser =>
		(request, call) =>
			call === 1 ? bad(request, call) : answerOf();
	const bad: readonly [string, Summariser, string][] = [
		['nothing', () => answerOf(''), 'empty'],
		['reasoning only', () => answerOf('', { hadReasoningOnly: true }), 'reasoning'],
		['a tool call', () => answerOf('', { hadToolCall: true }), 'tool-call'],
		['text that looks like a tool call', () => answerOf('<tool_call>{}</tool_call>'), 'tool-call'],
		['a text cut at the limit', () => answerOf(summaryOf(), { finish: 'length' }), 'length'],
		[
			'a filtered text',
			() => answerOf(summaryOf(), { finish: 'content-filter' }),
			'content-filter'
		],
		['an error text', () => answerOf('Error 500', { finish: 'error' }), 'ended'],
		['a text that stopped arriving', () => answerOf('## Key Dec', { finish: 'other' }), 'ended'],
		['a text without a section', () => answerOf('## Key Decisions\n\nx'), 'missing-sections'],
		['a text over the cap', () => answerOf(summaryOf(words(2000))), 'over-cap'],
		['an echo of its input', (request) => answerOf(request.prompt), 'missing-sections'],
		['an echo with headings', (request) => answerOf(`${summaryOf()}\n${request.prompt}`), 'echo'],
		['a placeholder', () => answerOf(summaryOf('—')), 'empty']
	];

	test.each(bad)('C84, C66 %s twice: rejected, one repair asked', async (_, summariser, reason) => {
		const tree = longTree();
		const before = snapshot(tree);
		const { outcome, commits, requests } = await run(tree, mustPlan(tree), summariser);
		expect(outcome).toMatchObject({ kind: 'rejected', rejection: { reason } });
		expect(commits).toEqual([]);
		expect(requests).toHaveLength(2);
		expect(requests[0]?.prompt).not.toContain('<repair>');
		expect(requests[1]?.prompt).toContain('<repair>');
		expect(snapshot(tree)).toBe(before);
	});

	test.each(bad)('C66 %s once: the repair is committed', async (_, summariser) => {
		const tree = longTree(5);
		const { outcome, commits } = await run(tree, mustPlan(tree), once(summariser));
		expect(outcome.kind).toBe('committed');
		expect(commits).toMatchObject([
			{ passes: 2, usage: { inputTokens: 12_000, outputTokens: 20 } }
		]);
	});

	test('C66 case 20: a summary that gains nothing is repaired once, then rejected', async () => {
		const tree = grow();
		tree.talk(words(300), words(300), 'u2', 'a2');
		const wordy: Summariser = () => answerOf(summaryOf(words(700)));
		const { outcome, commits, requests } = await run(tree, mustPlan(tree), wordy);
		expect(outcome).toMatchObject({ kind: 'rejected', rejection: { reason: 'no-gain' } });
		expect([commits.length, requests.length]).toEqual([0, 2]);
		expect((await run(tree, mustPlan(tree), once(wordy))).outcome.kind).toBe('committed');
	});

	test('C66 one repair in the whole run, not one a pass', async () => {
		const tree = longTree(60);
		const second: Summariser = (_, call) => (call === 1 || call === 3 ? answerOf('') : answerOf());
		const { outcome, requests } = await run(tree, mustPlan(tree), second);
		expect(outcome.kind).toBe('rejected');
		expect(requests).toHaveLength(3);
	});

	test.each([
		['at the cap', answerOf(summaryOf(), { finish: 'length' })],
		['while it reasoned', answerOf('', { finish: 'length', hadReasoningOnly: true })]
	])(
		'C66 case 4: what was cut %s may have reasoned: the repair may write min(M, R)',
		async (_, cut) => {
			const first: Summariser = (_, call) => (call === 1 ? cut : answerOf());
			for (const [maxOutput, most] of [
				[null, 2048],
				[1700, 1700],
				[900, 900]
			] as const) {
				const capacity = known(8192, maxOutput);
				const tree = longTree(5);
				const plan = mustPlan(tree, { capacity });
				const { outcome, requests } = await run(tree, plan, first);
				expect(outcome.kind).toBe('committed');
				expect(requests.map((request) => request.maxOutputTokens)).toEqual([
					capacity.summaryCap,
					Math.min(most, capacity.reserve)
				]);
				// What may be committed stays as it was.
				expect(requests[1]?.prompt).toContain(`cap="${capacity.summaryCap}"`);
			}
		}
	);

	test('C66 the repair of anything else asks for no more', async () => {
		const tree = longTree(5);
		const { requests } = await run(
			tree,
			mustPlan(tree),
			once(() => answerOf(''))
		);
		expect(requests.map((request) => request.maxOutputTokens)).toEqual([
			small.summaryCap,
			small.summaryCap
		]);
	});

	test('C67 a prompt that the server cut is no success, and not tried again', async () => {
		const tree = longTree();
		const before = snapshot(tree);
		const { outcome, commits, requests } = await run(tree, mustPlan(tree), () =>
			answerOf(summaryOf(), { usage: { inputTokens: 1024, outputTokens: 60 } })
		);
		expect(outcome).toMatchObject({ kind: 'rejected', rejection: { reason: 'unread' } });
		expect([commits.length, requests.length]).toEqual([0, 1]);
		expect(snapshot(tree)).toBe(before);
	});

	test('C84 a provider that fails is told, without a repair', async () => {
		const tree = longTree();
		const { outcome, commits, requests } = await run(tree, mustPlan(tree), failing);
		expect(outcome).toEqual({ kind: 'failed', failure: 'HTTP 429' });
		expect([commits.length, requests.length]).toEqual([0, 1]);
	});

	test('C85 a summariser that throws is thrown on, and nothing is committed', async () => {
		const tree = longTree();
		const before = snapshot(tree);
		const broken: Summariser = () => {
			throw new Error('broken');
		};
		await expect(run(tree, mustPlan(tree), broken)).rejects.toThrow('broken');
		expect(snapshot(tree)).toBe(before);
	});

	test('C83 a run that fails in its last pass commits nothing', async () => {
		const tree = longTree(60);
		const { outcome, commits, requests } = await run(tree, mustPlan(tree), (request, call) =>
			transcriptOf(request).includes('m:0000000001') || call < 4 ? answerOf() : answerOf('')
		);
		expect(requests.length).toBeGreaterThan(4);
		expect(outcome.kind).toBe('rejected');
		expect(commits).toEqual([]);
	});
});

describe('C85 case 39, 41: abort', () => {
	const at = ['reading', 'summarising', 'verifying', 'committing'] as const;
	test.each(at)('C85 while %s: cancelled, nothing committed', async (phase) => {
		const tree = longTree(60);
		const stop = new AbortController();
		const { outcome, commits } = await run(tree, mustPlan(tree), () => answerOf(), {
			signal: stop.signal,
			onProgress: (progress) => {
				if (progress.phase === phase) stop.abort();
			},
			commit: async (checkpoint, signal) =>
				signal.aborted
					? { kind: 'aborted' }
					: { kind: 'committed', message: tree.checkpoint(null, checkpoint) }
		});
		expect(outcome).toEqual({ kind: 'cancelled' });
		expect(commits).toEqual([]);
		expect(project(tree.branch()).checkpoint).toBeNull();
	});

	test('C85 before it begins: no model is asked', async () => {
		const tree = longTree();
		const { outcome, requests } = await run(tree, mustPlan(tree), undefined, {
			signal: AbortSignal.abort()
		});
		expect(outcome).toEqual({ kind: 'cancelled' });
		expect(requests).toEqual([]);
	});

	test.each(['summarise', 'read', 'commit', 'sha256'] as const)(
		'C85 a %s that throws because of the abort is a cancellation',
		async (port) => {
			const tree = longTree();
			const stop = new AbortController();
			const { outcome } = await run(tree, mustPlan(tree), undefined, {
				signal: stop.signal,
				[port]: async () => {
					stop.abort();
					throw new DOMException('Aborted', 'AbortError');
				}
			});
			expect(outcome).toEqual({ kind: 'cancelled' });
		}
	);

	test('C85 after the commit: it has happened, and is said', async () => {
		const tree = longTree();
		const stop = new AbortController();
		const { outcome } = await run(tree, mustPlan(tree), undefined, {
			signal: stop.signal,
			commit: async (checkpoint) => {
				const message = tree.checkpoint(null, checkpoint);
				stop.abort();
				return { kind: 'committed', message };
			}
		});
		expect(outcome.kind).toBe('committed');
	});

	test('C84 case 42: a stale branch is told as such', async () => {
		const tree = longTree();
		const { outcome } = await run(tree, mustPlan(tree), undefined, {
			commit: async () => ({ kind: 'stale' })
		});
		expect(outcome).toEqual({ kind: 'stale' });
	});
});

describe('C80–C83 passes', () => {
	test.each([2, 5])(
		'C83, C80 cases 8, 23: %i windows of history end, and every request fits',
		async (times) => {
			const tree = longTree(Math.ceil((times * small.window) / 630));
			const plan = mustPlan(tree);
			const { outcome, requests, commits } = await run(tree, plan, () =>
				answerOf(summaryOf(words(900)))
			);
			expect(outcome.kind).toBe('committed');
			expect(requests.length).toBeGreaterThan(times);
			expect(commits).toMatchObject([{ coveredMessageCount: plan.boundary.covered.length }]);
			for (const { system, prompt, maxOutputTokens } of requests) {
				const tokens = estimateText(system) + estimateText(prompt);
				expect(tokens).toBeLessThanOrEqual(small.safeLimit);
				expect(tokens + maxOutputTokens).toBeLessThanOrEqual(small.window);
			}
		}
	);

	test.each([
		[0.6, 0.6],
		[0.6, 1.8],
		[1.8, 0.6],
		[1.8, 1.8],
		[0.6, 1]
	])(
		'C80, C64 a session’s factor of %f and a summariser’s of %f: every request is within its safe limit',
		async (factor, summariserFactor) => {
			for (const window of [8192, 32_000]) {
				const capacity = known(window);
				const tree = grow();
				for (let n = 0; n < 40; n++) tree.talk(`q${n}`, words(Math.round(window / 10), n));
				const plan = mustPlan(tree, { capacity, estimator: estimatorOf(factor) });
				// The longest that passes: as long as it is allowed, in all sections.
				const longest = (share: number) =>
					summaryOf('').replaceAll(/^## .*$/gm, (heading, index: number) =>
						[heading, '', `- [user] ${words(Math.floor(share), index)}`].join('\n')
					);
				let share = capacity.summaryCap / 2;
				const isOver = () =>
					verifyAnswer(answerOf(longest(share)), 'general', capacity.summaryCap, plan.estimator);
				while (isOver()) share *= 0.98;
				const { requests } = await run(
					tree,
					plan,
					() => answerOf(longest(share), { usage: null }),
					{
						summariser: capacity,
						summariserFactor
					}
				);
				expect(requests.length).toBeGreaterThan(1);
				const sizes = requests.map(({ system, prompt }) =>
					Math.ceil(summariserFactor * (estimateText(system) + estimateText(prompt)))
				);
				expect(Math.max(...sizes)).toBeLessThanOrEqual(capacity.safeLimit);
			}
		}
	);

	test('C82 a previous summary over the cap by either measure is read as the first blocks', async () => {
		for (const factor of [0.6, 1.8]) {
			const tree = grow();
			const u1 = tree.user('u1');
			tree.answer('a1');
			// Over the cap by one of the two measures only.
			const tokens = factor < 1 ? 1.3 * small.summaryCap : small.summaryCap / 1.4;
			tree.checkpoint(u1, { summary: summaryOf(words(Math.floor(tokens))) });
			tree.talk(words(1500), words(1500), 'u2', 'a2');
			const plan = mustPlan(tree, { estimator: estimatorOf(factor) });
			const { requests } = await run(tree, plan);
			expect(requests[0]?.prompt).not.toContain('<previous-summary>');
			expect(requests.map(transcriptOf).join('')).toContain('assistant earlier checkpoint');
		}
	});

	test('C83, C47 every covered message is read once, in order; each pass gets the summary before', async () => {
		const tree = longTree(60);
		const plan = mustPlan(tree);
		const { requests } = await run(tree, plan, (_, call) => answerOf(summaryOf(`- pass ${call}`)));
		const cited = requests.flatMap((request) =>
			[...transcriptOf(request).matchAll(/^\[m:(\w{10}) (?:user|assistant)\]/gm)].map(
				([, id]) => id
			)
		);
		expect(cited).toEqual(
			plan.boundary.covered.map((message) => message.id.replaceAll('-', '').slice(-10))
		);
		requests.forEach(({ prompt }, index) => {
			expect(prompt.includes('<previous-summary>')).toBe(index > 0);
			if (index > 0) expect(prompt).toContain(`- pass ${index}\n`);
		});
	});

	test('C80 a single message larger than the window is read to its end', async () => {
		const tree = grow();
		tree.talk(`FIRST ${words(20_000)} LAST`, 'noted', 'u2', 'a2');
		const { outcome, requests } = await run(tree, mustPlan(tree));
		expect(outcome.kind).toBe('committed');
		const read = requests.map(transcriptOf).join('');
		expect(read).toContain('FIRST');
		expect(read).toContain('LAST');
	});

	test('C80 a summariser too small for one pass: no room', async () => {
		const tree = longTree();
		const { outcome, requests } = await run(tree, mustPlan(tree), undefined, {
			summariser: known(1600)
		});
		expect(outcome).toEqual({ kind: 'no-room' });
		expect(requests).toEqual([]);
	});

	test('C82 case 35: a summary of a larger model is read by a small one in passes, not dropped', async () => {
		const tree = grow();
		const u1 = tree.user('u1');
		tree.answer('a1');
		tree.checkpoint(u1, { summary: `## Key Decisions\n\n- BEGIN ${words(9000)} END` });
		tree.talk('u2', 'a2');
		const plan = mustPlan(tree, { trigger: 'preflight' });
		const { outcome, requests, commits } = await run(tree, plan);
		expect(outcome.kind).toBe('committed');
		const read = requests.map(transcriptOf).join('');
		expect(read).toContain('BEGIN');
		expect(read).toContain('END');
		expect(requests.length).toBeGreaterThan(2);
		for (const { system, prompt } of requests) {
			expect(estimateText(system) + estimateText(prompt)).toBeLessThanOrEqual(small.safeLimit);
		}
		expect(commits[0]?.tokensAfter).toBeLessThanOrEqual(small.safeLimit);
	});

	test('C81 in a tight preflight the cap is what is left', async () => {
		const tree = longTree();
		const pending = grow(9).user(words(4700));
		const plan = mustPlan(tree, { trigger: 'preflight', pending });
		const { requests, outcome } = await run(tree, plan);
		const frame = estimateText(checkpointBlock('').text);
		expect(requests[0]?.maxOutputTokens).toBe(small.safeLimit - plan.staying - frame);
		expect(requests[0]?.maxOutputTokens).toBeLessThan(small.summaryCap);
		expect(outcome.kind).toBe('committed');
	});
});

describe('what is committed', () => {
	test('C86 fields', async () => {
		const tree = longTree();
		const [u1] = tree.branch();
		const plan = mustPlan(tree, { focus: 'keep sizes' });
		const { commits } = await run(tree, plan);
		expect(commits[0]).toMatchObject({
			firstKeptMessageId: plan.boundary.firstKeptMessageId,
			previousCheckpointId: null,
			trigger: 'manual',
			template: 'general',
			model: { provider: 'p', model: 'm' },
			coveredMessageCount: plan.boundary.covered.length,
			tokensBefore: plan.before.tokens,
			focus: 'keep sizes',
			passes: 2
		});
		expect(commits[0]?.digest).toMatch(new RegExp(`^sha of ${u1?.id}\n`));
	});

	test('C75 the reference a summary dropped is put back; one it kept is not doubled', async () => {
		const tree = grow();
		tree.talk(`see 10.1037/0033-2909 and Q7K2M9XP ${words(400)}`, words(400), 'u2', 'a2');
		const { commits } = await run(tree, mustPlan(tree), () =>
			answerOf(summaryOf('- [user] Q7K2M9XP (m:0000000001)'))
		);
		const summary = commits[0]?.summary ?? '';
		expect(summary).toContain(`## ${PRESERVED_HEADING}\n\n- doi: 10.1037/0033-2909`);
		expect(summary.match(/Q7K2M9XP/g)).toHaveLength(1);
		expect(commits[0]?.references.every(({ kept }) => kept)).toBe(true);
	});

	test('C75 references put back never push a preflight over the limit', async () => {
		const tree = grow();
		const keys = Array.from({ length: 400 }, (_, n) => `10.1000/paper-${n}`).join(' ');
		tree.talk(keys, words(1000), 'u2', 'a2');
		const pending = grow(9).user(words(4000));
		const plan = mustPlan(tree, { trigger: 'preflight', pending });
		const { outcome, commits } = await run(tree, plan, () => answerOf(summaryOf(words(700))));
		expect(outcome.kind).toBe('committed');
		expect(commits[0]?.tokensAfter).toBeLessThanOrEqual(small.safeLimit);
		expect(commits[0]?.summary).toContain(PRESERVED_HEADING);
	});

	test('C75 a refresh keeps the references that were put back', async () => {
		const tree = grow();
		const keys = Array.from({ length: 60 }, (_, n) => `10.1000/paper-${n}`).join(' ');
		tree.talk(keys, words(2500), 'u2', 'a2');
		const kept: number[] = [];
		for (let round = 0; round < 4; round++) {
			const { commits } = await run(tree, mustPlan(tree));
			kept.push(commits[0]?.references.filter((reference) => reference.kept).length ?? 0);
			tree.talk('more', 'more');
		}
		expect(kept).toEqual([60, 60, 60, 60]);
	});

	test('C75 small compactions one after another drop nothing that was put back while there is room', async () => {
		const tree = grow();
		const keys = Array.from({ length: 90 }, (_, n) => `10.1000/paper-${n}`).join(' ');
		tree.talk(keys, words(2500), 'u2', 'a2');
		const kept: number[] = [];
		for (let round = 0; round < 4; round++) {
			const { commits } = await run(tree, mustPlan(tree));
			kept.push(commits[0]?.references.filter((reference) => reference.kept).length ?? 0);
			// Little is freed each time: half of it would not hold what was put back before.
			tree.talk(words(350, round), words(350, round + 5));
		}
		expect(kept[0]).toBeGreaterThan(80);
		for (const later of kept) expect(later).toBeGreaterThanOrEqual(kept[0] ?? 0);
	});

	test.each([
		['keep every sample size', 'n = 1042'],
		['guarda todas las rutas', 'src/lib/rare/only-once.ts'],
		['keep 10.1000/paper-397 above all', '10.1000/paper-397']
	])('C77 %j: what it asks for is put back first', async (focus, wanted) => {
		const tree = grow();
		const many = Array.from({ length: 400 }, (_, n) => `10.1000/paper-${n}`).join(' ');
		tree.talk(`${many} with n = 1042 in src/lib/rare/only-once.ts`, words(1000), 'u2', 'a2');
		const without = await run(tree, mustPlan(tree));
		expect(without.commits[0]?.summary).not.toContain(wanted);
		const again = grow();
		again.talk(`${many} with n = 1042 in src/lib/rare/only-once.ts`, words(1000), 'u2', 'a2');
		const { commits } = await run(again, mustPlan(again, { focus }));
		expect(commits[0]?.summary).toContain(wanted);
	});

	test('C82 "Preserved references" are never part of what a model is given', async () => {
		const tree = grow();
		tree.talk(`10.1000/paper-1 ${words(500)}`, words(500), 'u2', 'a2');
		await run(tree, mustPlan(tree));
		tree.talk(words(600), words(600), 'u4', 'a4');
		const { requests } = await run(tree, mustPlan(tree));
		expect(requests[0]?.prompt).toContain('<previous-summary>');
		expect(requests[0]?.prompt).not.toContain(PRESERVED_HEADING);
	});

	test('C64 case 17: twelve compactions by a summariser that grows what it reads stay under the cap', async () => {
		const tree = longTree();
		const growing: Summariser = (request, call) => {
			const before = /<previous-summary>\n([\s\S]*?)\n<\/previous-summary>/.exec(
				request.prompt
			)?.[1];
			const body = before ? before.split('\n')[2] : '- start';
			return answerOf(summaryOf(`${body} ${words(250, call)}`));
		};
		let committed = 0;
		for (let round = 0; round < 12; round++) {
			const plan = planOf(tree);
			if (plan.kind === 'compact') {
				const { commits } = await run(tree, plan, growing);
				committed += commits.length;
				for (const { summary } of commits) {
					expect(estimateText(summary)).toBeLessThanOrEqual(small.summaryCap + 1500);
				}
			}
			tree.talk(words(150, round), words(450, round));
			expect(project(tree.branch()).later.length).toBeGreaterThan(0);
		}
		expect(committed).toBeGreaterThan(1);
	});

	test('C10, C50 case 10: the session’s instructions are in no summary request', async () => {
		const tree = longTree();
		const { requests } = await run(tree, mustPlan(tree, { instructions: 'SECRET INSTRUCTIONS' }));
		expect(JSON.stringify(requests)).not.toContain('SECRET INSTRUCTIONS');
	});

	test('C36 case 11: the pending message is in no summary request', async () => {
		const tree = longTree();
		const pending = grow(9).user('PENDING QUESTION');
		const plan = mustPlan(tree, { pending });
		expect(JSON.stringify((await run(tree, plan)).requests)).not.toContain('PENDING QUESTION');
	});

	test('C35 case 44: a secret on a dead branch is in no summary request', async () => {
		const tree = longTree(3);
		const [, a1] = tree.branch();
		tree.at(a1 ?? null).talk('SECRET', 'SECRET');
		tree.at(a1 ?? null).talk(...Array.from({ length: 6 }, (_, n) => words(500, n)));
		expect(JSON.stringify((await run(tree, mustPlan(tree))).requests)).not.toContain('SECRET');
	});

	test('C35 case 1: what checkpoint 1 kept is summarised by checkpoint 2', async () => {
		const tree = grow();
		tree.talk(words(500), words(500), 'KEPT BY ONE', words(400));
		await run(tree, mustPlan(tree));
		tree.talk(words(500), words(500), words(300), words(300));
		const { requests } = await run(tree, mustPlan(tree));
		expect(requests.map(transcriptOf).join()).toContain('KEPT BY ONE');
	});
});
