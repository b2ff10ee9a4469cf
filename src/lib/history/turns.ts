import type { ConversationMessage, Message, MessageId } from './message';

/** A user message and everything after it up to the next user message. */
export interface Turn {
	/** The user message, or the first message where a history starts without one. */
	readonly startId: MessageId;
	readonly messages: readonly ConversationMessage[];
	/** Whether it begins with a user message, so that a boundary may stand at its start. */
	readonly startsWithUser: boolean;
}

/** The turns of a branch, oldest first. Checkpoints belong to no turn and are left out. Rule H7. */
export function turnsOf(branch: readonly Message[]): Turn[] {
	const turns: { startId: MessageId; messages: ConversationMessage[]; startsWithUser: boolean }[] =
		[];
	for (const message of branch) {
		if (message.role === 'checkpoint') continue;
		const current = turns.at(-1);
		if (message.role === 'user' || !current) {
			turns.push({
				startId: message.id,
				messages: [message],
				startsWithUser: message.role === 'user'
			});
		} else current.messages.push(message);
	}
	return turns;
}

/** Whether a turn has an answer: at least one assistant message, however it ended. */
export function isAnswered(turn: Turn): boolean {
	return turn.messages.some((message) => message.role === 'assistant');
}
