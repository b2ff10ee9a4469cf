import type { ConversationMessage } from '../history/message';

/** Gives the next messages, oldest first, or null at the end. */
export type PullMessages = () => Promise<readonly ConversationMessage[] | null>;

/** Characters a batch may hold before it is closed. A message is never divided. */
const BATCH_CHARACTERS = 200_000;

/** Gives messages in batches, so that no more than one is copied to a worker at a time. */
export function inBatches(messages: readonly ConversationMessage[]): PullMessages {
	let at = 0;
	return async () => {
		if (at >= messages.length) return null;
		const from = at;
		for (let characters = 0; at < messages.length && characters < BATCH_CHARACTERS; at++) {
			const message = messages[at];
			if (message) characters += roughLength(message);
		}
		return messages.slice(from, at);
	};
}

function roughLength(message: ConversationMessage): number {
	return message.parts.reduce((sum, part) => {
		if (part.type === 'text') return sum + part.text.length;
		if (part.type !== 'dynamic-tool') return sum;
		return sum + (typeof part.output === 'string' ? part.output.length : 2000);
	}, 0);
}
