import { describe, expect, test } from 'vitest';
import { pinnedAfter, type Stand } from '../../../src/lib/ui/conversation/pin';

const stand = (top: number, height = 2000, viewport = 500): Stand => ({ top, height, viewport });
const bottom = stand(1500);

describe('pinned to the bottom', () => {
	test.each([
		['one pixel up', bottom, stand(1499), false, false],
		['a fraction of a pixel up, under zoom', bottom, stand(1499.6), false, false],
		['content grew below', bottom, stand(1500, 2400), false, true],
		['content shrank and the browser clamped', bottom, stand(1300, 1800), false, true],
		['the list corrected a height above', bottom, stand(1460, 1960), false, true],
		[
			'the list corrected a height above while text arrived',
			bottom,
			stand(1460, 1990),
			false,
			true
		],
		['the scrollbar is dragged up while text arrives', bottom, stand(1400, 2100), true, false],
		['the window became lower', bottom, stand(1500, 2000, 400), false, true]
	])('%s', (_, before, now, held, expected) => {
		expect(pinnedAfter(true, before, now, held)).toBe(expected);
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
		expect(pinnedAfter(false, before, now, false)).toBe(expected);
	});

	test('down to where the bottom was when the reader set off', () => {
		const now = stand(1498, 2600);
		expect(pinnedAfter(false, stand(1300, 2550), now, false)).toBe(false);
		expect(pinnedAfter(false, stand(1300, 2550), now, false, 2000)).toBe(true);
	});
});
