import type { Message, Part, ToolPart } from '../history/message';
import { isObject } from './json';
import { limits } from './limits';
import { roleOf, type PiRaw } from './pi-drafts';
import type { PiEntry, PiLines } from './pi-lines';
import { isUnanswered } from './pi-result';
import type { ImportCount, ImportReport } from './result';

/**
 * What went in and what came out. The two sides are counted apart: `in` from the lines of the file, `out` from the rows
 * made of them, so that a loss between them shows.
 */
export function piReport(
	{ header, entries, lines, found, notes }: PiLines,
	messages: readonly Message[],
	raws: readonly PiRaw[]
): ImportReport {
	const roles = (role: string) => entries.filter((entry) => roleOf(entry) === role).length;
	const rows = (role: string) => messages.filter((message) => message.role === role).length;
	const callsIn = entries.reduce((sum, entry) => sum + callsOf(entry), 0);
	const calls = messages.flatMap((message) => message.parts.filter(isCall));

	const others = raws.flatMap(({ before = [], after = [] }) => [...before, ...after]);
	const stray = others.filter(({ entry }) => roleOf({ value: entry }) === 'toolResult').length;
	const joined = raws.reduce((sum, { results = [] }) => sum + results.length, 0);
	const counts: ImportCount[] = [
		{ label: 'Lines', in: lines.in, out: raws.length + joined + others.length },
		{ label: 'User messages', in: roles('user'), out: rows('user') },
		{ label: 'Answers', in: roles('assistant'), out: rows('assistant') },
		{ label: 'Tool calls', in: callsIn, out: calls.length },
		{
			label: 'Calls without a result',
			in: callsIn - joined,
			out: calls.filter(isUnanswered).length
		},
		{ label: 'Tool results', in: roles('toolResult'), out: joined + stray },
		{ label: 'Results without a call', in: roles('toolResult') - joined, out: stray },
		{
			label: 'Other entries',
			in: entries.length - roles('user') - roles('assistant') - roles('toolResult'),
			out: others.length - stray
		}
	];
	return {
		format: 'pi',
		counts: counts.filter((count) => count.in + count.out > 0),
		skipped: found.all(),
		notes: notesOf({ header, entries, notes })
	};
}

/** Kinds of entries that a person would look for in the conversation and finds under its source. */
const HIDDEN: Readonly<Record<string, string>> = {
	compaction: "pi's summaries, which are no checkpoints of Hilo",
	branch_summary: "pi's summaries of branches",
	custom_message: 'Messages of extensions',
	bashExecution: 'Commands the user ran',
	custom: 'Messages of extensions',
	hookMessage: 'Messages of extensions',
	branchSummary: "pi's summaries of branches",
	compactionSummary: "pi's summaries, which are no checkpoints of Hilo"
};

function notesOf({
	header,
	entries,
	notes
}: Pick<PiLines, 'header' | 'entries' | 'notes'>): string[] {
	const all = notes.slice(0, limits.findings);
	if (notes.length > all.length)
		all.push(`${notes.length - all.length} more lines were joined so.`);
	const version = header?.['version'];
	if (typeof version === 'number' && version > 3)
		all.push(`The file was written by a newer pi (version ${version}); it was read as version 3.`);
	if (!header) all.push('The file has no session header; its first line may be missing.');

	const hidden = new Map<string, number>();
	for (const entry of entries) {
		const role = roleOf(entry);
		// A 'custom' entry is an extension's state; only as a message's role is it something said.
		const kind = entry.value['type'] === 'message' ? role : entry.value['type'];
		if (typeof kind !== 'string' || !Object.hasOwn(HIDDEN, kind)) continue;
		if (kind === 'custom' && role === null) continue;
		const name = HIDDEN[kind] ?? kind;
		hidden.set(name, (hidden.get(name) ?? 0) + 1);
	}
	for (const [name, count] of hidden)
		all.push(`${name} (${count}): kept in the source of the next message, not shown as messages.`);
	return all;
}

function callsOf(entry: PiEntry): number {
	const { message } = entry.value;
	if (roleOf(entry) !== 'assistant' || !isObject(message)) return 0;
	const { content } = message;
	if (!Array.isArray(content)) return 0;
	return content.filter((block) => isObject(block) && block['type'] === 'toolCall').length;
}

function isCall(part: Part): part is ToolPart {
	return part.type === 'dynamic-tool';
}
