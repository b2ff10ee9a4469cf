import { shortId, textOf, type Message, type PinnedText } from '$lib/history/message';
import type { Pin } from '$lib/history/session';
import { formatCount } from '../kit/format';

/** One pin as a list shows it. */
export interface PinLine {
	readonly key: string;
	readonly pin: Pin;
	/** Null where its message is not read. */
	readonly text: string | null;
	/** Where it is, for a pinned message. */
	readonly shortId: string | null;
}

export interface PinLines {
	/** Carried on this branch. */
	readonly here: readonly PinLine[];
	/** Of messages this branch does not have. */
	readonly elsewhere: readonly PinLine[];
}

/**
 * The pins of a session by whether the active branch carries them, with their texts as far as they are known here.
 * @param texts what is pinned on this branch; null while that is not known, and then nothing is said to be elsewhere
 */
export function pinLines(
	pins: readonly Pin[],
	messages: readonly Message[],
	texts: readonly PinnedText[] | null
): PinLines {
	const lines = pins.map((pin): PinLine & { readonly isHere: boolean } => {
		if (pin.kind === 'reference') {
			const { text } = pin;
			return { key: `reference:${text}`, pin, text, shortId: null, isHere: true };
		}
		const { messageId } = pin;
		const message = messages.find(({ id }) => id === messageId);
		const carried = [
			...(texts ?? []),
			...messages.flatMap((each) =>
				each.role === 'checkpoint' ? (each.checkpoint.pinned ?? []) : []
			)
		].find((pinned) => pinned.messageId === messageId);
		return {
			key: messageId,
			pin,
			text: (message && textOf(message)) || (carried?.text ?? null),
			shortId: shortId(messageId),
			isHere: texts === null || message !== undefined || carried !== undefined
		};
	});
	return {
		here: lines.filter(({ isHere }) => isHere),
		elsewhere: lines.filter(({ isHere }) => !isHere)
	};
}

/** Above this share of the safe limit pins are in the way of the summary. */
const LARGE = 0.25;

/** What is said of pins that take much of the room, or null. Tokens. */
export function pinWeight(tokens: number, safeLimit: number): string | null {
	if (tokens <= LARGE * safeLimit) return null;
	return `Pinned texts take ${formatCount(tokens)} of ${formatCount(safeLimit)} tokens; less is left for the summary.`;
}
