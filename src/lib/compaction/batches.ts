import { isTextFile, withFileTexts, type FileTexts } from '../context/files';
import type { ConversationMessage } from '../history/message';

/** Gives the next messages, oldest first, or null at the end. */
export type PullMessages = () => Promise<readonly ConversationMessage[] | null>;

/** Characters a batch may hold before it is closed. A message is never divided. */
const BATCH_CHARACTERS = 200_000;

/**
 * Gives messages in batches, so that no more than one is copied to a worker at a time. Rule C49.
 * @param files reads the texts of their files, which are then beside them: only when their batch is pulled
 */
export function inBatches(
	messages: readonly ConversationMessage[],
	files?: FileTexts
): PullMessages {
	let at = 0;
	return async () => {
		if (at >= messages.length) return null;
		const from = at;
		for (let characters = 0; at < messages.length && characters < BATCH_CHARACTERS; at++) {
			const message = messages[at];
			if (message) characters += roughLength(message);
		}
		const batch = messages.slice(from, at);
		return files ? withFileTexts(batch, files) : batch;
	};
}

function roughLength(message: ConversationMessage): number {
	return message.parts.reduce((sum, part) => {
		if (part.type === 'text') return sum + part.text.length;
		// Bytes: no text has more characters.
		if (part.type === 'file') return isTextFile(part) ? sum + part.size : sum;
		if (part.type !== 'dynamic-tool') return sum;
		return sum + (typeof part.output === 'string' ? part.output.length : 2000);
	}, 0);
}
