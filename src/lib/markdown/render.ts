import { Parser, Renderer, type Token, type Tokens } from 'marked';
import { markedOptions } from './lexer';
import type { MathToken } from './math';
import { visible } from './visible';

/** Addresses a reader may follow. Everything else (`javascript:`, `data:`, `file:`, relative paths) is dead. */
export const liveAddress = /^(?:https?:\/\/|mailto:)/i;

const entities: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&#39;'
};
const escape = (text: string) =>
	visible(text).replace(/[&<>"']/g, (character) => entities[character] ?? character);

const fromCode = (code: number) =>
	code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
		? String.fromCodePoint(code)
		: '\ufffd';

/**
 * Text in which character references count. The numeric ones are resolved here, so that `&#x202E;` is made visible too;
 * the named ones are left to the browser: none of them names a control character that is obeyed.
 */
const prose = (text: string) =>
	escape(
		text.replace(/&#(?:(\d{1,7})|[xX]([\da-fA-F]{1,6}));/g, (_, decimal?: string, hex?: string) =>
			fromCode(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal))
		)
	).replace(/&amp;(?=[a-zA-Z][a-zA-Z0-9]{1,30};)/g, '&');

function hostOf(address: string): string | null {
	try {
		return new URL(address).host || null;
	} catch {
		return null;
	}
}

/** The host a text claims to be, when it looks like an address. */
const claimedHost = (text: string) =>
	/^(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,})(?:[/?#:]|$)/i
		.exec(text.trim())?.[1]
		?.toLowerCase();

function anchor(href: string, title: string | null | undefined, inside: string, kind = ''): string {
	const tip = title ? ` title="${prose(title)}"` : '';
	return `<a${kind && ` class="${kind}"`} href="${prose(href)}"${tip}>${inside}</a>`;
}

class BlockRenderer extends Renderer {
	override html({ text }: Tokens.HTML | Tokens.Tag): string {
		return escape(text);
	}

	override text(token: Tokens.Text | Tokens.Escape): string {
		if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens);
		return token.type === 'escape' ? escape(token.text) : prose(token.text);
	}

	override codespan({ text }: Tokens.Codespan): string {
		return `<code>${escape(text)}</code>`;
	}

	override code({ text, lang }: Tokens.Code): string {
		const name = /^[\w+#.-]+/.exec(lang ?? '')?.[0];
		const language = name ? ` class="language-${escape(name.toLowerCase())}"` : '';
		return `<pre><code${language}>${escape(text)}\n</code></pre>\n`;
	}

	override heading({ tokens, depth }: Tokens.Heading): string {
		return `<h${depth}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
	}

	override checkbox({ checked }: Tokens.Checkbox): string {
		return checked
			? '<span class="task done"><span class="visually-hidden">done: </span></span>'
			: '<span class="task"><span class="visually-hidden">to do: </span></span>';
	}

	override listitem(item: Tokens.ListItem): string {
		const inside = this.parser.parse(item.tokens);
		return `<li${item.task ? ' class="has-task"' : ''}>${inside}</li>\n`;
	}

	override link({ href, title, text, tokens }: Tokens.Link): string {
		const inside = this.parser.parseInline(tokens);
		if (!liveAddress.test(href)) {
			return `<span class="dead" title="${escape(`Not followed: ${href}`)}">${inside}</span>`;
		}
		const host = hostOf(href);
		const claimed = claimedHost(text);
		const away = host && claimed && claimed !== host.toLowerCase();
		return (
			anchor(href, title, inside) + (away ? ` <span class="host">(${escape(host)})</span>` : '')
		);
	}

	override image({ href, title, text }: Tokens.Image): string {
		const live = liveAddress.test(href);
		const where = live ? hostOf(href) : /^[a-z][a-z0-9+.-]*(?=:)/i.exec(href)?.[0];
		const words = prose(`image: ${text || 'without a description'} (${where ?? 'no host'})`);
		return live ? anchor(href, title, words, 'image') : `<span class="dead">${words}</span>`;
	}

	override tablecell(cell: Tokens.TableCell): string {
		const tag = cell.header ? 'th' : 'td';
		const align = cell.align ? ` align="${cell.align}"` : '';
		return `<${tag}${align}>${this.parser.parseInline(cell.tokens)}</${tag}>\n`;
	}
}

/** A formula as its source; `typeset.ts` replaces it by MathML once KaTeX has come. */
function math(token: Tokens.Generic): string {
	const { tex, display } = token as MathToken;
	return `<span class="math${display ? ' display' : ''}">${escape(tex)}</span>`;
}

const options = {
	...markedOptions,
	extensions: { childTokens: {}, ...markedOptions.extensions, renderers: { math } },
	renderer: new BlockRenderer()
};

/** One top-level token as HTML. It still goes through `sanitise`. */
export function renderBlock(token: Token): string {
	if (token.type === 'def') return '';
	return new Parser(options).parse([token]);
}

/** The code of a block that is nothing but a fenced or indented program. */
export function codeOf(token: Token): { language: string; text: string } | null {
	if (token.type !== 'code') return null;
	const { lang, text } = token as Tokens.Code;
	return {
		language: /^[\w+#.-]+/.exec(lang ?? '')?.[0].toLowerCase() ?? '',
		text: visible(text)
	};
}
