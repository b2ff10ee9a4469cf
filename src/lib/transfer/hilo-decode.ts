import { isObject, parseJson, type Parsed } from './json';
import { limits } from './limits';
import { refuse, type ImportResult } from './result';
import { HILO_VERSION } from './schema';
import { looksLike } from './sniff';
import { soundPart } from './hilo-sound';

const COPY = 'Copy or download the file again, then import it again.';
const OTHER = 'Use an undamaged copy of the file, or export it again where it came from.';

/**
 * Reads Hilo JSON. Sessions that are sound come back with their whole trees; each one that is not is named in the report
 * with its reason. Where none is sound, or the file itself cannot be read, it is refused as a whole.
 */
export function decodeHilo(text: string): ImportResult {
	const parsed = parseJson(text.replace(/^\ufeff/, ''));
	if (!parsed.ok) return unreadable(text, parsed);

	const file = parsed.value;
	if (!isObject(file) || file['format'] !== 'hilo')
		return refuse('This is not a Hilo export.', 'Choose a file that Hilo wrote.');
	const { version, sessions, messages, attachments } = file;
	if (typeof version === 'number' && version > HILO_VERSION)
		return refuse(
			`This file was written by a newer Hilo (version ${version}).`,
			'Update Hilo (reload the page), then import the file again.'
		);
	if (version !== HILO_VERSION) return broken('its "version" is not one that Hilo knows');
	if (Object.hasOwn(file, '__proto__')) return broken('it has a key named "__proto__"');
	if (!Array.isArray(sessions)) return broken('its "sessions" is not a list');
	if (!Array.isArray(messages)) return broken('its "messages" is not a list');
	if (!Array.isArray(attachments)) return broken('its "attachments" is not a list');

	const most = { sessions, messages, attachments };
	for (const name of ['sessions', 'messages', 'attachments'] as const)
		if (most[name].length > limits[name])
			return refuse(
				`The file holds ${most[name].length} ${name}; at most ${limits[name]} can be imported at once.`,
				'Export fewer sessions at a time.'
			);
	return soundPart(sessions, messages, attachments);
}

function broken(why: string): ImportResult {
	return refuse(`This Hilo export is damaged: ${why}.`, OTHER);
}

/** The refusal of a text that is not JSON: cut off, damaged inside, or something else altogether. */
export function unreadable(text: string, fault: Parsed & { ok: false }): ImportResult {
	if (!/^\ufeff?\s*[[{]/.test(text)) {
		const what = looksLike(text);
		return refuse(
			`This file is ${what}, not a chat export.`,
			'Choose a Hilo export (.json) or a pi session (.jsonl).'
		);
	}
	const place = `character ${fault.position}, line ${fault.line}`;
	if (fault.kind === 'truncated')
		return refuse(
			`The file ends in the middle (${place}): probably an incomplete download or copy.`,
			COPY
		);
	return refuse(`The file is damaged at ${place}: from there on it is not JSON.`, OTHER);
}
