import { Lexer, Marked, Tokenizer, type Links, type Token, type TokenizerObject } from 'marked';
import { blockMath, inlineMath } from './math';

const tag =
	/^<(?:!--[^]*?-->|\/?[a-zA-Z][a-zA-Z0-9-]*(?:\s+[a-zA-Z:_][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?)*\s*\/?>)/;

const tokenizer: TokenizerObject = {
	// Raw HTML is text here. Without a block of its own it cannot swallow the Markdown after an unclosed tag.
	html: () => undefined,
	// One tag is one piece of text, so that nothing inside it is read as emphasis; it never switches to a raw mode.
	tag(src) {
		const raw = tag.exec(src)?.[0];
		if (raw === undefined) return undefined;
		return { type: 'html', raw, text: raw, inLink: false, inRawBlock: false, block: false };
	},
	// A title in quotes could run over blank lines to the end of the text; then no block before it would ever settle.
	def(src) {
		const found = Tokenizer.prototype.def.call(this, src);
		return found && !/\n[ \t]*\n/.test(found.raw.trimEnd()) ? found : undefined;
	},
	// "~5-~10" is a range of approximations, not a deletion.
	del: (src) => (src.startsWith('~~') ? false : undefined)
};

const { defaults } = new Marked(
	{ gfm: true, tokenizer },
	{ extensions: [blockMath] },
	{ extensions: [inlineMath] }
);

/** Definitions of link references by their normalised label. */
export type Definitions = Readonly<Links>;

/**
 * The top-level tokens of a text.
 * @param known definitions made before this text; they win over its own, as the first of two definitions does
 */
export function lex(text: string, known: Definitions = {}): Token[] {
	const lexer = new Lexer({ ...defaults });
	Object.assign(lexer.tokens.links, known);
	return lexer.lex(text);
}

/** The definitions made in these tokens, also inside quotes and lists. Null when there are none. */
export function definitionsIn(tokens: readonly Token[]): Definitions | null {
	let found: Links | null = null;
	const visit = (token: Token): void => {
		if (token.type === 'def') {
			const { tag: label, href, title } = token as { tag: string; href: string; title: string };
			found ??= Object.create(null) as Links;
			found[label] ??= { href, title };
		} else if (token.type === 'blockquote' || token.type === 'list_item') {
			token.tokens?.forEach(visit);
		} else if (token.type === 'list') {
			(token as { items: Token[] }).items.forEach(visit);
		}
	};
	tokens.forEach(visit);
	return found;
}

export { defaults as markedOptions };
