import { isTextFile, readable, type FileTexts } from '$lib/context/files';
import { readAttachment } from '$lib/storage/attachments';
import type { HiloDatabase } from '$lib/storage/database';

/** Reads the texts of attachments from the database. */
export function fileTexts(db: HiloDatabase): FileTexts {
	return async (file) => {
		if (!isTextFile(file)) return null;
		const row = await readAttachment(db, file.sha256);
		return row ? readable(await row.blob.text()) : null;
	};
}
