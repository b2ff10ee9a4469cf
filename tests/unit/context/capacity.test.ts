import fc from 'fast-check';
import { expect, test } from 'vitest';
import { capacityOf, outputLimit, type Capacity } from '../../../src/lib/context/capacity';
import { estimateText } from '../../../src/lib/context/estimate';
import { cutAt, tokensPerResult } from '../../../src/lib/context/results';

const known = (contextWindow: number, maxOutput: number | null = null) =>
	capacityOf({ contextWindow, maxOutput });

test.each<[number, number | null, Partial<Capacity>]>([
	[
		8192,
		null,
		{ reserve: 2048, safeLimit: 6144, autoThreshold: 5836, tailBudget: 1229, summaryCap: 1638 }
	],
	[
		32_000,
		null,
		{ reserve: 4800, safeLimit: 27_200, autoThreshold: 25_600, tailBudget: 5440, summaryCap: 3840 }
	],
	[
		128_000,
		4096,
		{ reserve: 10_496, safeLimit: 117_504, autoThreshold: 102_400, summaryCap: 4096 }
	],
	[
		200_000,
		64_000,
		{
			reserve: 30_000,
			safeLimit: 170_000,
			autoThreshold: 160_000,
			tailBudget: 32_000,
			summaryCap: 24_000
		}
	],
	[
		1_000_000,
		64_000,
		{
			reserve: 48_000,
			safeLimit: 952_000,
			autoThreshold: 800_000,
			tailBudget: 32_000,
			summaryCap: 38_400
		}
	],
	[2048, null, { reserve: 819, safeLimit: 1229, tailBudget: 512 }]
])('C2–C5 the table for a window of %i and an output of %s', (window, maxOutput, expected) => {
	expect(known(window, maxOutput)).toMatchObject(expected);
});

test('C1 case 22: an unknown window is 32,000, and says that it is assumed', () => {
	expect(capacityOf({ contextWindow: null, maxOutput: null })).toMatchObject({
		window: 32_000,
		windowSource: 'assumed'
	});
});

test('C1 case 26: a lower window learnt from a refusal wins, a higher one does not', () => {
	const limits = { contextWindow: 65_000, maxOutput: null };
	expect(capacityOf({ ...limits, learntWindow: 8192 })).toMatchObject({
		window: 8192,
		windowSource: 'learnt'
	});
	expect(capacityOf({ ...limits, learntWindow: 90_000 })).toMatchObject({
		window: 65_000,
		windowSource: 'known'
	});
});

test.each([
	[0.1, 50_000],
	[0.6, 60_000],
	[0.99, 80_750]
])('C3 an auto ratio of %d gives a threshold of %i at a window of 100,000', (ratio, expected) => {
	expect(capacityOf({ contextWindow: 100_000, maxOutput: null }, ratio).autoThreshold).toBe(
		expected
	);
});

test.each([
	[1024, 512],
	[8192, 1229],
	[100_000, 17_000],
	[1_000_000, 32_000]
])(
	'C4 at a window of %i the tail may be %i: a fifth of S, within 512 and 32,000',
	(window, tail) => {
		expect(known(window).tailBudget).toBe(tail);
	}
);

test.each([
	[8192, null, 1638],
	[8192, 900, 900],
	[100_000, null, 12_000],
	[100_000, 4096, 4096],
	[1_000_000, null, 38_400]
])(
	'C5 at a window of %i and an output of %s a summary may be %i: 0.8 R, and M at most',
	(window, maxOutput, cap) => {
		expect(known(window, maxOutput).summaryCap).toBe(cap);
	}
);

test('C2–C5 at every window: the parts fit each other', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1024, max: 4_000_000 }),
			fc.option(fc.integer({ min: 256, max: 200_000 })),
			(window, maxOutput) => {
				const c = known(window, maxOutput);
				expect(c.reserve + c.safeLimit).toBe(window);
				expect(c.reserve).toBeLessThanOrEqual(0.4 * window);
				expect(c.autoThreshold).toBeLessThanOrEqual(c.safeLimit);
				expect(c.tailBudget).toBeLessThan(c.safeLimit);
				expect(c.summaryCap).toBeLessThanOrEqual(0.8 * c.reserve);
				if (maxOutput !== null) expect(c.summaryCap).toBeLessThanOrEqual(maxOutput);
			}
		),
		{ numRuns: 1000 }
	);
});

test('C6 input and requested output stay within the window, and 256 is the least asked for', () => {
	const c = known(8192);
	expect(outputLimit(c, 5000)).toBe(8192 - 5000 - 164);
	expect(outputLimit(known(8192, 1000), 5000)).toBe(1000);
	expect(outputLimit(c, 8192)).toBe(256);
});

test('C7 a tool result is cut at a quarter of the safe limit, never inside a pair', () => {
	expect(tokensPerResult(known(8192))).toBe(1536);
	const emoji = '😀'.repeat(5000);
	const cut = cutAt(emoji, 1536);
	expect(estimateText(cut)).toBeLessThanOrEqual(1536);
	expect(cut.length).toBeGreaterThan(1000);
	expect(cut.isWellFormed()).toBe(true);
	expect(cutAt('short', 1536)).toBe('short');
});

test('C7 the cut is never over the limit, whatever is dense and where', () => {
	const dense = 'Zq9x'.repeat(2000);
	for (const text of [`${'word '.repeat(4000)}${dense}`, `${dense}${'word '.repeat(4000)}`]) {
		const cut = cutAt(text, 1000);
		expect(text.startsWith(cut)).toBe(true);
		expect(estimateText(cut)).toBeLessThanOrEqual(1000);
		expect(estimateText(cut)).toBeGreaterThan(900);
	}
});
