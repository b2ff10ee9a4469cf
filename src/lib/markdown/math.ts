import type { TokenizerAndRendererExtension, Tokens } from 'marked';

/** TeX found in a text. It is typeset later, in the browser, by `typeset.ts`. */
export interface MathToken extends Tokens.Generic {
	readonly type: 'math';
	readonly tex: string;
	readonly display: boolean;
}

/** A longer formula is shown as its source: typesetting it would block the page. Characters. */
export const texLimit = 8_000;

/**
 * `$…$` on one line. The rules of pandoc, which keep "$5 and $6" two prices: no space inside the dollars, and neither a
 * letter nor a digit after the closing one. A letter or digit before the opening one ("US$5") is checked by `start`.
 */
const dollar = /^\$(?![\s$])((?:\\[^\n]|[^\\$\n])*?)(?<!\s)\$(?![\w$])/;
const dollars = /^\$\$(?!\$)((?:\\[^]|[^\\$]|\$(?!\$))+?)\$\$/;
const round = /^\\\(((?:\\(?!\))[^]|[^\\])+?)\\\)/;
const square = /^\\\[((?:\\(?!\])[^]|[^\\])+?)\\\]/;

/** A formula never crosses a blank line, so that a block is whole as soon as a blank line follows it. */
const blankLine = /\n[ \t]*\n/;
/** `\[1\]` in running text is an escaped bracket; what carries one of these is a formula. */
const looksLikeTex = /[\\^_=]/;

function token(raw: string, tex: string, display: boolean): MathToken | undefined {
	if (blankLine.test(raw) || tex.trim() === '') return undefined;
	return { type: 'math', raw, tex: tex.trim(), display };
}

/** Formulas within a line. Before the other rules: `\(` would be an escape, and `_` emphasis. */
export const inlineMath: TokenizerAndRendererExtension = {
	name: 'math',
	level: 'inline',
	start(src) {
		const at = /(?<![\w$\\])\$|\\[([]/.exec(src);
		return at?.index;
	},
	tokenizer(src) {
		let found = dollars.exec(src);
		if (found) return token(found[0], found[1] ?? '', true);
		found = dollar.exec(src) ?? round.exec(src);
		if (found) return token(found[0], found[1] ?? '', false);
		found = square.exec(src);
		if (found && looksLikeTex.test(found[1] ?? '')) return token(found[0], found[1] ?? '', true);
		return undefined;
	}
};

/** Formulas that fill whole lines. As a block, or their lines would be read as lists, headings and rules. */
export const blockMath: TokenizerAndRendererExtension = {
	name: 'math',
	level: 'block',
	start(src) {
		const paragraph = blankLine.exec(src)?.index ?? src.length;
		const at = /\n {0,3}(?:\$\$|\\\[)/.exec(src.slice(0, paragraph));
		return at ? at.index + 1 : undefined;
	},
	tokenizer(src) {
		const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(src)?.[0];
		if (indent === undefined) return undefined;
		const rest = src.slice(indent.length);
		const found = dollars.exec(rest) ?? square.exec(rest);
		if (!found) return undefined;
		const end = /^[ \t]*(?:\n|$)/.exec(rest.slice(found[0].length));
		if (!end) return undefined;
		return token(indent + found[0] + end[0], found[1] ?? '', true);
	}
};
