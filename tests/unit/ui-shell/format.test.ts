import { describe, expect, test } from 'vitest';
import { formatAgo, formatBytes, formatCount, formatKeys, formatTokens } from '$lib/ui/kit/format';
import { placeMenu } from '$lib/ui/kit/menu';

describe('tokens in short', () => {
	test.each([
		[0, '0'],
		[812, '812'],
		[999, '999'],
		[1000, '1k'],
		[1234, '1.2k'],
		[8_200, '8.2k'],
		[6_292, '6.3k'],
		[8_192, '8.2k'],
		[9_949, '9.9k'],
		[9_950, '10k'],
		[9_999, '10k'],
		[18_000, '18k'],
		[142_000, '142k'],
		[142_499, '142k'],
		[142_999, '143k'],
		[999_499, '999k'],
		[999_999, '1M'],
		[1_000_000, '1M'],
		[1_048_576, '1M'],
		[1_250_000, '1.3M'],
		[-1500, '−1.5k']
	])('%d reads %s', (tokens, words) => expect(formatTokens(tokens)).toBe(words));

	test('the exact count keeps every digit', () => expect(formatCount(142_318)).toBe('142,318'));
});

describe('bytes in short', () => {
	test.each([
		[0, '0 B'],
		[812, '812 B'],
		[1000, '1 kB'],
		[1240, '1.2 kB'],
		[142_000_000, '142 MB'],
		[2.5e13, '25 TB']
	])('%d reads %s', (bytes, words) => expect(formatBytes(bytes)).toBe(words));
});

describe('how long ago', () => {
	const now = new Date(2026, 5, 15, 12).getTime();
	test.each([
		[0, 'just now'],
		[59_000, 'just now'],
		[60_000, '1 min ago'],
		[3_600_000 * 5, '5 h ago'],
		[3_600_000 * 30, 'yesterday'],
		[86_400_000 * 9, '9 days ago'],
		[86_400_000 * 60, 'Apr 16'],
		[86_400_000 * 400, 'May 11, 2025'],
		// A clock set back must not read "in the past of the future".
		[-5000, 'just now']
	])('%d ms ago reads %s', (gone, words) => expect(formatAgo(now - gone, now)).toBe(words));
});

test('keys read as this keyboard prints them', () => {
	expect(formatKeys('Mod+Shift+K', true)).toEqual(['⌘', '⇧', 'K']);
	expect(formatKeys('Mod+Shift+K', false)).toEqual(['Ctrl', 'Shift', 'K']);
});

describe('a menu is wholly on the screen', () => {
	const view = { width: 400, height: 600 };
	const menu = { width: 180, height: 200 };
	const at = (left: number, top: number) => ({ left, right: left + 32, top, bottom: top + 32 });
	test.each([
		['below its button', at(200, 100), 'start', { left: 200, top: 136 }],
		['end aligned', at(300, 100), 'end', { left: 152, top: 136 }],
		['above at the foot', at(300, 550), 'end', { left: 152, top: 346 }],
		['pushed in from the right', at(360, 100), 'start', { left: 212, top: 136 }],
		['pushed in from the left', at(4, 100), 'end', { left: 8, top: 136 }]
	] as const)('%s', (_name, anchor, align, place) =>
		expect(placeMenu(anchor, menu, view, align)).toEqual(place)
	);
});
