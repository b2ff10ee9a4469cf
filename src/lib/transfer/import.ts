import type { ModelRef } from '../history/message';
import { decodeHilo, unreadable } from './hilo-decode';
import { isObject, parseJson } from './json';
import { limits } from './limits';
import { decodePi } from './pi';
import { refuse, type ImportResult } from './result';
import { productOf } from './sniff';

export type {
	AttachmentRow,
	ImportCount,
	ImportProblem,
	ImportReport,
	ImportResult,
	ImportSkip
} from './result';

export interface ImportContext {
	/** The model that sessions without one of ours go on with. */
	readonly model: ModelRef;
}

const READS = 'Hilo reads its own exports (.json) and pi sessions (.jsonl).';

/**
 * Whether a file is too large to be read at all; ask before reading it, with its size in bytes. Null: it is not.
 */
export function tooLarge(size: number): (ImportResult & { ok: false }) | null {
	if (size <= limits.fileCharacters) return null;
	const mebibytes = (n: number) => `${Math.round(n / 1024 / 1024)} MiB`;
	return refuse(
		`The file is too large: ${mebibytes(size)}, and at most ${mebibytes(limits.fileCharacters)} can be read.`,
		'Export fewer sessions at a time, then import the files one by one.'
	);
}

/**
 * Reads any file Hilo can import. The format is told by the content; names and extensions are often wrong. Never throws:
 * a file that cannot be read comes back as a problem with a sentence for the user.
 * @param filename for the sentence only
 */
export function readImport(filename: string, text: string, context: ImportContext): ImportResult {
	const large = tooLarge(text.length);
	if (large) return large;
	const result = decode(text, context);
	if (result.ok || !filename) return result;
	const { detail } = result.problem;
	return {
		ok: false,
		problem: { ...result.problem, detail: detail ? `${filename}\n${detail}` : filename }
	};
}

function decode(text: string, context: ImportContext): ImportResult {
	// A Hilo export of hundreds of megabytes may be one line: it is told by its beginning and parsed only once.
	if (/^\ufeff?\s*\{\s*"format"\s*:\s*"hilo"/.test(text)) return decodeHilo(text);
	const first = firstEntry(text);
	const product = productOf(first);
	if (first && !product) return decodePi(text, context);

	const parsed = parseJson(text.replace(/^\ufeff/, ''));
	if (parsed.ok && isObject(parsed.value) && parsed.value['format'] === 'hilo')
		return decodeHilo(text);
	const name = product ?? (parsed.ok ? productOf(parsed.value) : null);
	if (name) return refuse(`This is an export of ${name}, which Hilo cannot read yet.`, READS);
	if (parsed.ok) return refuse('This file is JSON, but not a chat export that Hilo knows.', READS);
	return unreadable(text, parsed);
}

/** Lines looked at for an entry of pi: the first one may be damaged. */
const FIRST_LINES = 20;
const PI_TYPES = new Set<unknown>([
	'session',
	'message',
	'model_change',
	'thinking_level_change',
	'compaction',
	'branch_summary',
	'custom',
	'custom_message',
	'label',
	'session_info'
]);

/** The first line that reads like an entry of a JSON-lines session, or null. */
function firstEntry(text: string): Readonly<Record<string, unknown>> | null {
	let from = 0;
	for (let seen = 0; seen < FIRST_LINES && from < text.length; seen++) {
		const end = text.indexOf('\n', from);
		const line = text.slice(from, end === -1 ? text.length : end).replace(/^\ufeff/, '');
		from = end === -1 ? text.length : end + 1;
		if (!line.trimStart().startsWith('{')) continue;
		const parsed = parseJson(line);
		if (parsed.ok && isObject(parsed.value) && PI_TYPES.has(parsed.value['type']))
			return parsed.value;
	}
	return null;
}
