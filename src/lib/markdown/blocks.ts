/**
 * Markdown that grows by appending, as blocks.
 *
 * Replaces lexing the whole text at every chunk. A block is settled when no text that could follow changes it; settled
 * blocks are never lexed again and keep their object, so that their DOM nodes stay. Only what follows the last settled
 * block is lexed. The one exception: a link reference defined later re-makes the settled blocks that mention its label.
 */
import type { Token } from 'marked';
import { definitionsIn, lex, type Definitions } from './lexer';

export interface Block {
	/** Position in the text, from 0. */
	readonly key: number;
	/** The block's Markdown with the blank lines after it; line ends are \n. All sources together are the whole text. */
	readonly source: string;
	readonly token: Token;
	readonly settled: boolean;
	/** Where the block ends in the text as it was given. Characters. */
	readonly end: number;
	/** Link references defined in this block. */
	readonly definitions: Definitions | null;
}

const blankLineAtEnd = /\n[ \t]*\n$/;
const normalise = (text: string) => (text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text);

/** The offset in `text` of the character that is at `offset` once line ends are normalised. */
function rawOffset(text: string, offset: number): number {
	if (!text.includes('\r')) return offset;
	let raw = 0;
	for (let seen = 0; seen < offset; seen += 1) {
		raw += text[raw] === '\r' && text[raw + 1] === '\n' ? 2 : 1;
	}
	return raw;
}

/**
 * Tokens with their source and the blank lines that belong to them; blank lines at the start belong to the first.
 * The source is cut from the text by length: the lexer trims the `raw` of a list that ends in spaces.
 */
function group(text: string, tokens: readonly Token[]): { token: Token; source: string }[] {
	const groups: { token: Token; from: number }[] = [];
	let at = 0;
	for (const token of tokens) {
		if (token.type !== 'space') groups.push({ token, from: groups.length === 0 ? 0 : at });
		at += token.raw.length;
	}
	return groups.map(({ token, from }, index) => ({
		token,
		source: text.slice(from, groups[index + 1]?.from)
	}));
}

/**
 * How many of the groups nothing can change any more: those before the last one that begins after a blank line and
 * whose first line is complete. (A blank line alone settles nothing: a list may go on after it. An incomplete line
 * settles nothing: "2" may become "2. ".)
 */
function settledCount(groups: readonly { source: string }[]): number {
	for (let index = groups.length - 1; index > 0; index -= 1) {
		const before = groups[index - 1]?.source ?? '';
		if (blankLineAtEnd.test(before) && groups[index]?.source.includes('\n')) return index;
	}
	return 0;
}

const label = (text: string) => text.toLowerCase().replace(/\s+/g, ' ');

/** A settled block that mentions a label defined only now, made again with the definition. */
function withDefinitions(block: Block, known: Definitions, fresh: readonly string[]): Block {
	if (!block.source.includes('[')) return block;
	const text = label(block.source);
	if (!fresh.some((name) => text.includes(`[${name}]`))) return block;
	const token = lex(block.source, known).find(({ type }) => type !== 'space');
	return token ? { ...block, token } : block;
}

/** The open block, where what was added to it can only be more of its code. Saves lexing a long program per chunk. */
function moreCode(open: Block, text: string): Block | null {
	const added = text.slice(open.end);
	const head =
		open.token.type === 'code' ? /^(`{3,}|~{3,})[^\n]*\n/.exec(open.source)?.[0] : undefined;
	// From the character before, because a \r there and a \n here are one line end.
	if (head === undefined || text.slice(open.end - 1).includes('\r')) return null;
	const source = open.source + added;
	const code = source.slice(head.length);
	// A fence character anywhere in the code may belong to a line that closes it.
	if (code.includes(head.charAt(0))) return null;
	return {
		...open,
		source,
		end: text.length,
		token: { ...open.token, raw: source, text: code.replace(/\n$/, '') }
	};
}

/** Whether `block` still stands in `text` where it stood. */
function stands(block: Block | undefined, start: number, text: string): boolean {
	return !block || normalise(text.slice(start, block.end)) === block.source;
}

/** All definitions. The first one of a label counts, so the later ones are laid down first. */
function merged(blocks: readonly Block[], base?: Definitions): Definitions {
	const all = Object.create(null) as Record<string, Definitions[string]>;
	for (let index = blocks.length - 1; index >= 0; index -= 1) {
		const definitions = blocks[index]?.definitions;
		if (definitions) Object.assign(all, definitions);
	}
	return Object.assign(all, base);
}

/**
 * The blocks of `text`.
 * @param previous what this returned for an earlier, shorter text; anything but its continuation starts anew
 * @param ended whether nothing will follow, so that every block is settled
 */
export function settle(
	previous: readonly Block[] | null,
	text: string,
	ended: boolean = false
): readonly Block[] {
	let kept = previous?.filter(({ settled }) => settled) ?? [];
	if (!stands(kept.at(-1), kept.at(-2)?.end ?? 0, text)) kept = [];
	const start = kept.at(-1)?.end ?? 0;
	const opened = previous?.slice(kept.length) ?? [];

	const open = opened.length === 1 ? opened[0] : undefined;
	if (open && !open.settled && !ended && stands(open, start, text)) {
		const longer = moreCode(open, text);
		if (longer) return [...kept, longer];
	}

	const known = merged(kept);
	const region = text.slice(start);
	const unified = normalise(region);
	const groups = group(unified, lex(unified, known));
	const count = ended ? groups.length : settledCount(groups);
	let at = 0;
	const added = groups.map(({ token, source }, index): Block => {
		at += source.length;
		return {
			key: kept.length + index,
			source,
			token,
			settled: index < count,
			end: start + rawOffset(region, at),
			definitions: definitionsIn([token])
		};
	});
	if (added.every(({ definitions }) => !definitions)) {
		return [...kept, ...added.map((block, index) => same(opened[index], block))];
	}

	const fresh = added
		.filter(({ settled }) => settled)
		.flatMap(({ definitions }) => Object.keys(definitions ?? {}))
		.filter((name) => !(name in known));
	if (fresh.length === 0) return [...kept, ...added];
	const all = merged(added, known);
	return [...kept.map((block) => withDefinitions(block, all, fresh)), ...added];
}

/** The old object where nothing is new about it. */
function same(old: Block | undefined, block: Block): Block {
	const equal =
		old &&
		old.source === block.source &&
		old.settled === block.settled &&
		old.end === block.end &&
		old.token.type === block.token.type;
	return equal ? old : block;
}
