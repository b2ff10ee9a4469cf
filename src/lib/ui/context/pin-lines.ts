import { shortId, textOf, type Message } from '$lib/history/message';
import type { Pin } from '$lib/history/session';

/** One pin as a list shows it. */
export interface PinLine {
	readonly key: string;
	readonly pin: Pin;
	/** Null where its message is not loaded. */
	readonly text: string | null;
	/** Where it is, for a pinned message. */
	readonly shortId: string | null;
}

/** The pins of a session, with their texts as far as the loaded messages and the checkpoints among them have them. */
export function pinLines(pins: readonly Pin[], messages: readonly Message[]): readonly PinLine[] {
	return pins.map((pin): PinLine => {
		if (pin.kind === 'reference') {
			return { key: `reference:${pin.text}`, pin, text: pin.text, shortId: null };
		}
		const { messageId } = pin;
		const message = messages.find(({ id }) => id === messageId);
		const carried = messages
			.flatMap((each) => (each.role === 'checkpoint' ? (each.checkpoint.pinned ?? []) : []))
			.find((pinned) => pinned.messageId === messageId);
		const text = (message && textOf(message)) || (carried?.text ?? null);
		return { key: messageId, pin, text, shortId: shortId(messageId) };
	});
}
