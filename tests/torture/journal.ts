/**
 * What a page was told, written down outside of it. A write counts as acknowledged when IndexedDB has fired `complete`
 * for its transaction in the page and the page's report of that has come to this process. The probe stands below the app
 * and below Dexie: the app does not know of it.
 */
import type { BrowserContext } from '@playwright/test';
import type { Stored } from './verdict';

type Table = keyof Stored;
type Report =
	| {
			readonly kind: 'write';
			readonly transaction: string;
			readonly table: Table;
			readonly key: string;
			/** The row as JSON; null where it is removed. */
			readonly row: string | null;
	  }
	| { readonly kind: 'complete' | 'abort'; readonly transaction: string }
	/** The answer in progress ends with this word on screen. */
	| { readonly kind: 'shown'; readonly word: number; readonly at: number }
	/** A message of the user stands in the conversation, not as one that waits. */
	| { readonly kind: 'asked'; readonly number: number };

type Rows = Map<string, string>;
type Write = Extract<Report, { kind: 'write' }>;

/** How a database was found after a kill. */
export interface Finding {
	readonly lost: readonly string[];
	/** The database holds writes of the very last moment, of which no report came out of the page any more. */
	readonly isAhead: boolean;
}

export class Journal {
	#base: Rows = new Map();
	#reports: Report[] = [];

	/** Sets the probe into all pages of the browser. */
	async watch(context: BrowserContext): Promise<void> {
		await context.exposeBinding('hiloReport', (_, report: Report) => {
			this.#reports.push(report);
		});
		// What compiles this file may wrap functions in a helper that the page does not have.
		await context.addInitScript(`{ const __name = (value) => value; (${probe.toString()})(); }`);
	}

	/** From now on this is what is stored. */
	begin(stored: Stored): void {
		this.#base = rowsOf(stored);
		this.#reports = [];
	}

	/** Numbers of the user's messages that the page showed as part of the conversation. */
	get asked(): number[] {
		return this.#reports.flatMap((report) => (report.kind === 'asked' ? [report.number] : []));
	}

	/** Whether a report of a message has come that fits. */
	has(kind: Report['kind']): boolean {
		return this.#reports.some((report) => report.kind === kind);
	}

	/**
	 * How long before the end the screen first showed more than is stored of the answer that began at `begin`, in
	 * milliseconds; 0 where nothing shown is missing.
	 */
	behind(storedWord: number, begin: number, end: number): number {
		const shown = this.#reports.flatMap((report) =>
			report.kind === 'shown' && report.at >= begin ? [report] : []
		);
		const first = shown.find(({ word }) => word > storedWord);
		const last = shown.at(-1);
		return first && last ? Math.max(end, last.at) - first.at : 0;
	}

	/** Compares what is stored with what was acknowledged, and with what was under way: whole, or not at all. */
	compare(stored: Stored): Finding {
		const actual = rowsOf(stored);
		const acknowledged = new Map(this.#base);
		const open = new Map<string, Write[]>();
		for (const report of this.#reports) {
			if (report.kind === 'write') {
				const writes = open.get(report.transaction);
				if (writes) writes.push(report);
				else open.set(report.transaction, [report]);
			} else if (report.kind === 'complete' || report.kind === 'abort') {
				if (report.kind === 'complete') apply(acknowledged, open.get(report.transaction));
				open.delete(report.transaction);
			}
		}
		const underWay = [...open.values()];
		// Some of those under way may have come to their end unheard. Each of them whole.
		for (let chosen = 0; chosen < 2 ** Math.min(underWay.length, 8); chosen++) {
			const rows = new Map(acknowledged);
			underWay.forEach((writes, index) => {
				if (chosen & (2 ** index)) apply(rows, writes);
			});
			if (same(rows, actual)) return { lost: [], isAhead: false };
		}
		return { lost: goneOf(acknowledged, actual), isAhead: true };
	}
}

/** What was acknowledged and is neither there nor followed by something newer. */
function goneOf(acknowledged: Rows, actual: Rows): string[] {
	const lost: string[] = [];
	for (const [key, row] of acknowledged) {
		const found = actual.get(key);
		if (found === row) continue;
		const before = JSON.parse(row);
		const after = found === undefined ? null : JSON.parse(found);
		const isNewer = key.startsWith('sessions/')
			? after !== null && after.branchRevision >= before.branchRevision
			: key.startsWith('runs/') &&
				(after === null
					? actual.has(`messages/${before.messageId}`)
					: after.updatedAt >= before.updatedAt);
		if (!isNewer) lost.push(`lost: ${key}`);
	}
	return lost;
}

function rowsOf(stored: Stored): Rows {
	const rows: Rows = new Map();
	for (const row of stored.messages) rows.set(`messages/${row.id}`, JSON.stringify(row));
	for (const row of stored.sessions) rows.set(`sessions/${row.id}`, JSON.stringify(row));
	for (const row of stored.runs) rows.set(`runs/${row.sessionId}`, JSON.stringify(row));
	return rows;
}

function apply(rows: Rows, writes: readonly Write[] = []): void {
	for (const { table, key, row } of writes) {
		if (row === null) rows.delete(`${table}/${key}`);
		else rows.set(`${table}/${key}`, row);
	}
}

function same(a: Rows, b: Rows): boolean {
	return a.size === b.size && [...a].every(([key, row]) => b.get(key) === row);
}

/** Runs in the page before anything else. */
function probe(): void {
	const send = (report: unknown) => {
		const out = (window as unknown as { hiloReport: (report: unknown) => Promise<void> })
			.hiloReport;
		void out(report).catch(() => undefined);
	};
	// Without it every address is the network's, so that a plain file opens the origin without the app.
	if ('serviceWorker' in navigator) navigator.serviceWorker.register = () => new Promise(() => {});
	const tables = ['messages', 'sessions', 'runs'];
	const page = Math.random().toString(36).slice(2);
	const known = new WeakMap<IDBTransaction, string>();
	let transactions = 0;
	const idOf = (transaction: IDBTransaction) => {
		const old = known.get(transaction);
		if (old) return old;
		const id = `${page}-${++transactions}`;
		known.set(transaction, id);
		for (const kind of ['complete', 'abort']) {
			transaction.addEventListener(kind, () => send({ kind, transaction: id }));
		}
		return id;
	};
	const store = IDBObjectStore.prototype;
	for (const name of ['put', 'add'] as const) {
		const write = store[name];
		store[name] = function (this: IDBObjectStore, row: unknown, key?: IDBValidKey) {
			if (tables.includes(this.name)) {
				const at = (row as Record<string, unknown>)[String(this.keyPath)];
				const transaction = idOf(this.transaction);
				send({ kind: 'write', transaction, table: this.name, key: at, row: JSON.stringify(row) });
			}
			return key === undefined ? write.call(this, row) : write.call(this, row, key);
		};
	}
	const remove = store.delete;
	store.delete = function (this: IDBObjectStore, key: IDBValidKey | IDBKeyRange) {
		if (tables.includes(this.name)) {
			const transaction = idOf(this.transaction);
			send({ kind: 'write', transaction, table: this.name, key: String(key), row: null });
		}
		return remove.call(this, key);
	};

	let word = 0;
	const asked = new Set<string>();
	const look = () => {
		const growing = document.querySelector('article[aria-label="Answer"][aria-busy="true"]');
		const last = /w(\d+)\W*$/.exec(growing?.textContent?.trimEnd() ?? '')?.[1];
		const now = Number(last ?? 0);
		if (last && now !== word) send({ kind: 'shown', word: now, at: Date.now() });
		word = now;
		for (const article of document.querySelectorAll('article[aria-label="You"]')) {
			for (const [, number = ''] of (article.textContent ?? '').matchAll(/\bQ(\d+):/g)) {
				if (asked.has(number)) continue;
				asked.add(number);
				send({ kind: 'asked', number: Number(number) });
			}
		}
	};
	new MutationObserver(look).observe(document, {
		subtree: true,
		childList: true,
		characterData: true,
		attributes: true,
		attributeFilter: ['aria-busy']
	});
}
