import type { Message } from '../history/message';
import type { Session } from '../history/session';
import type { AttachmentRow } from './result';
import { HILO_VERSION } from './schema';

/** Rows come as they are read from storage, so that an export needs no more memory than its parts. */
export type Rows<T> = Iterable<T> | AsyncIterable<T>;

export interface HiloExport {
	/** The program and its version, for people who read the file. */
	readonly app: string;
	/** Epoch milliseconds. */
	readonly exportedAt: number;
	readonly sessions: Rows<Session>;
	/** All messages of the sessions' trees, side branches too. */
	readonly messages: Rows<Message>;
	readonly attachments: Rows<AttachmentRow>;
}

/** UTF-16 code units of a chunk at which it is handed on: large enough that a Blob has few parts. */
const CHUNK = 256 * 1024;

/**
 * Writes Hilo JSON (see README.md) as chunks of text, to be given to a Blob or a stream as they come: a large export
 * never stands in memory as one string. One row is one line, so that two exports can be compared line by line.
 *
 * Rows are plain JSON values; a field of `undefined` is left out. Throws where a row is none (a cycle, a BigInt): that
 * is a defect of whoever stored it.
 */
export async function* encodeHilo(input: HiloExport): AsyncGenerator<string, void> {
	const head = {
		format: 'hilo',
		version: HILO_VERSION,
		app: input.app,
		exportedAt: input.exportedAt
	};
	let chunk = JSON.stringify(head).slice(0, -1);
	for (const name of ['sessions', 'messages', 'attachments'] as const) {
		chunk += `,\n"${name}":[`;
		let separator = '\n';
		for await (const row of input[name] as Rows<Session | Message | AttachmentRow>) {
			chunk += separator + JSON.stringify(row);
			separator = ',\n';
			if (chunk.length < CHUNK) continue;
			yield chunk;
			chunk = '';
		}
		chunk += '\n]';
	}
	yield `${chunk}}\n`;
}

export { decodeHilo } from './hilo-decode';
