import { getContext, setContext } from 'svelte';
import { SvelteMap, SvelteSet } from 'svelte/reactivity';

/**
 * What a reader has opened and begun to edit. It outlives the component: the list unmounts a message that scrolls out
 * of view, and no scroll may lose text.
 */
export class Remembered {
	/** Keys of what is unfolded. */
	readonly open = new SvelteSet<string>();
	/** Texts of messages being edited, by message id. */
	readonly edits = new SvelteMap<string, string>();

	toggle(key: string): void {
		if (!this.open.delete(key)) this.open.add(key);
	}
}

const key = Symbol('remembered');
export const provideRemembered = (): Remembered => setContext(key, new Remembered());
/** Outside a conversation (in a gallery, in a panel) it remembers for the component alone. */
export const remembered = (): Remembered =>
	(getContext(key) as Remembered | undefined) ?? new Remembered();
