import type { Bundle } from '$lib/storage/bundle';
import type { AttachmentRow } from '$lib/storage/database';
import { encodeHilo } from '$lib/transfer/hilo';

/** A bundle as the text of an export, and the names of what could not be written. */
export async function encodeBundle(
	{ sessions, messages, attachments }: Bundle,
	now: number
): Promise<{ readonly chunks: readonly string[]; readonly leftOut: readonly string[] }> {
	const write = async (canWrite: (row: unknown) => boolean) => {
		const leftOut: string[] = [];
		const written = <T extends { readonly id: string }>(rows: readonly T[], name: string) =>
			rows.filter((row) => {
				const isWritten = canWrite(row);
				if (!isWritten) leftOut.push(`${name} ${String(row.id)}`);
				return isWritten;
			});
		const chunks: string[] = [];
		for await (const chunk of encodeHilo({
			app: __HILO_VERSION__,
			exportedAt: now,
			sessions: written(sessions, 'The session'),
			messages: written(messages, 'The message'),
			attachments: inBase64(attachments, (name) => leftOut.push(name))
		})) {
			chunks.push(chunk);
		}
		return { chunks, leftOut };
	};
	try {
		return await write(() => true);
	} catch {
		// A database holds more than JSON can: numbers without end, rows that contain themselves. Looked for only when met.
		return write(isJson);
	}
}

function isJson(row: unknown): boolean {
	try {
		JSON.stringify(row);
		return true;
	} catch {
		return false;
	}
}

async function* inBase64(rows: readonly AttachmentRow[], leaveOut: (name: string) => void) {
	for (const { blob, ...row } of rows) {
		const bytes = await base64(blob).catch(() => null);
		if (bytes === null) leaveOut(`The file ${row.filename}`);
		else yield { ...row, base64: bytes };
	}
}

function base64(blob: Blob): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '');
		reader.onerror = () => reject(reader.error ?? new Error('A file could not be read.'));
		reader.readAsDataURL(blob);
	});
}
