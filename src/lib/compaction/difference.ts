import { withoutPreserved } from './preserve';
import { headingOf } from './template';

/** What became of one line of a summary when the next one was written. */
export interface LineChange {
	readonly kind: 'same' | 'added' | 'dropped';
	readonly line: string;
}

/** One section of two summaries, side by side. */
export interface SectionChange {
	readonly heading: string;
	readonly lines: readonly LineChange[];
}

/**
 * The difference of two summaries, section by section, in the order of the newer one; sections that only the older has
 * come last. Lines are compared without bullets, marks, citations and case, because a summariser moves those freely; the
 * sections that code appends are left out. Rule C107.
 */
export function differenceOf(older: string, newer: string): SectionChange[] {
	const before = sectionsOf(older);
	const after = sectionsOf(newer);
	const headings = [...after.keys(), ...[...before.keys()].filter((key) => !after.has(key))];
	return headings.map((heading) => ({
		heading,
		lines: changes(before.get(heading) ?? [], after.get(heading) ?? [])
	}));
}

function changes(before: readonly string[], after: readonly string[]): LineChange[] {
	const known = new Set(before.map(saidIn));
	const kept = new Set(after.map(saidIn));
	return [
		...after.map((line): LineChange => ({
			kind: known.has(saidIn(line)) ? 'same' : 'added',
			line
		})),
		...before
			.filter((line) => !kept.has(saidIn(line)))
			.map((line): LineChange => ({ kind: 'dropped', line }))
	];
}

function sectionsOf(summary: string): Map<string, string[]> {
	const sections = new Map<string, string[]>();
	let lines: string[] = [];
	for (const line of withoutPreserved(summary).split('\n')) {
		const heading = headingOf(line);
		if (heading !== null) {
			lines = sections.get(heading) ?? [];
			sections.set(heading, lines);
		} else if (/[\p{L}\p{N}]/u.test(line)) lines.push(line.trim());
	}
	return sections;
}

/** What a line says: without bullet, box, mark, emphasis, citations, case. A number it begins with is said. */
function saidIn(line: string): string {
	return line
		.replace(/\(m:[0-9a-f]{10}(?:[,;]\s*m:[0-9a-f]{10})*\)/g, '')
		.replace(/^\s*(?:[-*+•]|\d{1,3}[.)])\s+/, '')
		.replace(/[*_`]/g, '')
		.replace(/^\s*(?:\[[ x]\]\s*)?(?:\[(?:user|tool|model)\]\s*)?/i, '')
		.replace(/\s+/g, ' ')
		.trim()
		.toLowerCase();
}
