import type { MessageId, PinnedText } from '$lib/history/message';
import { textOf } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import { plainText } from '$lib/context/recall';
import { readAncestors } from '$lib/storage/branch';
import type { HiloDatabase } from '$lib/storage/database';

/**
 * The pinned texts of a session's branch, oldest first, references after messages. A pinned message of another branch
 * stays pinned there and is not carried here.
 */
export async function pinnedTexts(
	db: HiloDatabase,
	session: Pick<Session, 'pins'>,
	leafId: MessageId | null
): Promise<readonly PinnedText[]> {
	const pins = session.pins ?? [];
	const ids = pins.flatMap((pin) => (pin.kind === 'message' ? [pin.messageId] : []));
	const messages = leafId === null ? [] : await readAncestors(db, leafId, ids);
	return [
		...messages.flatMap((message): PinnedText[] => {
			if (message.role === 'checkpoint') return [];
			// What was said, word for word; of an answer that only called tools, those.
			const text = textOf(message) || plainText(message);
			return text.trim() === '' ? [] : [{ messageId: message.id, text }];
		}),
		...pins.flatMap((pin): PinnedText[] =>
			pin.kind === 'reference' ? [{ messageId: null, text: pin.text }] : []
		)
	];
}
