import type { Reference, ReferenceKind } from '../history/message';
import { estimateText } from '../context/estimate';
import type { FoundReference } from './references';
import { headingOf, PRESERVED_HEADING } from './template';

/** A summary with the references it dropped put back, and the ledger that says what was kept. */
export interface Preserved {
	readonly summary: string;
	readonly references: readonly Reference[];
}

/**
 * Appends the most important references that `summary` dropped under "Preserved references", within `budget` tokens.
 * An earlier such section in the summary is replaced: the ledger, not the model, decides what stands there. Rules
 * C74–C76.
 * @param ledger most important first
 */
export function preserve(
	summary: string,
	ledger: readonly FoundReference[],
	budget: number
): Preserved {
	const prose = withoutPreserved(summary);
	const lines: string[] = [];
	// Heading, blank lines, and the rounding of the sum.
	let left = budget - estimateText(`\n\n## ${PRESERVED_HEADING}\n\n`) - 2;
	const references = ledger.map((reference): Reference => {
		if (carries(prose, reference)) return { ...reference, kept: true };
		const line = `- ${reference.kind}: ${reference.text}`;
		const cost = estimateText(line) + 1;
		if (cost > left) return { ...reference, kept: false };
		left -= cost;
		lines.push(line);
		return { ...reference, kept: true };
	});
	if (lines.length === 0) return { summary: prose, references };
	return { summary: `${prose}\n\n## ${PRESERVED_HEADING}\n\n${lines.join('\n')}`, references };
}

/** The summary without its "Preserved references" sections. */
export function withoutPreserved(summary: string): string {
	let isPreserved = false;
	return summary
		.split('\n')
		.filter((line) => {
			const heading = headingOf(line);
			if (heading !== null) isPreserved = heading.toLowerCase() === PRESERVED_HEADING.toLowerCase();
			return !isPreserved;
		})
		.join('\n')
		.trim();
}

const addresses: ReadonlySet<ReferenceKind> = new Set(['url', 'doi', 'path', 'arxiv']);

/** Whether a text holds the reference itself, not a longer word, number or address that begins or ends like it. */
function carries(text: string, { kind, text: reference }: FoundReference): boolean {
	const goesOn = addresses.has(kind) ? /^(?:[\w/-]|[.?#=&%~]\w)/ : /^(?:\w|[.,]\d)/;
	for (let at = text.indexOf(reference); at !== -1; at = text.indexOf(reference, at + 1)) {
		const end = at + reference.length;
		const before = text.slice(Math.max(0, at - 2), at);
		const after = text.slice(end, end + 2);
		const beginsInside = /^\w/.test(reference) && /(?:\w|\d[.,])$/.test(before);
		const endsInside = /\w$/.test(reference) && goesOn.test(after);
		if (!beginsInside && !endsInside) return true;
	}
	return false;
}
