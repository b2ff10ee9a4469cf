/**
 * Mathematics by KaTeX, loaded only when a block has some. MathML is the only output asked for: browsers draw it
 * themselves, so that neither KaTeX's style sheet nor its fonts are needed, no `style` attribute has to pass the
 * sanitiser, and a screen reader gets the formula itself.
 */
import type { KatexOptions } from 'katex';
import { texLimit } from './math';
import { sanitiseMath } from './sanitise';

const options: KatexOptions = {
	output: 'mathml',
	throwOnError: true,
	// \href, \includegraphics and \htmlData stay dead.
	trust: false,
	strict: 'ignore',
	/** Ems. */
	maxSize: 20,
	/** Macro expansions: a formula cannot define its way into an endless loop. */
	maxExpand: 300
};

/** Replaces the TeX source of each formula in `root` by MathML. One that cannot be typeset stays as its source. */
export async function typeset(root: Element): Promise<void> {
	const open = [...root.querySelectorAll<HTMLElement>('.math:not(.set)')];
	if (open.length === 0) return;
	const { default: katex } = await import('katex');
	for (const element of open) {
		const tex = element.textContent ?? '';
		element.classList.add('set');
		if (tex.length > texLimit) continue;
		try {
			const display = element.classList.contains('display');
			const html = katex.renderToString(tex, { ...options, displayMode: display });
			// The annotation repeats the source, which would be read twice; its text is escaped, so that no < is inside.
			const nodes = sanitiseMath(html.replace(/<annotation [^>]*>[^<]*<\/annotation>/g, ''));
			element.replaceChildren(nodes);
			element.title = tex;
		} catch (error) {
			element.classList.add('failed');
			element.title = error instanceof Error ? error.message : 'This formula cannot be typeset.';
		}
	}
}
