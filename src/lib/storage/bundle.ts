import type { Message, MessageId, TreeId } from '../history/message';
import type { Session } from '../history/session';
import { readSession } from '../history/session-shape';
import { isFile } from '../history/shape';
import type { AttachmentRow, HiloDatabase } from './database';
import { readTreeRows } from './examine';

/** Sessions with all messages of their trees and the files those carry: what an export holds. */
export interface Bundle {
	readonly sessions: readonly Session[];
	readonly messages: readonly Message[];
	readonly attachments: readonly AttachmentRow[];
}

/**
 * Reads what belongs to `sessions`: whole trees, so that no branch is left behind, and of damaged ones every row that can be
 * found, as it is stored. Never fails for what a row holds. Rule H56.
 */
export async function readBundle(db: HiloDatabase, sessions: readonly Session[]): Promise<Bundle> {
	const messages = new Map<MessageId, Message>();
	const trees = new Set<TreeId>();
	for (const session of sessions) {
		// Forked sessions share a tree; only what is damaged needs to be looked for by each.
		const isRead = trees.has(session.treeId) && session.leafId && messages.has(session.leafId);
		if (isRead) continue;
		trees.add(session.treeId);
		for (const row of await readTreeRows(db, session)) messages.set(row.id, row);
	}
	const files = new Set<string>();
	const collect = (parts: unknown) => {
		if (!Array.isArray(parts)) return;
		for (const part of parts) if (isFile(part)) files.add(part.sha256);
	};
	for (const { parts } of messages.values()) collect(parts);
	for (const session of sessions) collect(readSession(session).session.draft.files);
	const attachments = await db.attachments.bulkGet([...files]);
	return {
		sessions,
		messages: [...messages.values()],
		attachments: attachments.filter((row) => row !== undefined)
	};
}
