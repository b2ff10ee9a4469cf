import type { AssistantMetadata, Part } from '../history/message';
import { ancestryOf } from './ancestry';
import { isObject } from './json';
import { OpenCalls } from './pi-calls';
import { assistantMetadata, mapContent } from './pi-entry';
import type { PiEntry } from './pi-lines';
import { joinResult, unanswered } from './pi-result';
import type { AttachmentRow } from './result';

/** A line of the file, or what of it stands nowhere else. */
export interface Kept {
	readonly line: number;
	readonly entry: Readonly<Record<string, unknown>>;
}

/** `metadata.source.raw` of an imported message. The raws and parts of all messages together are the whole file. */
export interface PiRaw extends Kept {
	/** Entries between the message before and this one: the session header, changes of model, compactions. */
	readonly before?: readonly Kept[];
	/** Entries after this message that no later message follows. */
	readonly after?: readonly Kept[];
	/** What of the joined tool results is not in the parts: details, times. */
	readonly results?: readonly Kept[];
}

/** A message while it is put together. */
export interface PiDraft {
	readonly role: 'user' | 'assistant';
	readonly parts: Part[];
	readonly metadata: AssistantMetadata;
	readonly kept: Kept;
	readonly before: Kept[];
	readonly after: Kept[];
	readonly results: Kept[];
}

export interface PiDrafts {
	/** By index of the entry, in the order of the file. */
	readonly drafts: ReadonlyMap<number, PiDraft>;
	/** For each entry the index of the nearest message at or above it, or null. */
	readonly owner: readonly (number | null)[];
	readonly attachments: readonly AttachmentRow[];
}

/** The role of a message entry, or null for every other entry. */
export function roleOf({ value }: Pick<PiEntry, 'value'>): unknown {
	return value['type'] === 'message' && isObject(value['message'])
		? value['message']['role']
		: null;
}

/** Makes a draft of each user and assistant entry, joins the results to their calls, and keeps every other entry. */
export function draftMessages(entries: readonly PiEntry[]): PiDrafts {
	const drafts = new Map<number, PiDraft>();
	const owner: (number | null)[] = [];
	const attachments = new Map<string, AttachmentRow>();
	const calls = new OpenCalls();
	const isAbove = ancestryOf(entries.map(({ parent }) => parent));
	/** Results that are in their call. */
	const joined = new Set<number>();
	/** Entries that a message below them has taken, or passed where they are joined. */
	const walked = new Set<number>();

	entries.forEach((entry, index) => {
		const { value, line, parent } = entry;
		const role = roleOf(entry);
		owner.push(parent === null ? null : (owner[parent] ?? null));
		if (role === 'toolResult') {
			const message = isObject(value['message']) ? value['message'] : {};
			const call = calls.take(message['toolCallId'], index, isAbove);
			const draft = call && drafts.get(call.entry);
			const part = call && draft?.parts[call.part];
			if (!draft || part?.type !== 'dynamic-tool') return;
			const result = joinResult(part, value);
			draft.parts[call.part] = result.part;
			draft.results.push({ line, entry: result.rest });
			joined.add(index);
		}
		if (role !== 'user' && role !== 'assistant') return;

		const { parts, rest, attachments: files } = mapContent(value, line);
		const before = above(entries, index, drafts, joined, walked);
		drafts.set(index, {
			role,
			parts,
			metadata: role === 'assistant' ? assistantMetadata(value) : {},
			kept: { line, entry: rest },
			before,
			after: [],
			results: []
		});
		owner[index] = index;
		for (const file of files) attachments.set(file.sha256, file);
		parts.forEach((part, at) => {
			if (part.type === 'dynamic-tool') calls.add(part.toolCallId, { entry: index, part: at });
		});
	});

	for (const { entry, part: at } of calls.rest()) {
		const draft = drafts.get(entry);
		const part = draft?.parts[at];
		const message = entries[entry]?.value['message'];
		if (draft && part?.type === 'dynamic-tool')
			draft.parts[at] = unanswered(part, isObject(message) ? message['stopReason'] : null);
	}
	keepTheRest(entries, drafts, owner, (index) => joined.has(index) || walked.has(index));
	return { drafts, owner, attachments: [...attachments.values()] };
}

/** The entries without a message between this one and the message above it, oldest first, that no other message took. */
function above(
	entries: readonly PiEntry[],
	index: number,
	drafts: ReadonlyMap<number, PiDraft>,
	joined: ReadonlySet<number>,
	walked: Set<number>
): Kept[] {
	const taken: Kept[] = [];
	let at = entries[index]?.parent ?? null;
	// Stops where an earlier message has walked, so that all walks together are as long as the file.
	while (at !== null && !drafts.has(at) && !walked.has(at)) {
		const entry = entries[at];
		if (!entry) break;
		walked.add(at);
		if (!joined.has(at)) taken.push({ line: entry.line, entry: entry.value });
		at = entry.parent;
	}
	return taken.reverse();
}

/** Entries no message follows go to the message above them, or to the first one: a header stands above the whole tree. */
function keepTheRest(
	entries: readonly PiEntry[],
	drafts: ReadonlyMap<number, PiDraft>,
	owner: readonly (number | null)[],
	isPlaced: (index: number) => boolean
): void {
	const [first] = drafts.values();
	const early: Kept[] = [];
	entries.forEach(({ line, value }, index) => {
		if (isPlaced(index) || drafts.has(index)) return;
		const above = drafts.get(owner[index] ?? -1);
		if (above) above.after.push({ line, entry: value });
		else early.push({ line, entry: value });
	});
	first?.before.unshift(...early);
}
