import { describe, expect, test } from 'vitest';
import { checkpointCost, costOf } from '../../../src/lib/context/price';
import { priceOf } from '../../../src/lib/models/prices';

const price = { input: 2, cachedInput: 0.5, output: 8 };

describe('C105 what a checkpoint costs', () => {
	test.each([
		[{ inputTokens: 1_000_000, outputTokens: 0 }, 2],
		[{ inputTokens: 1_000_000, outputTokens: 500_000 }, 6],
		[{ inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 400_000 }, 1.4],
		// Cached tokens counted apart from the input: C16.
		[{ inputTokens: 200_000, outputTokens: 0, cachedInputTokens: 800_000 }, 0.8]
	])('C105 %j costs %d', (usage, cost) => expect(costOf(usage, price)).toBeCloseTo(cost, 9));

	test('C105 it pays off when what each turn saves has paid for summary and first request', () => {
		// 142k -> 18k at 2 / 0.5: each turn saves 0.062; the summary cost 0.3, the first request 0.036 instead of 0.009.
		const cost = checkpointCost(0.3, 142_000, 18_000, price);
		expect(cost.summary).toBe(0.3);
		expect(cost.firstRequest).toBeCloseTo(0.036, 9);
		expect(cost.paysOffAfter).toBe(Math.ceil((0.3 + 0.036 - 0.009) / 0.062));
	});

	test('C105 what saves nothing never pays off; what costs nothing has at once', () => {
		expect(checkpointCost(0.3, 18_000, 18_000, price).paysOffAfter).toBeNull();
		const free = { input: 0, cachedInput: 0, output: 0 };
		expect(checkpointCost(0, 142_000, 18_000, free).paysOffAfter).toBe(0);
	});

	test.each([
		['gpt-4o-mini', 0.15],
		['openai/gpt-4o-mini-2024-07-18', 0.15],
		['anthropic/claude-3.5-sonnet:beta', 3],
		['some-model-of-my-own', undefined]
	])('C105 the snapshot knows %s', (model, input) => expect(priceOf(model)?.input).toBe(input));
});
