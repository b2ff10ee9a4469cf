import type { HLJSApi, LanguageFn } from 'highlight.js';
import { sanitiseCode } from './sanitise';

/** Longer programs stay plain: highlighting them would block the page. Characters. */
const limit = 60_000;

type Load = () => Promise<{ default: LanguageFn }>;
const languages: Readonly<Record<string, Load>> = {
	bash: () => import('highlight.js/lib/languages/bash'),
	c: () => import('highlight.js/lib/languages/c'),
	cpp: () => import('highlight.js/lib/languages/cpp'),
	css: () => import('highlight.js/lib/languages/css'),
	diff: () => import('highlight.js/lib/languages/diff'),
	go: () => import('highlight.js/lib/languages/go'),
	java: () => import('highlight.js/lib/languages/java'),
	javascript: () => import('highlight.js/lib/languages/javascript'),
	json: () => import('highlight.js/lib/languages/json'),
	latex: () => import('highlight.js/lib/languages/latex'),
	markdown: () => import('highlight.js/lib/languages/markdown'),
	python: () => import('highlight.js/lib/languages/python'),
	r: () => import('highlight.js/lib/languages/r'),
	rust: () => import('highlight.js/lib/languages/rust'),
	sql: () => import('highlight.js/lib/languages/sql'),
	typescript: () => import('highlight.js/lib/languages/typescript'),
	xml: () => import('highlight.js/lib/languages/xml'),
	yaml: () => import('highlight.js/lib/languages/yaml')
};

const aliases: Readonly<Record<string, string>> = {
	'c++': 'cpp',
	cc: 'cpp',
	console: 'bash',
	golang: 'go',
	h: 'c',
	hpp: 'cpp',
	html: 'xml',
	js: 'javascript',
	jsonc: 'json',
	jsx: 'javascript',
	md: 'markdown',
	patch: 'diff',
	py: 'python',
	rs: 'rust',
	sh: 'bash',
	shell: 'bash',
	svelte: 'xml',
	svg: 'xml',
	tex: 'latex',
	ts: 'typescript',
	tsx: 'typescript',
	vue: 'xml',
	yml: 'yaml',
	zsh: 'bash'
};

/** The grammar for a name after a fence, or null where there is none. */
export function grammarFor(name: string): string | null {
	const known = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
	return Object.hasOwn(languages, known) ? known : null;
}

let core: Promise<HLJSApi> | undefined;

async function ready(grammar: string): Promise<HLJSApi> {
	core ??= import('highlight.js/lib/core').then((module) => module.default);
	const highlighter = await core;
	if (!highlighter.getLanguage(grammar)) {
		const load = languages[grammar];
		if (load) highlighter.registerLanguage(grammar, (await load()).default);
	}
	return highlighter;
}

/** Colours the code of one `<code>` element once, in place; its text stays the same. */
export async function highlight(element: HTMLElement, language: string): Promise<void> {
	const grammar = grammarFor(language);
	const text = element.textContent ?? '';
	if (!grammar || text.length > limit || element.classList.contains('coloured')) return;
	element.classList.add('coloured');
	const highlighter = await ready(grammar);
	const { value } = highlighter.highlight(text, { language: grammar, ignoreIllegals: true });
	// The element may show another text by now.
	if (element.textContent === text) element.replaceChildren(sanitiseCode(value));
}
