import type { AttachmentRow } from '$lib/storage/database';
import { readRaw } from '$lib/storage/raw';
import type { Message } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import { download } from './download';
import type { Notice } from './view';

/**
 * Writes what can still be read of a database that the app cannot open, as a Hilo JSON file. It reads past the app's own
 * schema, changes nothing, and says what it could not read.
 */
export async function rescueExport(): Promise<Notice> {
	try {
		const raw = await readRaw('hilo', ['sessions', 'messages', 'attachments']);
		const { encodeBundle } = await import('./bundle');
		const { chunks, leftOut } = await encodeBundle(
			{
				// The codec checks each row and leaves out what is none.
				sessions: (raw.rows['sessions'] ?? []) as Session[],
				messages: (raw.rows['messages'] ?? []) as Message[],
				attachments: (raw.rows['attachments'] ?? []) as AttachmentRow[]
			},
			Date.now()
		);
		download(new Blob([...chunks], { type: 'application/json' }), 'hilo-rescued.json');
		const missing = [...raw.unreadable, ...leftOut];
		return {
			tone: missing.length === 0 ? 'info' : 'warning',
			title: `What could be read was written to a file: sessions ${(raw.rows['sessions'] ?? []).length}, messages ${(raw.rows['messages'] ?? []).length}.`,
			safe: 'Nothing was changed. The file can be imported into any Hilo.',
			...(missing.length === 0 ? {} : { detail: `Not readable:\n${missing.join('\n')}` })
		};
	} catch (error) {
		return {
			tone: 'error',
			title: 'The database could not be read either.',
			safe: 'Nothing was changed or removed.',
			detail: error instanceof Error ? error.message : String(error)
		};
	}
}
