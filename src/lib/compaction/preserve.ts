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

/** Between references of one kind on a line. No reference holds it, and none goes on after it. */
const SEPARATOR = ' · ';
/** What a reference priced by itself can seem to cost too much, in tokens, and how often that is put to the test. */
const ROUNDING = 2;
const MISSES_MAX = 20;
/** Sentences: one a line. */
const sentences: ReadonlySet<ReferenceKind> = new Set(['quotation', 'decision']);

/**
 * Appends the most important references that `summary` dropped under "Preserved references", within `budget` tokens.
 * An earlier such section in the summary is replaced: the ledger, not the model, decides what stands there. Rules
 * C74–C76.
 * @param ledger most important first
 * @param tokensOf tokens of a summary as it is sent, frame included
 * @param beside what stands in the request beside the summary: a reference carried there is kept
 */
export function preserve(
	summary: string,
	ledger: readonly FoundReference[],
	budget: number,
	tokensOf: (summary: string) => number = blockTokens,
	beside = ''
): Preserved {
	const prose = withoutPreserved(summary);
	const dropped = ledger.filter(
		(reference) => !carries(prose, reference) && !carries(beside, reference)
	);
	const section = fill(prose, dropped, budget, tokensOf);
	const missing = new Set(dropped.filter((reference) => !carries(section, reference)));
	return {
		summary: prose + section,
		references: ledger.map((reference) => ({ ...reference, kept: !missing.has(reference) }))
	};
}

const blockTokens = (summary: string) => estimateText(checkpointBlock(summary).text);

/**
 * The section that holds as many of `dropped` as fit, or nothing. Each reference is priced by itself, which is cheap and
 * a little too much, so what rounding took is offered again; the whole is measured, as the commit is, but seldom.
 */
function fill(
	prose: string,
	dropped: readonly FoundReference[],
	budget: number,
	tokensOf: (summary: string) => number
): string {
	const most = tokensOf(prose) + budget;
	// A caller's measure is about a multiple of the estimate: enough to price by.
	const factor = (most - budget) / Math.max(1, blockTokens(prose));
	const chosen = new Set<FoundReference>();
	const kinds = new Set<ReferenceKind>();
	let said = '';
	const room = () =>
		most - tokensOf(prose + sectionOf(dropped.filter((reference) => chosen.has(reference))));
	let misses = 0;
	let before: number;
	do {
		before = chosen.size;
		let left = room();
		for (const reference of dropped) {
			const { kind, text } = reference;
			const lead = kinds.has(kind) && !sentences.has(kind) ? SEPARATOR : lineOf(kind);
			const price = factor * estimateText((chosen.size === 0 ? SECTION : '') + lead + text);
			if (price > left + ROUNDING * factor || chosen.has(reference)) continue;
			// A number inside a decision that was put back need not stand there twice.
			if (carries(said, reference)) continue;
			chosen.add(reference);
			if (price <= left) left -= price;
			else {
				// Only rounding may stand against it: taken at its word, a refresh would lose one reference each time.
				const exact = misses < MISSES_MAX ? room() : -1;
				if (exact < 0) {
					misses++;
					chosen.delete(reference);
					continue;
				}
				left = exact;
			}
			kinds.add(kind);
			said += `${text}\n`;
		}
	} while (chosen.size > before);
	return longestWithin(
		dropped.filter((reference) => chosen.has(reference)),
		(some) => tokensOf(prose + sectionOf(some)) <= most
	);
}

/** Where prices were too low: as many of the most important as fit, found by halving. */
function longestWithin(
	references: readonly FoundReference[],
	fits: (some: readonly FoundReference[]) => boolean
): string {
	if (fits(references)) return sectionOf(references);
	let low = 0;
	let high = references.length - 1;
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if (fits(references.slice(0, middle))) low = middle;
		else high = middle - 1;
	}
	return sectionOf(references.slice(0, low));
}

const SECTION = `\n\n## ${PRESERVED_HEADING}\n`;
const lineOf = (kind: ReferenceKind) => `\n- ${kind}: `;

/** References under their heading, a line a kind, kinds in the order in which they first come. */
function sectionOf(references: readonly FoundReference[]): string {
	if (references.length === 0) return '';
	const lines = [...new Set(references.map(({ kind }) => kind))].map((kind) => {
		const texts = references.filter((other) => other.kind === kind).map(({ text }) => text);
		return lineOf(kind) + texts.join(sentences.has(kind) ? lineOf(kind) : SEPARATOR);
	});
	return SECTION + lines.join('');
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

/** A character that goes on a word or a number. Scripts without spaces, and Korean endings, stand right beside one. */
const w = String.raw`(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー])[\p{L}\p{M}\p{N}_])`;
const beginsWord = new RegExp(`^(?:${w}|\\.\\d)`, 'u');
const endsWord = new RegExp(`${w}$`, 'u');
const longerBefore = new RegExp(`(?:${w}|\\d[.,–-])$`, 'u');
const longerAddress = new RegExp(`^(?:${w}|[/-]|[.?#=&%~]${w})`, 'u');
const longerCommand = new RegExp(`^(?:${w}| -|[/.-]${w})`, 'u');
const longerAfter = new RegExp(`^(?:${w}|[.,–-]\\d)`, 'u');
/** What makes another quantity of the number behind it: a sign close by, or a relation. */
const signBefore = /(?:[-−–+]|[±<>≤≥≈~] ?)$/;

/** How a text goes on where it is not the reference but something longer. */
function longer(kind: ReferenceKind): RegExp {
	switch (kind) {
		case 'url':
		case 'doi':
		case 'path':
		case 'arxiv':
			return longerAddress;
		case 'command':
			return longerCommand;
		default:
			return longerAfter;
	}
}

/**
 * Whether a text holds the reference itself, not a longer word, number or address that begins or ends like it, nor the
 * same number with another sign. Rule C74.
 */
export function carries(
	text: string,
	{ kind, text: reference }: Pick<FoundReference, 'kind' | 'text'>
): boolean {
	const startsWord = beginsWord.test(reference);
	const stopsWord = endsWord.test(reference);
	for (let at = text.indexOf(reference); at !== -1; at = text.indexOf(reference, at + 1)) {
		const end = at + reference.length;
		// Four units: two characters, each of which may be a pair.
		const before = text.slice(Math.max(0, at - 4), at);
		const after = text.slice(end, end + 4);
		const beginsInside =
			startsWord && (longerBefore.test(before) || (kind === 'quantity' && signBefore.test(before)));
		const endsInside = stopsWord && longer(kind).test(after);
		if (!beginsInside && !endsInside) return true;
	}
	return false;
}
