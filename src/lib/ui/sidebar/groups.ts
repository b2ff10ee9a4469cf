import type { SessionLine } from '$lib/session/view';

export interface SessionGroup {
	readonly title: string;
	readonly lines: readonly SessionLine[];
}

/** Letters as they are compared: lower case, without accents, so that "celulas" finds "Células". */
const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();

/** The sessions whose title holds every word of `query`, in the order given. */
export function filterByTitle(lines: readonly SessionLine[], query: string): SessionLine[] {
	const words = plain(query).split(/\s+/).filter(Boolean);
	return lines.filter((line) => {
		const title = plain(line.title);
		return words.every((word) => title.includes(word));
	});
}

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });

/**
 * Sessions under the headings of the sidebar, newest first: pinned ones, then by calendar days before `now`, then by
 * month. Days are the reader's own: 23:59 yesterday is yesterday, however few minutes ago.
 * @param now epoch milliseconds
 */
export function groupByTime(lines: readonly SessionLine[], now: number): SessionGroup[] {
	const today = new Date(now);
	const daysBefore = (days: number) =>
		new Date(today.getFullYear(), today.getMonth(), today.getDate() - days).getTime();
	const steps: readonly (readonly [number, string])[] = [
		[daysBefore(0), 'Today'],
		[daysBefore(1), 'Yesterday'],
		[daysBefore(7), 'Last 7 days'],
		[daysBefore(30), 'Last 30 days']
	];
	const titleOf = (line: SessionLine) =>
		line.pinned
			? 'Pinned'
			: (steps.find(([from]) => line.updatedAt >= from)?.[1] ?? month.format(line.updatedAt));

	const groups = new Map<string, SessionLine[]>([['Pinned', []]]);
	for (const line of [...lines].sort((a, b) => b.updatedAt - a.updatedAt)) {
		const title = titleOf(line);
		const group = groups.get(title);
		if (group) group.push(line);
		else groups.set(title, [line]);
	}
	return [...groups]
		.filter(([, members]) => members.length > 0)
		.map(([title, members]) => ({ title, lines: members }));
}

/** The groups cut after `limit` lines in all. */
export function firstLines(groups: readonly SessionGroup[], limit: number): SessionGroup[] {
	let left = limit;
	return groups.flatMap((group) => {
		const lines = group.lines.slice(0, Math.max(left, 0));
		left -= lines.length;
		return lines.length > 0 ? [{ title: group.title, lines }] : [];
	});
}
