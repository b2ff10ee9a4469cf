import type { Reference, ReferenceKind } from '../history/message';
import { estimateText } from '../context/estimate';
import { checkpointBlock } from '../context/request';
import type { FoundReference } from './references';
import { headingOf, PRESERVED_HEADING } from './template';

/** A summary with the references it dropped put back, and the ledger that says what was kept. */
export interface Preserved {
	readonly summary: string;
	readonly references: readonly Reference[];
}

/** So many references in a row that no longer fit mean that the room is used up. */
const MISSES_MAX = 20;

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
	const most = blockTokens(prose) + budget;
	let whole = prose;
	let misses = 0;
	const references = ledger.map((reference): Reference => {
		if (carries(prose, reference)) return { ...reference, kept: true };
		if (misses >= MISSES_MAX) return { ...reference, kept: false };
		const start = whole === prose ? `${prose}\n\n## ${PRESERVED_HEADING}\n\n` : `${whole}\n`;
		const longer = `${start}- ${reference.kind}: ${reference.text}`;
		// Measured whole, as the commit is: a sum of rounded lines would drop some in each refresh.
		const kept = blockTokens(longer) <= most;
		if (kept) whole = longer;
		misses = kept ? 0 : misses + 1;
		return { ...reference, kept };
	});
	return { summary: whole, references };
}

const blockTokens = (summary: string) => estimateText(checkpointBlock(summary).text);

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
