import { getContext, setContext } from 'svelte';
import type { MessageId } from '$lib/history/message';

const KEY = Symbol('panel');

/** What the right panel shows. */
export type PanelContent =
	{ readonly kind: 'checkpoint'; readonly id: MessageId } | { readonly kind: 'sees' };

/** The right panel: one at a time, opened by what is clicked in the conversation. */
export class Panel {
	#content = $state.raw<PanelContent | null>(null);
	/** Set by the conversation on screen: scrolls to a message given by its short id. */
	goTo: (id: string) => void = () => undefined;

	get content(): PanelContent | null {
		return this.#content;
	}

	show(content: PanelContent): void {
		this.#content = content;
	}

	close(): void {
		this.#content = null;
	}
}

export function providePanel(panel: Panel): void {
	setContext(KEY, panel);
}

export function usePanel(): Panel {
	return getContext<Panel>(KEY);
}
