import { describe, expect, test } from 'vitest';
import { estimateText } from '../../../src/lib/context/estimate';
import { estimatorOf, measureMessage } from '../../../src/lib/context/measure';
import { estimated, occupancyOf } from '../../../src/lib/context/occupancy';
import { project } from '../../../src/lib/context/projection';
import { recallTools } from '../../../src/lib/context/recall';
import type { AssistantMetadata, Usage } from '../../../src/lib/history/message';
import { file, grow, words, type Grower } from '../../support/tree';

const reported = (usage: Usage, more: AssistantMetadata = {}): AssistantMetadata => ({
	usage,
	...more
});
const occupancy = (tree: Grower, more: Partial<Parameters<typeof occupancyOf>[0]> = {}) =>
	occupancyOf({
		instructions: '',
		tools: [],
		projection: project(tree.branch()),
		pending: null,
		provider: 'p',
		...more
	});

/** One question and an answer that reports `usage`. */
function answered(usage: Usage, more: AssistantMetadata = {}) {
	const tree = grow();
	tree.user('u1');
	tree.answer('a1', reported(usage, more));
	return tree;
}

describe('C16 the reported figure', () => {
	test.each<[string, Usage, number]>([
		['plain', { inputTokens: 1000, outputTokens: 50 }, 1050],
		[
			'case 27: cached left out of the input',
			{ inputTokens: 206, outputTokens: 78, cachedInputTokens: 98_432 },
			98_716
		],
		[
			'case 29: cached within the input',
			{ inputTokens: 184_704, outputTokens: 0, cachedInputTokens: 183_936 },
			184_704
		],
		['all of the input cached', { inputTokens: 500, outputTokens: 1, cachedInputTokens: 500 }, 501],
		[
			'reasoning is not replayed',
			{ inputTokens: 1000, outputTokens: 900, reasoningTokens: 800 },
			1100
		],
		[
			'reasoning counted apart from the output',
			{ inputTokens: 1000, outputTokens: 10, reasoningTokens: 800 },
			1010
		]
	])('C16 %s', (_, usage, tokens) => {
		expect(occupancy(answered(usage))).toMatchObject({ tokens, source: 'reported' });
	});

	test('C16 case 28: of twelve steps the last counts, never the sum', () => {
		const tree = answered(
			{ inputTokens: 164_000, outputTokens: 300 },
			{ totalUsage: { inputTokens: 931_000, outputTokens: 4000 } }
		);
		expect(occupancy(tree).tokens).toBe(164_300);
		const silent = grow();
		silent.user('u1');
		silent.answer('a1', { totalUsage: { inputTokens: 931_000, outputTokens: 4000 } });
		expect(occupancy(silent)).toMatchObject({ source: 'estimated' });
		expect(occupancy(silent).tokens).toBeLessThan(20);
	});
});

describe('C15 which report is the base', () => {
	const usage = { inputTokens: 5000, outputTokens: 10 };
	test.each<[string, AssistantMetadata]>([
		['stopped by the user', { usage, finish: 'stopped' }],
		['interrupted', { usage, finish: 'interrupted' }],
		['ended with an error', { usage, finish: 'error' }],
		['filtered', { usage, finish: 'content-filter' }],
		['of unknown end', { usage, finish: 'other' }],
		['that ended with calls, whose results no report knows', { usage, finish: 'tool-calls' }],
		['of another provider', { usage, model: { provider: 'q', model: 'm' } }],
		['whose last step left results out', { usage, hasLeftOut: true }],
		['of no tokens', { usage: { inputTokens: 0, outputTokens: 10 } }]
	])('C15 an answer %s is none', (_, metadata) => {
		const tree = grow();
		tree.user('u1');
		tree.answer('a1', metadata);
		expect(occupancy(tree).source).toBe('estimated');
	});

	test('C15 an answer of another model of the provider is none where the model is known', () => {
		const tree = answered(usage, { model: { provider: 'p', model: 'other' } });
		expect(occupancy(tree, { model: 'm' }).source).toBe('estimated');
		expect(occupancy(tree, { model: 'other' }).source).toBe('reported');
		expect(occupancy(tree).source).toBe('reported');
	});

	test.each([
		['only what was not cached', 26, words(3000), 'estimated'],
		['the sum of many requests', 931_000, 'hi', 'estimated'],
		['a server with much of its own around a request', 5000, 'hi', 'reported'],
		['few tokens of few', 20, words(200), 'reported']
	])('C15 a report of %s', (_, inputTokens, question, source) => {
		const tree = grow();
		tree.user(question);
		tree.answer('a1', { usage: { inputTokens, outputTokens: 10 } });
		expect(occupancy(tree).source).toBe(source);
	});

	test('C15 instructions and tools that changed since the answer count by their difference', () => {
		const tree = answered(usage, { fixedTokens: 300 });
		const long = words(2000);
		const now = occupancy(tree, { instructions: long });
		expect(now).toMatchObject({ source: 'reported', tokens: 5010 + estimateText(long) - 300 });
		expect(occupancy(tree).tokens).toBe(5010 - 300);
		const calibrated = occupancy(tree, { instructions: long, estimator: estimatorOf(1.5) });
		expect(calibrated.tokens).toBe(5010 + Math.ceil(estimateText(long) * 1.5) - 450);
	});

	test('C15 an unusable report does not hide an older usable one', () => {
		const tree = answered(usage);
		const u2 = tree.user('u2');
		const a2 = tree.answer('a2', { usage, finish: 'stopped' });
		expect(occupancy(tree).tokens).toBe(5010 + measureMessage(u2) + measureMessage(a2));
	});

	test('C15 case 19: usage older than the newest checkpoint is void, in its tail too', () => {
		const tree = grow();
		tree.user(words(300));
		tree.answer(words(300), { usage: { inputTokens: 90_000, outputTokens: 10 } });
		const u2 = tree.user('u2');
		tree.answer('a2', { usage: { inputTokens: 91_000, outputTokens: 10 } });
		tree.checkpoint(u2);
		tree.user('ok');
		const after = occupancy(tree);
		expect(after.source).toBe('estimated');
		expect(after.tokens).toBeLessThan(200);
	});
});

describe('C17 what is added', () => {
	test('C17 later messages and the pending one are added to the base', () => {
		const tree = answered({ inputTokens: 5000, outputTokens: 10 });
		const u2 = tree.user('a question that failed');
		const pending = grow(2).user([file('data.csv', 4000)]);
		expect(occupancy(tree, { pending }).tokens).toBe(
			5010 + measureMessage(u2) + measureMessage(pending)
		);
	});

	test('C17 without a base all parts are estimated, and add up', () => {
		const tree = grow();
		const [, , u2] = tree.talk(words(40), words(40, 2), 'u2', 'a2');
		tree.checkpoint(u2 ?? null);
		tree.talk('u3', 'a3');
		const pending = grow(2).user('p');
		const read = occupancy(tree, { instructions: 'Be exact.', tools: recallTools, pending });
		expect(read.source).toBe('estimated');
		expect(read.tokens).toBe(estimated(read.parts));
		expect(read.parts).toMatchObject({
			instructions: estimateText('Be exact.'),
			pending: 5,
			tail: 12
		});
		expect(Object.values(read.parts).every((tokens) => tokens > 0)).toBe(true);
	});

	test('C17 parts are estimates also beside a base', () => {
		const tree = answered({ inputTokens: 50_000, outputTokens: 10 });
		expect(occupancy(tree).parts.later).toBeLessThan(20);
	});

	test('C13 case 32: a new chat with one picture is small', () => {
		const tree = grow();
		tree.user([{ ...file('photo.png', 3279), mediaType: 'image/png', size: 2_700_000 }]);
		expect(occupancy(tree).tokens).toBeLessThan(5000);
	});
});
