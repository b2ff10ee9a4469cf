import { isObject } from './json';
import type { PiDraft } from './pi-drafts';
import type { PiEntry } from './pi-lines';

/** Characters of a title: one line of the sidebar and a half. */
const LONGEST = 80;

/** The name the user gave the session, else the first thing they wrote that is not a bare command such as `/mode`. */
export function titleOf(entries: readonly PiEntry[], drafts: Iterable<PiDraft>): string {
	let name = '';
	for (const { value } of entries)
		if (value['type'] === 'session_info' && typeof value['name'] === 'string') name = value['name'];
	if (name.trim()) return oneLine(name);

	for (const draft of drafts) {
		if (draft.role !== 'user') continue;
		const text = draft.parts.map((part) => (part.type === 'text' ? part.text : '')).join(' ');
		if (text.trim() && !/^\/\S*$/.test(text.trim())) return oneLine(text);
	}
	const header = entries.find(({ value }) => isObject(value) && value['type'] === 'session');
	const day = header?.value['timestamp'];
	return typeof day === 'string' ? `pi session ${day.slice(0, 10)}` : 'pi session';
}

function oneLine(text: string): string {
	const line = text.trim().replace(/\s+/g, ' ');
	if (line.length <= LONGEST) return line;
	const cut = line.slice(0, LONGEST - 1);
	const space = cut.lastIndexOf(' ');
	// Not in the middle of a word where there is a choice, and never in the middle of a character.
	const end = space > LONGEST / 2 ? space : cut.length;
	return `${cut.slice(0, end).replace(/[\ud800-\udbff]$/, '')}…`;
}
