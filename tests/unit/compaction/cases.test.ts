/** Faults of other tools, each reproduced on a tree in memory; and that none of them is without a test. */
import { describe, expect, test } from 'vitest';
import { differenceOf } from '../../../src/lib/compaction/difference';
import { TOOL_RESULT_TOKENS } from '../../../src/lib/compaction/serialise';
import { templates } from '../../../src/lib/compaction/template';
import { verifyAnswer } from '../../../src/lib/compaction/verify';
import { capacityOf } from '../../../src/lib/context/capacity';
import { estimateText } from '../../../src/lib/context/estimate';
import { occupancyOf } from '../../../src/lib/context/occupancy';
import { project } from '../../../src/lib/context/projection';
import { buildRequest } from '../../../src/lib/context/request';
import { shortId, type PinnedText, type Usage } from '../../../src/lib/history/message';
import { turnsOf } from '../../../src/lib/history/turns';
import {
	answerOf,
	known,
	mustPlan,
	planOf,
	run,
	small,
	summaryOf,
	transcriptOf
} from '../../support/compaction';
import { grow, text, tool, words, type Grower } from '../../support/tree';

/** Turns of about 600 tokens, each with a word that no other holds. */
function secrets(count: number): Grower {
	const tree = grow();
	for (let n = 1; n <= count; n++) tree.talk(`qz${n}qz ${words(150, n)}`, words(450, n + 50));
	return tree;
}
const secretsIn = (said: string) => [...new Set(said.match(/qz\d+qz/g) ?? [])];

describe('coverage', () => {
	test('case 1, case 8: three checkpoints in a row: each message is read by exactly one of them or sent', async () => {
		const tree = secrets(4);
		const read: string[] = [];
		for (let n = 5; n <= 13; n++) {
			tree.talk(`qz${n}qz ${words(150, n)}`, words(450, n));
			if (n % 4 !== 1) continue;
			const { requests, outcome } = await run(tree, mustPlan(tree));
			expect(outcome.kind).toBe('committed');
			read.push(...requests.flatMap((request) => secretsIn(transcriptOf(request))));
		}
		const { tail, later } = project(tree.branch());
		const sent = secretsIn(JSON.stringify([...tail, ...later]));
		expect([...read, ...sent]).toEqual(Array.from({ length: 13 }, (_, at) => `qz${at + 1}qz`));
		expect(sent.length).toBeGreaterThan(0);
	});

	test('case 3: a region of answers and tools alone is read in full, never replaced by a placeholder', async () => {
		const tree = grow();
		tree.answer([tool('read', { page: 1 }, `qz1qz ${words(600)}`)]);
		tree.answer([tool('read', { page: 2 }, `qz2qz ${words(600, 2)}`), text('qz3qz done')]);
		tree.talk('qz4qz', 'An answer');
		const plan = mustPlan(tree);
		const { requests, commits } = await run(tree, plan, (request) =>
			answerOf(summaryOf(`- [tool] ${secretsIn(request.prompt).join(' ')}`))
		);
		expect(secretsIn(requests.map(transcriptOf).join())).toEqual(['qz1qz', 'qz2qz', 'qz3qz']);
		expect(commits[0]?.summary).toContain('qz1qz qz2qz qz3qz');
		// And a summariser that says nothing of it is refused, not believed.
		const other = await run(tree.at(tree.branch()[3] ?? null), plan, () =>
			answerOf(summaryOf('…'))
		);
		expect(other.outcome).toMatchObject({ kind: 'rejected', rejection: { reason: 'empty' } });
	});

	test('case 8: a summariser with a window smaller than the region reads all of it, in passes, before any commit', async () => {
		const tree = secrets(40);
		const plan = mustPlan(tree, { capacity: known(64_000) });
		const { requests, commits, outcome } = await run(tree, plan, undefined, { summariser: small });
		expect(outcome.kind).toBe('committed');
		expect(requests.length).toBeGreaterThan(3);
		expect(commits).toHaveLength(1);
		const read = secretsIn(requests.map(transcriptOf).join());
		expect(read).toEqual(
			plan.boundary.covered.flatMap((message) => secretsIn(JSON.stringify(message)))
		);
		// Where a pass overflows at the provider, nothing is dropped and nothing is claimed.
		const refused = await run(
			secrets(40),
			plan,
			(_, call) => (call < 3 ? answerOf() : { kind: 'failed', failure: 'too long' }),
			{ summariser: small }
		);
		expect([refused.outcome.kind, refused.commits.length]).toEqual(['failed', 0]);
	});

	test('case 23: five windows, with reasoning and results without a limit: every request fits, and it ends', async () => {
		const tree = grow();
		for (let n = 1; n <= 16; n++) {
			tree.user(`qz${n}qz`);
			tree.answer([
				{ type: 'reasoning', text: words(4000, n) },
				tool('read', { n }, words(3 * TOOL_RESULT_TOKENS, n)),
				text(words(600, n))
			]);
		}
		const plan = mustPlan(tree);
		expect(plan.coveredTokens).toBeGreaterThan(5 * small.window);
		const { requests, outcome } = await run(tree, plan, () => answerOf(summaryOf(words(900))));
		expect(outcome.kind).toBe('committed');
		for (const { system, prompt, maxOutputTokens } of requests) {
			const tokens = estimateText(system) + estimateText(prompt);
			expect(tokens).toBeLessThanOrEqual(small.safeLimit);
			expect(tokens + maxOutputTokens).toBeLessThanOrEqual(small.window);
		}
	});
});

describe('case 14: what a compaction did can be seen, and steered', () => {
	const older = summaryOf('- [user] keep sample sizes (m:0000000001)\n- [model] p < .05');
	const newer = summaryOf('- keep **sample sizes** (m:0000000009)\n- [user] only adults');

	test('case 14: the difference of two summaries says what was kept, added and dropped', () => {
		expect(differenceOf(older, newer)[0]).toEqual({
			heading: 'Key Decisions',
			lines: [
				{ kind: 'same', line: '- keep **sample sizes** (m:0000000009)' },
				{ kind: 'added', line: '- [user] only adults' },
				{ kind: 'dropped', line: '- [model] p < .05' }
			]
		});
		expect(differenceOf(older, older).flatMap(({ lines }) => lines)).not.toContainEqual(
			expect.objectContaining({ kind: 'dropped' })
		);
	});

	test('case 14: what is pinned is carried word for word by each later checkpoint, whatever the summariser does', async () => {
		const tree = secrets(5);
		const [first] = tree.branch();
		const pins: PinnedText[] = [
			{ messageId: first?.id ?? null, text: 'Never drop the control group.' },
			{ messageId: null, text: 'n = 1,204' }
		];
		for (let time = 0; time < 3; time++) {
			const { commits } = await run(tree, mustPlan(tree, { pins }));
			expect(commits[0]?.pinned).toEqual(pins);
			const { system } = buildRequest({
				instructions: '',
				tools: [],
				projection: project(tree.branch()),
				pending: null,
				maxOutputTokens: 1
			});
			for (const pin of pins) expect(system[0]?.text).toContain(pin.text);
			tree.talk(words(500, time), words(500, time));
			tree.talk(words(500, time), words(500, time));
		}
	});

	test('case 14: pins that do not fit are told before a model is asked', () => {
		const pins = [{ messageId: null, text: words(6000) }];
		expect(planOf(secrets(5), { pins })).toMatchObject({
			kind: 'noop',
			reason: 'pins-do-not-fit',
			pinnedTokens: expect.any(Number)
		});
	});
});

describe('language and templates', () => {
	test.each([
		['Portuguese', '- [user] quer os tamanhos das amostras (m:0000000001)'],
		['Chinese', '- [user] 请保留每个样本量 (m:0000000001)'],
		['Arabic', '- [user] يريد أحجام العينات (m:0000000001)']
	])('case 16: a summary in %s is asked for, taken, and sent as it is', async (_, line) => {
		const tree = grow();
		tree.talk(line.repeat(40), words(500), 'u2', 'a2');
		const { requests, commits } = await run(tree, mustPlan(tree), () => answerOf(summaryOf(line)));
		expect(requests[0]?.system).toMatch(/language the user writes in/);
		expect(commits[0]?.summary).toContain(`## Key Decisions\n\n${line}`);
	});

	test('case 36: each template is checked by its own headings', () => {
		const names = ['general', 'research', 'code'] as const;
		for (const written of names) {
			for (const asked of names) {
				const rejection = verifyAnswer(answerOf(summaryOf('- x', written)), asked, 1000);
				const has = templates[asked].every(({ heading }) =>
					templates[written].some((section) => section.heading === heading)
				);
				expect(rejection?.reason ?? null).toBe(has ? null : 'missing-sections');
			}
		}
	});
});

describe('counting', () => {
	const after = (usage: Usage) => {
		const tree = grow();
		tree.user('Hello');
		tree.answer('Hi', { usage, totalUsage: { inputTokens: 931_000, outputTokens: 9 } });
		return occupancyOf({
			instructions: '',
			tools: [],
			projection: project(tree.branch()),
			pending: null,
			provider: 'p'
		}).tokens;
	};

	test.each<[string, Usage, number]>([
		['case 27', { inputTokens: 206, cachedInputTokens: 98_432, outputTokens: 78 }, 98_716],
		['case 28', { inputTokens: 163_000, cachedInputTokens: 150_000, outputTokens: 900 }, 163_900],
		['case 29', { inputTokens: 184_704, cachedInputTokens: 183_936, outputTokens: 0 }, 184_704]
	])('%s: %o fills %i tokens of the window', (_, usage, tokens) => {
		expect(after(usage)).toBe(tokens);
	});

	test('case 22: no window known: 32,000, marked as assumed, and compacted for', () => {
		const capacity = capacityOf({ contextWindow: null, maxOutput: null });
		expect(capacity).toMatchObject({ window: 32_000, windowSource: 'assumed' });
		expect(planOf(secrets(50), { trigger: 'auto', capacity }).kind).toBe('compact');
	});

	test('case 35: from a small window to a large one nothing is compacted, from large to small it is', () => {
		const tree = secrets(20);
		const plan = (window: number) =>
			planOf(tree, { trigger: 'preflight', capacity: known(window) });
		expect(plan(32_000)).toMatchObject({ kind: 'noop', reason: 'below-threshold' });
		expect(plan(8192).kind).toBe('compact');
	});
});

test('case 48: a checkpoint is no turn: neither the summary nor the count of turns holds it', async () => {
	const tree = secrets(4);
	const before = turnsOf(tree.branch()).length;
	await run(tree, mustPlan(tree));
	expect(tree.leaf?.role).toBe('checkpoint');
	expect(turnsOf(tree.branch())).toHaveLength(before);
	tree.talk(words(600), words(600), words(600), words(600));
	const plan = mustPlan(tree);
	const { requests } = await run(tree, plan);
	expect(plan.boundary.covered.map(({ role }) => role)).not.toContain('checkpoint');
	expect(plan.previous?.role).toBe('checkpoint');
	expect(requests.map(transcriptOf).join()).not.toContain(
		plan.previous && shortId(plan.previous.id)
	);
});

/** The faults of other tools that this one is to be without. Those left out concern what it does not have. */
const CASES = [
	1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 16, 17, 19, 20, 21, 22, 23, 26, 27, 28, 29, 31, 32, 35,
	36, 37, 38, 39, 41, 42, 43, 44, 45, 47, 48, 49
];

const files = import.meta.glob<string>('../../{unit,storage}/**/*.test.ts', {
	query: '?raw',
	import: 'default',
	eager: true
});

describe('each case has a test of its name', () => {
	// What stands in a comment, or here, is no test.
	const titles = Object.values(files)
		.flatMap((source) => source.split('\n'))
		.filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line))
		.join('\n');
	const named = new Set([...titles.matchAll(/\bcase (\d+)\b/g)].map((match) => Number(match[1])));

	test.each(CASES)('number %i', (number) => {
		expect(named).toContain(number);
	});
});
