import { describe, expect, test } from 'vitest';
import { pinnedAfter, type Stand } from '../../../src/lib/ui/conversation/pin';

const stand = (top: number, height = 2000, viewport = 500): Stand => ({ top, height, viewport });
const bottom = stand(1500);
const both = { up: true, down: true };

describe('pinned to the bottom', () => {
	test.each([
		['one pixel up', bottom, stand(1499), true, false],
		['a fraction of a pixel up, under zoom', bottom, stand(1499.6), true, false],
		['up while text arrives', bottom, stand(1400, 2100), true, false],
		['content grew below', bottom, stand(1500, 2400), true, true],
		['content shrank and the browser clamped', bottom, stand(1300, 1800), true, true],
		['the list corrected a height above', bottom, stand(1460), false, true],
		[
			'the list corrected a height above while text arrived',
			bottom,
			stand(1460, 1990),
			false,
			true
		],
		['the window became lower', bottom, stand(1500, 2000, 400), true, true]
	])('%s', (_, before, now, theirs, expected) => {
		expect(pinnedAfter(true, before, now, { up: theirs, down: theirs })).toBe(expected);
	});
});

describe('not pinned', () => {
	test.each([
		['down, not to the bottom', stand(1000), stand(1400), false],
		['down to the bottom', stand(1000), stand(1500), true],
		['down to the bottom, a fraction short under zoom', stand(1000), stand(1496.7), true],
		['up near the bottom', stand(1499), stand(1498), false],
		['content shrank so that the bottom is in view', stand(1400), stand(1400, 1900), false],
		['still', stand(1500), stand(1500), false]
	])('%s', (_, before, now, expected) => {
		expect(pinnedAfter(false, before, now, both)).toBe(expected);
	});

	test('the list’s own correction to the bottom is not the reader', () => {
		expect(pinnedAfter(false, stand(1470), bottom, { up: true, down: false })).toBe(false);
	});

	test('down to where the bottom was a moment ago', () => {
		const now = stand(1498, 2600);
		expect(pinnedAfter(false, stand(1300, 2550), now, both)).toBe(false);
		expect(pinnedAfter(false, stand(1300, 2550), now, both, 2000)).toBe(true);
	});
});
