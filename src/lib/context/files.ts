import type { ConversationMessage, FilePart } from '../history/message';

/** A file with its text beside it, where that was read: in copies to quote, search or show, never in what is stored. */
export interface ReadableFile extends FilePart {
	readonly text?: string;
}

/** Reads the text of a file; null where it has none, or is gone. */
export type FileTexts = (file: FilePart) => Promise<string | null>;

/** Whether a file is sent as text: all are but images. */
export function isTextFile({ mediaType }: FilePart): boolean {
	return !mediaType.startsWith('image/');
}

/** The text of a file's bytes, or null where they are no text. */
export function readable(text: string): string | null {
	return text.includes('\0') ? null : text;
}

/** The text of a file, where it was read; else nothing. */
export function textOfFile({ text = '' }: ReadableFile): string {
	return text;
}

/**
 * Messages with the texts of their files beside them, read one after the other. Those without such files are the same
 * objects.
 */
export async function withFileTexts<M extends ConversationMessage>(
	messages: readonly M[],
	read: FileTexts
): Promise<readonly M[]> {
	const all: M[] = [];
	for (const message of messages) all.push(await withFileText(message, read));
	return all;
}

async function withFileText<M extends ConversationMessage>(
	message: M,
	read: FileTexts
): Promise<M> {
	if (!message.parts.some((part) => part.type === 'file' && isTextFile(part))) return message;
	const parts = [];
	for (const part of message.parts) {
		if (part.type !== 'file' || !isTextFile(part)) parts.push(part);
		else parts.push({ ...part, text: (await read(part)) ?? '' } satisfies ReadableFile);
	}
	return { ...message, parts };
}
