import { highlight } from './highlight';
import { typeset } from './typeset';

/** A head with the language and a Copy button above a program inside a list or a quotation. */
function frame(pre: HTMLPreElement, language: string): void {
	const program = document.createElement('div');
	program.className = 'program';
	const head = document.createElement('div');
	head.className = 'head';
	const name = document.createElement('span');
	name.textContent = language || 'text';
	const button = document.createElement('button');
	button.type = 'button';
	button.className = 'copy';
	button.textContent = 'Copy';
	head.append(name, button);
	pre.replaceWith(program);
	pre.tabIndex = 0;
	program.append(head, pre);
}

/** What a settled block gets once: framed and coloured programs, typeset formulas, tables one can scroll. */
export function decorate(block: HTMLElement): void {
	for (const code of block.querySelectorAll<HTMLElement>('pre > code')) {
		const language = /(?:^|\s)language-(\S+)/.exec(code.className)?.[1] ?? '';
		const pre = code.parentElement;
		if (pre instanceof HTMLPreElement && !pre.closest('.program')) frame(pre, language);
		void highlight(code, language);
	}
	// A wide table scrolls in its block; the block must be reachable by keyboard then.
	if (block.querySelector(':scope > table') && block.scrollWidth > block.clientWidth) {
		block.tabIndex = 0;
		block.role = 'region';
		block.ariaLabel = 'Table';
	}
	// Typesetting that fails to load leaves the source, which is readable.
	void typeset(block).catch(() => undefined);
}
