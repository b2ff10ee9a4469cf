import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capacityOf } from '../../../src/lib/context/capacity';
import { estimateText } from '../../../src/lib/context/estimate';
import { handleOf, shownResult, tokensPerResult } from '../../../src/lib/context/results';
import {
	nextCall,
	type NextCall,
	type RunStep,
	type Shown,
	type WithinRunInput
} from '../../../src/lib/context/within-run';
import { messageId, words } from '../../support/tree';

/** Safe limit 6,144; one result may take 1,536. */
const capacity = capacityOf({ contextWindow: 8192, maxOutput: null });
const S = capacity.safeLimit;
const R = tokensPerResult(capacity);

let calls = 0;
/** A step of the model that called one tool for each size, with results of about so many tokens. */
function step(sizes: readonly number[], more: Partial<RunStep> = {}): RunStep {
	const results = sizes.map((size) => ({
		handle: handleOf(messageId(1), ++calls),
		text: words(size, calls)
	}));
	return { written: 30, results, ...more };
}
const decide = (steps: readonly RunStep[], more: Partial<WithinRunInput> = {}): NextCall =>
	nextCall({ capacity, request: 1000, steps, shown: new Map(), ...more });

function go(next: NextCall): Extract<NextCall, { kind: 'go' }> {
	if (next.kind !== 'go') throw new Error('There is no room.');
	return next;
}
/** The limits of all results, oldest first. */
const limits = (steps: readonly RunStep[], { shown }: { readonly shown: Shown }) =>
	steps.flatMap(({ results }) => results.map(({ handle }) => shown.get(handle)));
/** What the next call takes, counted anew. */
const sizeOf = (steps: readonly RunStep[], shown: Shown, request = 1000) =>
	steps.reduce(
		(sum, { written, results }) =>
			sum +
			written +
			results.reduce(
				(total, { handle, text }) =>
					total + estimateText(shownResult(text, handle, shown.get(handle) ?? R)) + 4,
				0
			),
		request
	);

describe('results within a run', () => {
	test('C111 all are shown while they fit, each up to its share', () => {
		const steps = [step([500]), step([9000])];
		const next = go(decide(steps));
		expect(limits(steps, next)).toEqual([R, R]);
		expect(next.tokens).toBe(sizeOf(steps, next.shown));
	});

	test('C111 near the safe limit the oldest give way to their handles, and no more than must', () => {
		const steps = [step([1400]), step([1400]), step([1400]), step([1400])];
		const next = go(decide(steps));
		expect(limits(steps, next)).toEqual([0, R, R, R]);
		expect(next.tokens).toBeLessThanOrEqual(S);
	});

	test('C111 a result shorter than the sentence that would stand for it stays', () => {
		const steps = [step([3]), step([1500]), step([1500]), step([1500])];
		expect(limits(steps, go(decide(steps, { request: 2000 })))).toEqual([R, 0, R, R]);
	});

	test('C112 what was left out stays left out, also where there would be room again', () => {
		const steps = [step([1400]), step([100])];
		const shown = new Map([[steps[0]?.results[0]?.handle ?? '', 0]]);
		expect(limits(steps, go(decide(steps, { shown })))).toEqual([0, R]);
	});

	test('C113 the newest are cut only where leaving out the older ones is not enough, and evenly', () => {
		const steps = [step([1400]), step([1500, 200, 1500, 1500, 1500])];
		const next = go(decide(steps));
		const [old, ...newest] = limits(steps, next);
		expect(old).toBe(0);
		expect(newest[1]).toBe(R);
		expect(new Set([newest[0], newest[2], newest[3], newest[4]]).size).toBe(1);
		expect(newest[0]).toBeGreaterThan(900);
		expect(sizeOf(steps, next.shown)).toBeLessThanOrEqual(S);
	});

	test('C113 where a beginning would say too little, only the handle is left', () => {
		const steps = [step([1500, 1500, 1500])];
		expect(limits(steps, go(decide(steps, { request: S - 300 })))).toEqual([0, 0, 0]);
	});

	test('C114 where even handles do not fit there is no further call', () => {
		expect(decide([step([1500])], { request: S - 20 })).toMatchObject({ kind: 'no-room' });
		expect(decide([step([], { written: S })])).toMatchObject({ kind: 'no-room' });
	});

	test('C115 the provider’s report on the last call corrects the estimate, within bounds', () => {
		const steps = (inputTokens: number, cachedInputTokens = 0) => [
			step([1400]),
			step([1400], { usage: { inputTokens, outputTokens: 60, cachedInputTokens } })
		];
		// Ours for the last call: 1,000 + 60 + the first result.
		for (const [usage, expected] of [
			[steps(2400), [R, R]],
			[steps(6000), [0, R]],
			// A report that counts cached tokens apart.
			[steps(1000, 5000), [0, R]],
			// No report.
			[steps(0), [R, R]]
		] as const) {
			expect(limits(usage, go(decide(usage)))).toEqual(expected);
		}
		const cheap = [step([1400]), step([1400], { usage: { inputTokens: 1, outputTokens: 1 } })];
		expect(go(decide(cheap)).tokens).toBeGreaterThanOrEqual(
			0.6 * sizeOf(cheap, go(decide(cheap)).shown)
		);
	});

	test('C115 without a report the model’s own factor does', () => {
		const steps = [step([1400]), step([1400]), step([1400])];
		expect(limits(steps, go(decide(steps)))).toEqual([R, R, R]);
		expect(limits(steps, go(decide(steps, { factor: 1.5 })))).toEqual([0, R, R]);
	});

	test('C111 C112 whatever the steps: each call fits or there is none; nothing comes back', () => {
		fc.assert(
			fc.property(
				fc.array(fc.array(fc.integer({ min: 1, max: 4000 }), { maxLength: 4 }), {
					minLength: 1,
					maxLength: 6
				}),
				fc.integer({ min: 10, max: S }),
				(shape, request) => {
					const all = shape.map((sizes) => step(sizes));
					let shown: Shown = new Map();
					for (let count = 1; count <= all.length; count++) {
						const steps = all.slice(0, count);
						const next = decide(steps, { request, shown });
						if (next.kind === 'no-room') {
							const none = new Map([...steps].flatMap((s) => s.results.map((r) => [r.handle, 0])));
							expect(sizeOf(steps, none, request)).toBeGreaterThan(S - 4 * 40);
							return;
						}
						expect(sizeOf(steps, next.shown, request)).toBeLessThanOrEqual(S);
						for (const [handle, limit] of shown) {
							expect(next.shown.get(handle)).toBeLessThanOrEqual(limit);
						}
						shown = next.shown;
					}
				}
			),
			{ numRuns: 60 }
		);
	});
});
