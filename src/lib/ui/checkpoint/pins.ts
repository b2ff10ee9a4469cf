import type { Checkpoint } from '$lib/history/message';
import type { Pin } from '$lib/history/session';
import type { ConversationView } from '$lib/session/view';

/** What the inspector needs to pin with. */
export type Pins = Pick<ConversationView, 'togglePin' | 'isPinned' | 'readOnly'>;

/** Pins of the session that a checkpoint does not carry: made after it, or of a message that is still sent in its place. */
export function notCarried(pins: readonly Pin[], { pinned = [] }: Checkpoint): readonly Pin[] {
	return pins.filter((pin) =>
		pin.kind === 'message'
			? !pinned.some(({ messageId }) => messageId === pin.messageId)
			: !pinned.some(({ messageId, text }) => messageId === null && text === pin.text)
	);
}
