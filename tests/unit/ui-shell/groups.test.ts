import { describe, expect, test } from 'vitest';
import type { SessionId } from '$lib/history/message';
import type { SessionLine } from '$lib/session/view';
import { filterByTitle, firstLines, groupByTime } from '$lib/ui/sidebar/groups';

const at = (year: number, month: number, day: number, hour = 12, minute = 0) =>
	new Date(year, month - 1, day, hour, minute).getTime();

const line = (title: string, updatedAt: number, pinned = false): SessionLine => ({
	id: title as SessionId,
	title,
	updatedAt,
	pinned,
	busy: false,
	hasDraft: false
});

const now = at(2026, 6, 15, 0, 10);
const titles = (lines: readonly SessionLine[]) =>
	groupByTime(lines, now).map((group) => [group.title, ...group.lines.map((each) => each.title)]);

describe('groups of the sidebar', () => {
	test.each([
		['a minute ago, after midnight', at(2026, 6, 15, 0, 9), 'Today'],
		['twenty minutes ago, before midnight', at(2026, 6, 14, 23, 50), 'Yesterday'],
		['two days ago', at(2026, 6, 13), 'Last 7 days'],
		['the first moment of seven days ago', at(2026, 6, 8, 0, 0), 'Last 7 days'],
		['eight days ago', at(2026, 6, 7), 'Last 30 days'],
		['the first moment of thirty days ago', at(2026, 5, 16, 0, 0), 'Last 30 days'],
		['a month ago and more', at(2026, 5, 15), 'May 2026'],
		['last year', at(2025, 5, 15), 'May 2025'],
		['a clock that was ahead', at(2026, 7, 1), 'Today']
	])('%s is under its heading', (title, updatedAt, heading) =>
		expect(titles([line(title, updatedAt)])).toEqual([[heading, title]])
	);

	test('pinned first, newest first inside each, no empty heading', () =>
		expect(
			titles([
				line('old', at(2025, 1, 1)),
				line('b', at(2026, 6, 15, 0, 1)),
				line('a', at(2026, 6, 15, 0, 5)),
				line('kept', at(2024, 1, 1), true)
			])
		).toEqual([
			['Pinned', 'kept'],
			['Today', 'a', 'b'],
			['January 2025', 'old']
		]));

	test('every session is in exactly one group', () => {
		const lines = Array.from({ length: 1000 }, (_, index) =>
			line(`s${index}`, now - index * 7_777_777, index % 50 === 0)
		);
		const all = groupByTime(lines, now).flatMap((group) => group.lines);
		expect(new Set(all).size).toBe(1000);
		expect(all).toHaveLength(1000);
	});
});

describe('the filter by title', () => {
	const lines = [line('Células madre', 0), line('Dose of stem cells', 0)];
	test.each([
		['', 2],
		['  ', 2],
		['celulas', 1],
		['CÉLULAS', 1],
		['cells dose', 1],
		['dose madre', 0]
	])('%j finds %d', (query, count) => expect(filterByTitle(lines, query)).toHaveLength(count));
});

describe('the first lines of the groups', () => {
	const groups = groupByTime(
		[line('kept', now, true), line('a', now), line('b', now - 1), line('old', at(2024, 1, 1))],
		now
	);
	test.each([
		[0, []],
		[1, ['kept']],
		[2, ['kept', 'a']],
		[4, ['kept', 'a', 'b', 'old']],
		[99, ['kept', 'a', 'b', 'old']]
	])('%d', (limit, shown) =>
		expect(
			firstLines(groups, limit).flatMap((group) => group.lines.map((each) => each.title))
		).toEqual(shown)
	);
});
