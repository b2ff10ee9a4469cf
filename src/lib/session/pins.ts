import type { CheckpointMessage, MessageId, PinnedText } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import { pinnedText } from '$lib/context/recall';
import { readAncestors } from '$lib/storage/branch';
import type { HiloDatabase } from '$lib/storage/database';

/** The branch whose pins are wanted. */
interface PinnedBranch {
	readonly leafId: MessageId | null;
	/** Its newest checkpoint: what that carries need not be read again. */
	readonly previous: CheckpointMessage | null;
}

/**
 * The pinned texts of a session's branch: those its checkpoint carries first, then the others, oldest first, then
 * references. A pinned message of another branch stays pinned there and is not carried here. Rule C120.
 * @throws when the branch is damaged: what is pinned on it cannot be known then
 */
export async function pinnedTexts(
	db: HiloDatabase,
	session: Pick<Session, 'pins'>,
	{ leafId, previous }: PinnedBranch
): Promise<readonly PinnedText[]> {
	const pins = session.pins ?? [];
	const ids = new Set(pins.flatMap((pin) => (pin.kind === 'message' ? [pin.messageId] : [])));
	const carried = (previous?.checkpoint.pinned ?? []).filter(
		({ messageId }) => messageId !== null && ids.delete(messageId)
	);
	const messages = leafId === null ? [] : await readAncestors(db, leafId, [...ids]);
	return [
		...carried,
		...messages.flatMap((message): PinnedText[] => {
			if (message.role === 'checkpoint') return [];
			const text = pinnedText(message);
			return text.trim() === '' ? [] : [{ messageId: message.id, text }];
		}),
		...pins.flatMap((pin): PinnedText[] =>
			pin.kind === 'reference' ? [{ messageId: null, text: pin.text }] : []
		)
	];
}
