import { findings, type Findings } from './findings';
import { hazardIn, isObject } from './json';
import { limits } from './limits';

/** One readable line of a pi session file. */
export interface PiEntry {
	/** 1-based, counting unreadable and empty lines too, as an editor shows it. */
	readonly line: number;
	readonly value: Readonly<Record<string, unknown>>;
	/** Index of the parent in the list of entries, always smaller than its own. Null: a root. */
	readonly parent: number | null;
	/** Epoch milliseconds, or null where the entry and everything around it has none. */
	readonly time: number | null;
}

export interface PiLines {
	/** The first header, or null. It is an entry too. */
	readonly header: Readonly<Record<string, unknown>> | null;
	readonly entries: readonly PiEntry[];
	readonly lines: { readonly in: number; readonly out: number };
	readonly found: Findings;
	readonly notes: string[];
}

/**
 * Reads the lines of a pi session: version 1 is a plain sequence, later ones are a tree by `id` and `parentId`. A line that
 * cannot be read is named and left out; what hung on it is joined to the entry before, so that nothing else is lost.
 */
export function readPiLines(text: string): PiLines {
	const found = findings();
	const notes: string[] = [];
	const rows: { line: number; value: Readonly<Record<string, unknown>> }[] = [];
	let count = 0;
	text
		.replace(/^\ufeff/, '')
		.split('\n')
		.forEach((content, index) => {
			if (content.trim() === '') return;
			count++;
			const read = readLine(content);
			if (typeof read === 'string') found.add(`Line ${index + 1}`, read);
			else rows.push({ line: index + 1, value: read });
		});

	const header = rows.find(({ value }) => value['type'] === 'session')?.value ?? null;
	const parents = parentsOf(rows, notes);
	const times = timesOf(rows.map(({ value }) => timeOf(value)));
	const entries = rows.map((row, index) => ({
		...row,
		parent: parents[index] ?? null,
		time: times[index] ?? null
	}));
	return { header, entries, lines: { in: count, out: rows.length }, found, notes };
}

function readLine(content: string): Readonly<Record<string, unknown>> | string {
	let value: unknown;
	try {
		value = JSON.parse(content);
	} catch {
		return 'it is not valid JSON (cut off or damaged)';
	}
	if (!isObject(value)) return 'it is not a JSON object';
	if (typeof value['type'] !== 'string') return 'it has no "type"';
	const blocks = isObject(value['message']) ? value['message']['content'] : null;
	if (Array.isArray(blocks) && blocks.length > limits.partsPerMessage)
		return `it has more than ${limits.partsPerMessage} parts`;
	// An entry stands some levels deeper in the message it becomes, which must be fit for an export too.
	return hazardIn(value, limits.nesting - 10) ?? value;
}

function parentsOf(
	rows: readonly { line: number; value: Readonly<Record<string, unknown>> }[],
	notes: string[]
): (number | null)[] {
	const isTree = rows.some(
		({ value }) => value['type'] !== 'session' && typeof value['id'] === 'string'
	);
	if (!isTree) return rows.map((_, index) => (index === 0 ? null : index - 1));

	const indexOf = new Map<unknown, number>();
	return rows.map(({ line, value }, index) => {
		const before = index === 0 ? null : index - 1;
		if (value['type'] === 'session') return null;
		const parentId = value['parentId'];
		// pi only appends, so a parent stands above its children; anything else is damage, and could be a cycle.
		const parent = parentId === null ? null : indexOf.get(parentId);
		if (typeof value['id'] === 'string') indexOf.set(value['id'], index);
		if (parent !== undefined) return parent;
		notes.push(
			`Line ${line} follows an entry that is not above it in the file (${String(parentId)}); it was joined to the line before.`
		);
		return before;
	});
}

/** ISO dates only: a date in a locale's words means something else elsewhere. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)$/;

function timeOf(value: Readonly<Record<string, unknown>>): number | null {
	const { timestamp, message } = value;
	const written =
		typeof timestamp === 'string' && ISO.test(timestamp) ? Date.parse(timestamp) : NaN;
	if (written >= 0) return written;
	const inner = isObject(message) ? message['timestamp'] : undefined;
	return typeof inner === 'number' && inner >= 0 && inner <= 8.64e15 ? inner : null;
}

/** Fills gaps from the entry before, and at the beginning from the first that has a time. */
function timesOf(times: readonly (number | null)[]): (number | null)[] {
	let last = times.find((time) => time !== null) ?? null;
	return times.map((time) => (last = time ?? last));
}
