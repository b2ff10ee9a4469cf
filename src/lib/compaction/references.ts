import {
	textOf,
	type ConversationMessage,
	type MessageId,
	type Reference,
	type ReferenceKind
} from '../history/message';
import { estimateText } from '../context/estimate';
import { asText } from '../context/measure';
import { PRESERVED_HEADING } from './template';

/** One way to find a kind of reference. The first group, or the whole match, is the exact text. */
interface Pattern {
	readonly kind: ReferenceKind;
	readonly regex: RegExp;
	/** Higher is put back first when a summary dropped it. */
	readonly weight: number;
	/** Tool results are full of paths and numbers nobody spoke of: such kinds are taken from people's and models' words only. */
	readonly spokenOnly?: boolean;
}

const patterns: readonly Pattern[] = [
	{ kind: 'doi', regex: /\b10\.\d{4,9}\/[^\s"'<>|]*[^\s"'<>|.,;:)\]}*_`]/g, weight: 10 },
	{ kind: 'url', regex: /\bhttps?:\/\/[^\s"'<>|)\]}`]*[^\s"'<>|)\]}`.,;:!?*_]/g, weight: 8 },
	{ kind: 'arxiv', regex: /\barXiv:\s?(\d{4}\.\d{4,5}(?:v\d+)?)/gi, weight: 10 },
	{
		kind: 'isbn',
		regex: /\bISBN(?:-1[03])?:?\s*((?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])\b/g,
		weight: 9
	},
	// A Zotero key is eight of these characters; asking for a digit and a letter keeps out shouted words.
	{
		kind: 'zotero-key',
		regex:
			/(?<![\w-])(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[23456789ABCDEFGHIJKLMNPQRSTUVWXYZ]{8}(?![\w-])/g,
		weight: 10
	},
	{ kind: 'citekey', regex: /(?<![\w.@])@([a-z][\w-]*\d{4}\w*)/gi, weight: 8 },
	{
		kind: 'path',
		regex: /(?<![\w:/])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\.[a-z][a-z0-9]{0,7}\b/gi,
		weight: 6,
		spokenOnly: true
	},
	{ kind: 'identifier', regex: /`([^`\n]{2,80})`/g, weight: 4, spokenOnly: true },
	{ kind: 'date', regex: /\b\d{4}-\d{2}-\d{2}\b/g, weight: 4, spokenOnly: true },
	{
		kind: 'quantity',
		regex:
			/(?<![\w.,])[±≈<>≤≥]?\s?\d[\d,.]*\d?\s?(?:%|‰|°C|kg|mg|µg|g|km|cm|mm|nm|µm|m|ms|s|min|h|days?|weeks?|months?|years?|Hz|kHz|MHz|GHz|kB|MB|GB|mmol|mol|mL|ml|L|V|A|W|kW|Pa|kPa|tokens?|participants?|items?|€|\$|USD|EUR)(?![\w])|\b[npkNgdr]\s?[=<>≤≥]\s?-?\d[\d,.]*\d|\b[npkNgdr]\s?=\s?\d\b/g,
		weight: 5,
		spokenOnly: true
	},
	{ kind: 'quotation', regex: /[“«"]([^“”«»"\n]{12,240})[”»"]/g, weight: 6, spokenOnly: true }
];

const weights = new Map<ReferenceKind, number>([
	...patterns.map((pattern) => [pattern.kind, pattern.weight] as const),
	['file', 9]
]);

/** The most entries one ledger holds; beyond it the lightest go, so that a checkpoint's size does not grow for ever. */
const LEDGER_MAX = 2000;

/** A reference as found, before it is known whether a summary kept it. */
export type FoundReference = Omit<Reference, 'kept'>;

/** Finds the references of `messages` by code and adds them to those of the previous ledger. Rules C50–C52. */
export function findReferences(
	messages: readonly ConversationMessage[],
	previous: readonly FoundReference[]
): FoundReference[] {
	const found = new Map<
		string,
		{ kind: ReferenceKind; text: string; ids: Set<MessageId>; count: number }
	>();
	const note = (kind: ReferenceKind, text: string, ids: readonly MessageId[], count: number) => {
		const key = `${kind}\n${text}`;
		const entry = found.get(key) ?? { kind, text, ids: new Set<MessageId>(), count: 0 };
		for (const id of ids) entry.ids.add(id);
		entry.count += count;
		found.set(key, entry);
	};
	for (const entry of previous) note(entry.kind, entry.text, entry.messageIds, entry.count);
	for (const message of messages) {
		const spoken = textOf(message);
		const shown = toolTexts(message);
		for (const { kind, regex, spokenOnly } of patterns) {
			const text = spokenOnly ? spoken : `${spoken}\n${shown}`;
			for (const match of text.matchAll(regex)) {
				note(kind, (match[1] ?? match[0]).trim(), [message.id], 1);
			}
		}
		for (const part of message.parts) {
			if (part.type === 'file') note('file', part.filename, [message.id], 1);
		}
	}
	return [...found.values()]
		.map(({ kind, text, ids, count }) => ({ kind, text, messageIds: [...ids], count }))
		.sort((a, b) => importance(b) - importance(a))
		.slice(0, LEDGER_MAX);
}

function importance(reference: FoundReference): number {
	return (weights.get(reference.kind) ?? 1) * (1 + Math.log2(1 + reference.count));
}

function toolTexts(message: ConversationMessage): string {
	return message.parts
		.filter((part) => part.type === 'dynamic-tool')
		.map((part) => `${asText(part.input)}\n${asText(part.output)}`)
		.join('\n');
}

/** A summary with the references it dropped put back, and the ledger that says what was kept. */
export interface Preserved {
	readonly summary: string;
	readonly references: readonly Reference[];
}

/**
 * Appends the most important references that `summary` dropped under "Preserved references", within `budget` tokens.
 * An earlier such section in the summary is replaced: the ledger, not the model, decides what stands there.
 */
export function preserve(
	summary: string,
	ledger: readonly FoundReference[],
	budget: number
): Preserved {
	const prose = withoutPreserved(summary);
	const lines: string[] = [];
	let left = budget - estimateText(`\n\n## ${PRESERVED_HEADING}\n\n`);
	const references = ledger.map((reference): Reference => {
		if (prose.includes(reference.text)) return { ...reference, kept: true };
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

/** The summary without its "Preserved references" section. */
export function withoutPreserved(summary: string): string {
	const at = summary.search(new RegExp(`^#{1,4}\\s+${PRESERVED_HEADING}\\s*$`, 'im'));
	if (at === -1) return summary.trim();
	const after = summary.slice(at).split('\n').slice(1).join('\n');
	const next = after.search(/^#{1,4}\s/m);
	return `${summary.slice(0, at)}${next === -1 ? '' : after.slice(next)}`.trim();
}
