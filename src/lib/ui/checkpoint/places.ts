import { getContext, setContext } from 'svelte';
import { shortId, type Message, type MessageId } from '$lib/history/message';
import { counted } from './facts';

/** A loaded message as a citation names it. */
export interface Place {
	readonly id: MessageId;
	/** "your message, 14 turns ago" */
	readonly words: string;
}
/** By short id. What is not loaded is not in it. */
export type Places = ReadonlyMap<string, Place>;

/** Where the loaded messages stand, counted in turns from the end of the branch. */
export function placesOf(messages: readonly Message[]): Places {
	const places = new Map<string, Place>();
	let turns = 0;
	for (const { id, role } of messages.toReversed()) {
		if (role === 'checkpoint') continue;
		const name = role === 'user' ? 'your message' : 'answer';
		const words = turns === 0 ? `${name}, last turn` : `${name}, ${counted(turns, 'turn')} ago`;
		places.set(shortId(id), { id, words });
		if (role === 'user') turns += 1;
	}
	return places;
}

const key = Symbol('places');
export const providePlaces = (places: () => Places): void => {
	setContext(key, places);
};
/** Without a conversation around it no message is named. */
export const usePlaces = (): (() => Places) =>
	(getContext(key) as (() => Places) | undefined) ?? (() => new Map());
