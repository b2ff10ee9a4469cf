import {
	textOf,
	type ConversationMessage,
	type MessageId,
	type Reference,
	type ReferenceKind
} from '../history/message';
import { asText } from '../context/measure';
import { patterns } from './reference-patterns';

/** A reference as found, before it is known whether a summary kept it. */
export type FoundReference = Omit<Reference, 'kept'>;

/** At most this many references are kept: a ledger is read by people, and a checkpoint does not grow for ever. */
const LEDGER_MAX = 2000;
/** Characters. What is longer is no reference anybody copies, and half of one would be none. */
const TEXT_MAX = 1000;
/** Of a reference's messages so many of the first and so many of the last are named. */
const IDS_AT_ENDS = 4;

const weights = new Map<ReferenceKind, number>([
	...patterns.map((pattern) => [pattern.kind, pattern.weight] as const),
	['file', 9]
]);

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
		if (known && (weights.get(known.kind) ?? 1) > (weights.get(kind) ?? 1)) return;
		const entry =
			known?.kind === kind ? known : { kind, text, ids: new Set<MessageId>(), count: 0 };
		for (const id of ids) entry.ids.add(id);
		entry.count += count;
		found.set(text, entry);
	};
	for (const entry of previous) note(entry.kind, entry.text, entry.messageIds, entry.count);
	for (const message of messages) {
		const spoken = textOf(message);
		const all = `${spoken}\n${toolTexts(message)}`;
		for (const { kind, regex, take, spokenOnly } of patterns) {
			for (const match of (spokenOnly ? spoken : all).matchAll(regex)) {
				const text = take ? take(match[0]) : (match[1] ?? match[0]);
				if (text !== null) note(kind, text, [message.id], 1);
			}
		}
		for (const part of message.parts) {
			if (part.type === 'file') note('file', part.filename, [message.id], 1);
		}
	}
	return [...found.values()]
		.map(({ kind, text, ids, count }) => ({ kind, text, messageIds: endsOf([...ids]), count }))
		.sort((a, b) => importance(b) - importance(a))
		.slice(0, LEDGER_MAX);
}

function importance(reference: FoundReference): number {
	return (weights.get(reference.kind) ?? 1) * (1 + Math.log2(1 + reference.count));
}

function endsOf(ids: readonly MessageId[]): readonly MessageId[] {
	if (ids.length <= 2 * IDS_AT_ENDS) return ids;
	return [...ids.slice(0, IDS_AT_ENDS), ...ids.slice(-IDS_AT_ENDS)];
}

function toolTexts(message: ConversationMessage): string {
	return message.parts
		.filter((part) => part.type === 'dynamic-tool')
		.map((part) => `${asText(part.input)}\n${asText(part.output)}`)
		.join('\n');
}
