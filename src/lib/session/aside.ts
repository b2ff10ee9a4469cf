import type { SessionId } from '$lib/history/message';

const keyOf = (id: SessionId) => `hilo-draft-${id}`;

/** Puts the last words of a draft into the one store that is written before the page is gone. */
export function putAside(id: SessionId, text: string): void {
	try {
		localStorage.setItem(keyOf(id), text);
	} catch {
		// Full or forbidden: the database has everything but the last moment.
	}
}

/** Takes what was put aside, if anything. */
export function takeAside(id: SessionId): string | null {
	try {
		const text = localStorage.getItem(keyOf(id));
		if (text !== null) localStorage.removeItem(keyOf(id));
		return text;
	} catch {
		return null;
	}
}
