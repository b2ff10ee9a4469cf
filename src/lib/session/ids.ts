import { v7 } from 'uuid';
import type { MessageId, SessionId, TreeId } from '$lib/history/message';

/** New ids: UUIDv7, so that rows written in order are stored in order. */
export const newId = {
	// The brand is given where an id is born.
	message: () => v7() as MessageId,
	session: () => v7() as SessionId,
	tree: () => v7() as TreeId,
	run: () => v7()
};
