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

const HAD_DATA = 'hilo-had-data';

/** Whether this browser has held conversations, as far as it remembers outside the database. */
export function hadData(): boolean {
	try {
		return localStorage.getItem(HAD_DATA) !== null;
	} catch {
		return false;
	}
}

/** Remembers, outside the database, that there are conversations, or that the user has removed them. */
export function rememberData(has: boolean): void {
	try {
		if (has) localStorage.setItem(HAD_DATA, '1');
		else localStorage.removeItem(HAD_DATA);
	} catch {
		// Forbidden: then nobody can tell a removal from a first visit.
	}
}

/** Forgets all that was put aside: for whoever erases everything. */
export function forgetAsides(): void {
	try {
		for (const key of Object.keys(localStorage)) {
			if (key.startsWith('hilo-draft-')) localStorage.removeItem(key);
		}
	} catch {
		// Forbidden: then there are none.
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
