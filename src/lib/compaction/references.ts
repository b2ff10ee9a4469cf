import {
	textOf,
	type ConversationMessage,
	type MessageId,
	type Reference,
	type ReferenceKind
} from '../history/message';
import { textOfFile } from '../context/files';
import { asText } from '../context/measure';
import { unfencedLines } from './fences';
import { patterns, weights, type Source } from './reference-patterns';

/** A reference as found, before it is known whether a summary kept it. */
export type FoundReference = Omit<Reference, 'kept'>;

/** At most this many references are kept: a ledger is read by people, and a checkpoint does not grow for ever. */
const LEDGER_MAX = 2000;
/** Characters. What is longer is no reference anybody copies, and half of one would be none. */
const TEXT_MAX = 1000;
/** Of a reference's messages so many of the first and so many of the last are named. */
const IDS_AT_ENDS = 4;

interface Noted {
	readonly kind: ReferenceKind;
	readonly text: string;
	readonly ids: Set<MessageId>;
	count: number;
}

/**
 * Finds the references of `messages` by code and adds them to those of the previous ledger, most important first. Rules
 * C70–C73.
 */
export function findReferences(
	messages: readonly ConversationMessage[],
	previous: readonly FoundReference[]
): FoundReference[] {
	const found = new Map<string, Noted>();
	const note = (kind: ReferenceKind, raw: string, ids: readonly MessageId[], count: number) => {
		const text = raw.replace(/\s+/g, ' ').trim();
		if (text === '' || text.length > TEXT_MAX) return;
		// One text is one reference, of the weightiest kind it was found as: a key in backticks is no second thing.
		const known = found.get(text);
		if (known && weights[known.kind] > weights[kind]) return;
		const entry =
			known?.kind === kind ? known : { kind, text, ids: new Set<MessageId>(), count: 0 };
		for (const id of ids) entry.ids.add(id);
		entry.count += count;
		found.set(text, entry);
	};
	for (const entry of previous) note(entry.kind, entry.text, entry.messageIds, entry.count);
	for (const message of messages) {
		const { said, returned } = wordsOf(message);
		for (const { kind, text } of referencesIn(said)) note(kind, text, [message.id], 1);
		for (const { kind, text } of referencesIn({ all: returned })) note(kind, text, [message.id], 0);
		for (const part of message.parts) {
			if (part.type === 'file') note('file', part.filename, [message.id], 1);
		}
	}
	return [...found.values()]
		.map(({ kind, text, ids, count }) => ({ kind, text, messageIds: endsOf([...ids]), count }))
		.sort((a, b) => importance(b) - importance(a) || newestFirst(a, b))
		.slice(0, LEDGER_MAX);
}

/** Of equals the newest: the work goes on there, and the older ones can be searched. Ids begin with the clock. */
function newestFirst(a: FoundReference, b: FoundReference): number {
	const [lastA = '', lastB = ''] = [a.messageIds.at(-1), b.messageIds.at(-1)];
	return lastA === lastB ? 0 : lastA > lastB ? -1 : 1;
}

/** Occurrences count with falling weight; what only a tool returned, which nobody took up, comes last. */
function importance({ kind, count }: FoundReference): number {
	return weights[kind] * (0.5 + Math.log2(1 + count));
}

function endsOf(ids: readonly MessageId[]): readonly MessageId[] {
	if (ids.length <= 2 * IDS_AT_ENDS) return ids;
	return [...ids.slice(0, IDS_AT_ENDS), ...ids.slice(-IDS_AT_ENDS)];
}

type Words = Readonly<Partial<Record<Source, string>>>;

function* referencesIn(words: Words): Generator<{ kind: ReferenceKind; text: string }> {
	for (const { kind, regex, take, source } of patterns) {
		for (const match of (words[source] ?? '').matchAll(regex)) {
			const taken = take ? take(match[0], match[1]) : (match[1] ?? match[0]);
			const texts = taken === null ? [] : typeof taken === 'string' ? [taken] : taken;
			for (const text of texts) yield { kind, text };
		}
	}
}

/** What a message says, by where a kind may be taken from, and what its tools returned and its files hold. Rule C71. */
function wordsOf(message: ConversationMessage): { said: Words; returned: string } {
	const spoken = textOf(message);
	const tools = message.parts.filter((part) => part.type === 'dynamic-tool');
	const files = message.parts.filter((part) => part.type === 'file');
	return {
		said: {
			// What a model asks of a tool is its own choice of words.
			all: [spoken, ...tools.map((part) => unescaped(part.input))].join('\n'),
			spoken,
			prose: unfencedLines(spoken).join('\n'),
			user: message.role === 'user' ? spoken : ''
		},
		returned: [
			...tools.map((part) => unescaped(part.errorText ?? part.output)),
			...files.map(textOfFile)
		].join('\n')
	};
}

/** A tool's value as text in which a line break of a JSON string ends a word, as it does for whoever reads it. */
function unescaped(value: unknown): string {
	return asText(value).replace(/\\[nrt]/g, '\n');
}
