import type { ReferenceKind } from '../history/message';

/**
 * One way to find a kind of reference. `regex` must be linear in the text, whatever the text (rule C72): one class and a
 * quantifier, or bounded quantifiers. What a regular expression cannot say without backtracking, `take` says.
 */
export interface Pattern {
	readonly kind: ReferenceKind;
	readonly regex: RegExp;
	/** The exact text of a match, or null where it is none. Without it: the first group, or the whole match. */
	readonly take?: (match: string) => string | null;
	/** Higher is put back first when a summary dropped it. */
	readonly weight: number;
	/** Tool results are full of such things nobody spoke of: taken from people's and models' words only. Rule C71. */
	readonly spokenOnly?: boolean;
}

const units = [
	'%|‰|°C|kg|mg|µg|g|km|cm|mm|nm|µm|m|ms|s|min|h|Hz|kHz|MHz|GHz|kB|MB|GB|mmol|mol|mL|ml|L|V|A|W|kW|Pa|kPa',
	'days?|weeks?|months?|years?|hours?|tokens?|participants?|items?|€|\\$|USD|EUR',
	'días?|semanas?|meses|años?|horas?|participantes?'
].join('|');
const space = '[ \\u00a0\\u202f]?';
const quantity = `(?<![\\w.,])[±≈<>≤≥]?${space}\\d[\\d,.]{0,30}${space}(?:${units})(?!\\w)`;
const statistic = `\\b[npkNgdr]${space}[=<>≤≥]${space}[-−]?\\d(?:[\\d,.]{0,30}\\d)?(?![\\d])`;

/** The kinds, each with how it is found and how much it matters. */
export const patterns: readonly Pattern[] = [
	{
		kind: 'doi',
		regex: /\b10\.\d{4,9}\/[^\s"'<>|`\u3000-\uffff]+/g,
		take: withoutTrailing,
		weight: 10
	},
	{
		kind: 'url',
		regex: /\bhttps?:\/\/[^\s"'<>|`\u3000-\uffff]+/g,
		take: withoutTrailing,
		weight: 8
	},
	{ kind: 'arxiv', regex: /\barXiv:\s?(\d{4}\.\d{4,5}(?:v\d{1,3})?)/gi, weight: 10 },
	{
		kind: 'isbn',
		regex: /\bISBN(?:-1[03])?:?[ ]?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])\b/g,
		weight: 9
	},
	// A Zotero key is eight of these characters; asking for a digit and a letter keeps out shouted words.
	{
		kind: 'zotero-key',
		regex: /(?<![\w-])[23456789ABCDEFGHIJKLMNPQRSTUVWXYZ]{8}(?![\w-])/g,
		take: (match) => (/\d/.test(match) && /[A-Z]/.test(match) ? match : null),
		weight: 10
	},
	{ kind: 'citekey', regex: /(?<![\w.@])@[a-z][\w-]*/gi, take: citekey, weight: 8 },
	{ kind: 'path', regex: /[\w@.~/:-]+/g, take: path, weight: 6, spokenOnly: true },
	{
		kind: 'identifier',
		regex: /`[^`\n]*`/g,
		take: (match) => inner(match, 2, 80),
		weight: 4,
		spokenOnly: true
	},
	{ kind: 'date', regex: /\b\d{4}-\d{2}-\d{2}\b/g, weight: 4, spokenOnly: true },
	{
		kind: 'quantity',
		regex: new RegExp(`${quantity}|${statistic}`, 'g'),
		weight: 5,
		spokenOnly: true
	},
	{
		kind: 'quotation',
		// Marks are taken in pairs, whatever is between them: else the text between two quotations would be one.
		regex: /"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»/g,
		take: (match) => inner(match, 12, 240),
		weight: 6,
		spokenOnly: true
	}
];

/** A URL or DOI without the punctuation of the sentence around it; brackets stay where they are in pairs. */
function withoutTrailing(match: string): string | null {
	const open = { ')': count(match, '('), ']': count(match, '['), '}': count(match, '{') };
	const close = { ')': count(match, ')'), ']': count(match, ']'), '}': count(match, '}') };
	let end = match.length;
	for (; end > 0; end--) {
		const last = match.charAt(end - 1);
		if (last === ')' || last === ']' || last === '}') {
			if (close[last] <= open[last]) break;
			close[last]--;
		} else if (!'.,;:!?*_…'.includes(last)) break;
	}
	const text = match.slice(0, end);
	return /^(?:https?:\/*|10\.\d+\/)$/.test(text) ? null : text;
}

function count(text: string, char: string): number {
	let found = 0;
	for (let at = text.indexOf(char); at !== -1; at = text.indexOf(char, at + 1)) found++;
	return found;
}

/** `@smith2020` without the sign; a name without a year is a person, not a citation. */
function citekey(match: string): string | null {
	const key = match.slice(1);
	return /\d{4}/.test(key) ? key : null;
}

/** A relative or absolute path that ends in a file name with an extension. URLs and DOIs are kinds of their own. */
function path(match: string): string | null {
	if (!match.includes('/') || match.includes('//') || /^10\.\d{4}/.test(match)) return null;
	const name = match.split(':', 1)[0] ?? '';
	let end = name.length;
	while (end > 0 && '.-'.includes(name.charAt(end - 1))) end--;
	const trimmed = name.slice(0, end);
	const last = trimmed.slice(trimmed.lastIndexOf('/') + 1).slice(-80);
	return trimmed.includes('/') && /\.[a-z][a-z0-9]{0,7}$/i.test(last) ? trimmed : null;
}

function inner(match: string, min: number, max: number): string | null {
	const text = match.slice(1, -1).trim();
	return text.length >= min && text.length <= max ? text : null;
}
