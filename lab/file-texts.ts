import { isTextFile, readable, type FileTexts } from '../src/lib/context/files';
import type { Workbench } from './workbench';

/** Reads the texts of attachments from the working file. */
export function fileTexts({ attachments }: Pick<Workbench, 'attachments'>): FileTexts {
	return async (file) => {
		const row = attachments.find(({ sha256 }) => sha256 === file.sha256);
		if (!row || !isTextFile(file)) return null;
		return readable(Buffer.from(row.base64, 'base64').toString('utf8'));
	};
}
