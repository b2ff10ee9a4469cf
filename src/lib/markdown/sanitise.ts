import createPurifier, { type Config, type DOMPurify } from 'dompurify';
import { liveAddress } from './render';

/** Text tags only: nothing that loads, runs, or takes input. */
const textTags = [
	...['a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'li'],
	...['ol', 'p', 'pre', 'span', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul']
];

const text: Config = {
	ALLOWED_TAGS: textTags,
	ALLOWED_ATTR: ['href', 'title', 'class', 'start', 'align'],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
	ALLOWED_URI_REGEXP: liveAddress,
	// The expression judges every attribute that is not named here.
	ADD_URI_SAFE_ATTR: ['align', 'start']
};

/** What highlight.js writes: spans with a class. */
const code: Config = {
	ALLOWED_TAGS: ['span'],
	ALLOWED_ATTR: ['class'],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false
};

/** Presentation MathML without anything that links, embeds or switches back to HTML. */
const math: Config = {
	ALLOWED_TAGS: [
		...[
			'math',
			'mrow',
			'mi',
			'mn',
			'mo',
			'ms',
			'mtext',
			'mspace',
			'msup',
			'msub',
			'msubsup',
			'mfrac'
		],
		...[
			'msqrt',
			'mroot',
			'mover',
			'munder',
			'munderover',
			'mtable',
			'mtr',
			'mtd',
			'mstyle',
			'mpadded'
		],
		...['mphantom', 'menclose', 'mmultiscripts', 'mprescripts', 'mfenced', 'mlabeledtr']
	],
	ALLOWED_ATTR: [
		...['display', 'mathvariant', 'stretchy', 'fence', 'separator', 'lspace', 'rspace', 'minsize'],
		...[
			'maxsize',
			'accent',
			'accentunder',
			'movablelimits',
			'columnalign',
			'rowspacing',
			'columnspacing'
		],
		...[
			'columnlines',
			'rowlines',
			'scriptlevel',
			'displaystyle',
			'linethickness',
			'width',
			'height'
		],
		...['depth', 'voffset', 'notation', 'form', 'symmetric', 'largeop']
	],
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false
};

// Made at the first use: the module is also loaded where there is no window.
let made: DOMPurify | undefined;
function purifier(): DOMPurify {
	if (made) return made;
	made = createPurifier(window);
	// After the attributes have been judged, so that only these two of ours can be there.
	made.addHook('afterSanitizeAttributes', (node) => {
		if (node.nodeName !== 'A') return;
		if (node.hasAttribute('href')) {
			node.setAttribute('target', '_blank');
			node.setAttribute('rel', 'noopener noreferrer');
		}
	});
	return made;
}

/** The HTML of a block, safe to put into the page. Trusted where the browser has Trusted Types. */
export function sanitise(html: string) {
	return purifier().sanitize(html, { ...text, RETURN_TRUSTED_TYPE: true });
}

/** Highlighted code as nodes, so that no string of it ever reaches the page's parser. */
export function sanitiseCode(html: string): DocumentFragment {
	return purifier().sanitize(html, { ...code, RETURN_DOM_FRAGMENT: true });
}

/** Typeset mathematics as nodes. */
export function sanitiseMath(html: string): DocumentFragment {
	return purifier().sanitize(html, { ...math, RETURN_DOM_FRAGMENT: true });
}
