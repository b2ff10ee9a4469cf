import { limits } from './limits';

/** A parsed JSON text, or where it stops being one. */
export type Parsed =
	| { readonly ok: true; readonly value: unknown }
	| {
			readonly ok: false;
			/** `truncated`: all of it is well-formed and the end is missing. `broken`: something is wrong inside. */
			readonly kind: 'truncated' | 'broken';
			/** UTF-16 code units from the beginning. */
			readonly position: number;
			/** 1-based. */
			readonly line: number;
	  };

/** Parses JSON. A fault is located by our own scan: engines word it differently, and some give no position. */
export function parseJson(text: string): Parsed {
	try {
		return { ok: true, value: JSON.parse(text) };
	} catch {
		const position = faultIn(text);
		const before = text.slice(0, position);
		return {
			ok: false,
			kind: position >= text.length ? 'truncated' : 'broken',
			position,
			line: before.split('\n').length
		};
	}
}

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
/** What the end of the text may have left of a scalar. */
const CUT_SCALAR =
	/-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?)?)?$|t(?:ru?)?$|f(?:a(?:ls?)?)?$|n(?:ul?)?$/y;

/** Where a text that is not JSON stops being the beginning of one. Its length: only the end is missing. */
function faultIn(text: string): number {
	let at = 0;
	/** What is open, innermost last. A loop and a list, because a hostile file may nest deeper than the call stack. */
	const open: ('{' | '[')[] = [];
	let expect: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'after' = 'value';
	const take = (pattern: RegExp): boolean => {
		pattern.lastIndex = at;
		const found = pattern.exec(text);
		if (found) at += found[0].length;
		return found !== null && found[0] !== '';
	};

	for (;;) {
		take(SPACE);
		if (at >= text.length) return text.length;
		const next = text.charAt(at);
		const wantsValue: boolean = expect === 'value' || expect === 'value-or-end';
		const wantsKey: boolean = expect === 'key' || expect === 'key-or-end';
		if ((next === ']' && expect === 'value-or-end') || (next === '}' && expect === 'key-or-end')) {
			at++;
			open.pop();
			expect = 'after';
		} else if (next === '"' && (wantsValue || wantsKey)) {
			const { end, whole } = scanString(text, at);
			if (!whole) return end;
			at = end;
			expect = wantsKey ? 'colon' : 'after';
		} else if ((next === '{' || next === '[') && wantsValue) {
			at++;
			open.push(next);
			expect = next === '{' ? 'key-or-end' : 'value-or-end';
		} else if (wantsValue) {
			if (take(CUT_SCALAR)) return text.length;
			if (!take(SCALAR)) return at;
			expect = 'after';
		} else if (expect === 'colon' && next === ':') {
			at++;
			expect = 'value';
		} else if (expect === 'after') {
			const inside = open.at(-1);
			if (next === ',' && inside) expect = inside === '{' ? 'key' : 'value';
			else if ((next === '}' && inside === '{') || (next === ']' && inside === '[')) open.pop();
			else return at;
			at++;
		} else return at;
	}
}

/** From an opening quote to the place after the closing one, or to what is wrong (the text's end: cut off). */
function scanString(text: string, from: number): { end: number; whole: boolean } {
	for (let at = from + 1; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === 0x22) return { end: at + 1, whole: true };
		if (code < 0x20) return { end: at, whole: false };
		if (code !== 0x5c) continue;
		const escape = text.charAt(++at);
		if (escape !== 'u') {
			if (escape !== '' && !'"\\/bfnrt'.includes(escape)) return { end: at, whole: false };
			continue;
		}
		for (const last = at + 4; at < last && at + 1 < text.length; at++)
			if (!/[0-9a-fA-F]/.test(text.charAt(at + 1))) return { end: at + 1, whole: false };
	}
	return { end: text.length, whole: false };
}

/**
 * What makes a parsed value unfit to be stored, or null. `__proto__` as a key would become a prototype in any code that
 * copies objects carelessly; nesting without end would overflow the stack of whoever writes the row.
 */
export function hazardIn(value: unknown, levels: number = limits.nesting): string | null {
	const rest: { value: unknown; level: number }[] = [{ value, level: 0 }];
	for (let next = rest.pop(); next; next = rest.pop()) {
		if (typeof next.value !== 'object' || next.value === null) continue;
		if (next.level >= levels) return `it is nested more than ${levels} levels deep`;
		if (Object.hasOwn(next.value, '__proto__')) return 'it has a key named "__proto__"';
		for (const child of Object.values(next.value))
			if (typeof child === 'object' && child !== null)
				rest.push({ value: child, level: next.level + 1 });
	}
	return null;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
