import type { SessionId } from '$lib/history/message';
import type { Notice } from './view';
import type { ImportCount, ImportSkip } from '$lib/transfer/result';

/** What became of the files that were given. */
export interface ImportOutcome {
	/** Counts in and out. Empty when everything was refused. */
	readonly counts: readonly ImportCount[];
	readonly skipped: readonly ImportSkip[];
	/** What was kept but is not where one might look for it. */
	readonly notes: readonly string[];
	/** Files of which nothing was taken, and why. */
	readonly refusals: readonly Notice[];
	/** The sessions that are here now because of it. */
	readonly sessions: readonly { readonly id: SessionId; readonly title: string }[];
}

/** One host that was contacted. */
export interface HostLine {
	readonly host: string;
	readonly purpose: string;
	readonly requests: number;
	/** Epoch milliseconds. */
	readonly lastAt: number;
}

/** A deleted session. */
export interface DiscardedLine {
	readonly id: SessionId;
	readonly title: string;
	/** Epoch milliseconds. */
	readonly at: number;
}

/** Data and privacy as components see it. Verbs resolve with the sentence to show in place, or null. */
export interface DataView {
	/** Bytes; null where the browser does not say. */
	readonly used: number | null;
	readonly quota: number | null;
	/** Whether the browser promised not to evict the data; null where it cannot promise. */
	readonly persisted: boolean | null;
	/** Sessions stored, or null while they are counted. */
	readonly sessions: number | null;
	/** Epoch milliseconds, or null when there was none. */
	readonly lastBackup: number | null;
	/** Hosts contacted since the app was opened; absent where no log is kept. */
	readonly hosts?: readonly HostLine[];

	/** Deleted sessions that can still be brought back, newest first. */
	readonly discarded: readonly DiscardedLine[];
	restore(id: SessionId): Promise<void>;
	deleteForGood(id: SessionId): Promise<void>;

	persist(): Promise<Notice | null>;
	exportAll(): Promise<Notice | null>;
	importFiles(files: readonly File[]): Promise<ImportOutcome>;
	eraseEverything(): Promise<Notice | null>;
}
