import type { Message } from '../history/message';
import type { Session } from '../history/session';

/** A file's bytes as they stand in an export. */
export interface AttachmentRow {
	/** Lower-case hexadecimal SHA-256 of the bytes: the name under which file parts refer to them. */
	readonly sha256: string;
	readonly mediaType: string;
	readonly filename?: string;
	readonly base64: string;
}

/** Why a file was refused: what is wrong, what is safe, what to do, and the raw words for a report. */
export interface ImportProblem {
	readonly title: string;
	readonly safe: string;
	readonly advice: string;
	readonly detail?: string;
}

/** One line of "counts in = counts out". `in` was found in the file, `out` is in the result. */
export interface ImportCount {
	readonly label: string;
	readonly in: number;
	readonly out: number;
}

/** One thing that was left out, and why. */
export interface ImportSkip {
	readonly what: string;
	readonly why: string;
}

export interface ImportReport {
	readonly format: 'hilo' | 'pi';
	readonly counts: readonly ImportCount[];
	readonly skipped: readonly ImportSkip[];
	/** What was kept but is not where one might look for it. */
	readonly notes: readonly string[];
}

/** What a file holds, checked and ready to be stored, or why nothing of it is. */
export type ImportResult =
	| {
			readonly ok: true;
			readonly format: 'hilo' | 'pi';
			readonly sessions: readonly Session[];
			readonly messages: readonly Message[];
			readonly attachments: readonly AttachmentRow[];
			readonly report: ImportReport;
	  }
	| { readonly ok: false; readonly problem: ImportProblem };

const SAFE = 'Nothing was imported; what you already have is unchanged.';

/** A refusal. `safe` is always the same: a refused file changes nothing. */
export function refuse(
	title: string,
	advice: string,
	detail?: string
): ImportResult & { ok: false } {
	return {
		ok: false,
		problem: { title, safe: SAFE, advice, ...(detail === undefined ? {} : { detail }) }
	};
}
