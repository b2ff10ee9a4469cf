import { rememberData } from './aside';
import { download } from './download';
import type { Message, SessionId, TreeId } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import { readSession } from '$lib/history/session-shape';
import { addAttachment } from '$lib/storage/attachments';
import type { HiloDatabase } from '$lib/storage/database';
import { addImported } from '$lib/storage/everything';
import type { ImportCount, ImportSkip } from '$lib/transfer/result';
import type { Compute } from '$lib/worker/client';
import { storageNotice } from './notices';
import type { Settings } from './settings.svelte';
import type { Notice } from './view';

/** What became of an import file. */
export type ImportOutcome =
	| { readonly kind: 'refused'; readonly notice: Notice }
	| {
			readonly kind: 'imported';
			readonly filename: string;
			/** Sessions now here that were not before. */
			readonly added: readonly { readonly id: SessionId; readonly title: string }[];
			/** Sessions that were already here, the same: importing twice changes nothing. */
			readonly same: number;
			readonly counts: readonly ImportCount[];
			readonly skipped: readonly ImportSkip[];
			readonly notes: readonly string[];
	  };

/** Sessions in and out as files. */
export class Transfer {
	constructor(
		private readonly db: HiloDatabase,
		private readonly worker: Compute,
		private readonly settings: Settings
	) {}

	/**
	 * Writes sessions, or all of them, as a Hilo JSON file and hands it to the browser's downloads. What cannot be written is
	 * left out and named; it never keeps the rest from being written.
	 */
	async export(ids: readonly SessionId[] | null): Promise<Notice | null> {
		try {
			const all = await this.db.sessions.toArray();
			// What was deleted is in no backup.
			const kept = all.filter(({ discardedAt }) => typeof discardedAt !== 'number');
			const sessions = ids ? kept.filter((session) => ids.includes(session.id)) : kept;
			// Loaded with the first export.
			const [{ readBundle }, { encodeBundle }] = await Promise.all([
				import('$lib/storage/bundle'),
				import('./bundle')
			]);
			const bundle = await readBundle(this.db, sessions);
			const now = Date.now();
			const { chunks, leftOut } = await encodeBundle(bundle, now);
			download(new Blob([...chunks], { type: 'application/json' }), filenameOf(sessions, ids, now));
			// The file is written; that its time cannot be remembered is no failure of the backup.
			if (!ids) await this.settings.change({ lastBackup: now }).catch(() => undefined);
			return leftOut.length === 0 ? null : leftOutNotice(leftOut);
		} catch (error) {
			return storageNotice(error);
		}
	}

	/** Reads a file in the worker, checks it, and adds each of its sessions in one transaction of its own. */
	async import(file: File): Promise<ImportOutcome> {
		try {
			const result = await this.worker.readImport(file, { model: this.settings.values.model });
			if (!result.ok) {
				return { kind: 'refused', notice: { tone: 'error', ...result.problem } };
			}
			const { sameRow } = await import('$lib/transfer/compare');
			for (const { sha256, mediaType, filename, base64 } of result.attachments) {
				const blob = new Blob([bytesOf(base64)], { type: mediaType });
				await addAttachment(this.db, { sha256, mediaType, filename: filename ?? sha256, blob });
			}
			const added: Session[] = [];
			const skipped: ImportSkip[] = [...result.report.skipped];
			let same = 0;
			const trees = new Map<TreeId, Message[]>();
			for (const message of result.messages) {
				const tree = trees.get(message.treeId);
				if (tree) tree.push(message);
				else trees.set(message.treeId, [message]);
			}
			for (const session of result.sessions) {
				const messages = trees.get(session.treeId) ?? [];
				const outcome = await addImported(this.db, session, messages, sameRow);
				if (outcome.kind === 'added') {
					added.push(session);
					rememberData(true);
				} else if (outcome.kind === 'conflict') {
					skipped.push({ what: session.title || 'A session', why: outcome.what });
				} else same++;
			}
			return {
				kind: 'imported',
				filename: file.name,
				added: added.map(({ id, title }) => ({ id, title })),
				same,
				counts: result.report.counts,
				skipped,
				notes: result.report.notes
			};
		} catch (error) {
			return { kind: 'refused', notice: storageNotice(error) };
		}
	}
}

/** Not `fetch` of a data URL: the page's content security policy refuses that. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
	return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function leftOutNotice(names: readonly string[]): Notice {
	return {
		tone: 'warning',
		title:
			names.length === 1
				? 'Exported, but for one thing that cannot be written.'
				: `Exported, but for ${names.length} things that cannot be written.`,
		safe: 'They stay in this browser as they are.',
		detail: names.join('\n'),
		actions: ['dismiss']
	};
}

function filenameOf(
	sessions: readonly Session[],
	ids: readonly SessionId[] | null,
	now: number
): string {
	const day = new Date(now).toISOString().slice(0, 10);
	const [only] = sessions;
	const title = ids && sessions.length === 1 && only ? readSession(only).session.title : undefined;
	const slug = (title ?? 'all sessions')
		.normalize('NFKD')
		.replace(/[^\p{L}\p{N}]+/gu, '-')
		.replace(/^-+|-+$/g, '')
		.slice(0, 60)
		.toLowerCase();
	return `hilo-${slug || 'session'}-${day}.json`;
}
