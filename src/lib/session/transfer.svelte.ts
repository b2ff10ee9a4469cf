import type { Message, SessionId, TreeId } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import { addAttachment } from '$lib/storage/attachments';
import type { AttachmentRow, HiloDatabase } from '$lib/storage/database';
import { addImported, readBundle } from '$lib/storage/everything';
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

	/** Writes sessions, or all of them, as a Hilo JSON file and hands it to the browser's downloads. */
	async export(ids: readonly SessionId[] | null): Promise<Notice | null> {
		try {
			const all = await this.db.sessions.toArray();
			const sessions = ids ? all.filter((session) => ids.includes(session.id)) : all;
			const { messages, attachments } = await readBundle(this.db, sessions);
			const { encodeHilo } = await import('$lib/transfer/hilo');
			const now = Date.now();
			const chunks: string[] = [];
			for await (const chunk of encodeHilo({
				app: __HILO_VERSION__,
				exportedAt: now,
				sessions,
				messages,
				attachments: inBase64(attachments)
			})) {
				chunks.push(chunk);
			}
			download(new Blob(chunks, { type: 'application/json' }), filenameOf(sessions, ids, now));
			if (!ids) await this.settings.change({ lastBackup: now });
			return null;
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
				if (outcome.kind === 'added') added.push(session);
				else if (outcome.kind === 'conflict') {
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

async function* inBase64(rows: readonly AttachmentRow[]) {
	for (const { blob, ...row } of rows) yield { ...row, base64: await base64(blob) };
}

function base64(blob: Blob): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
		reader.onerror = () => reject(reader.error ?? new Error('A file could not be read.'));
		reader.readAsDataURL(blob);
	});
}

function filenameOf(
	sessions: readonly Session[],
	ids: readonly SessionId[] | null,
	now: number
): string {
	const day = new Date(now).toISOString().slice(0, 10);
	const title = ids && sessions.length === 1 ? sessions[0]?.title : undefined;
	const slug = (title ?? 'all sessions')
		.normalize('NFKD')
		.replace(/[^\p{L}\p{N}]+/gu, '-')
		.replace(/^-+|-+$/g, '')
		.slice(0, 60)
		.toLowerCase();
	return `hilo-${slug || 'session'}-${day}.json`;
}

function download(blob: Blob, filename: string): void {
	const url = URL.createObjectURL(blob);
	const link = document.createElement('a');
	link.href = url;
	link.download = filename;
	link.click();
	// The browser has taken the file over once the click is handled.
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
