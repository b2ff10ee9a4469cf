import { atomic } from './atomic';
import type { AttachmentRow, HiloDatabase } from './database';

/** Keeps a file's bytes under their SHA-256. The same bytes are kept once. */
export async function addAttachment(db: HiloDatabase, row: AttachmentRow): Promise<void> {
	await atomic(db, [db.attachments], async () => {
		if (!(await db.attachments.get(row.sha256))) await db.attachments.add(row);
	});
}

/** A file's bytes, or null when they are not here. */
export async function readAttachment(
	db: HiloDatabase,
	sha256: string
): Promise<AttachmentRow | null> {
	return (await db.attachments.get(sha256)) ?? null;
}
