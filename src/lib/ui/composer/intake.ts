/** Longer pasted text becomes an attachment: a textarea with megabytes in it stops answering. Characters. */
export const pasteLimit = 20_000;

/** What a paste or a drop brings, apart from text the textarea takes by itself. */
export type Intake =
	| { readonly kind: 'files'; readonly files: readonly File[] }
	| { readonly kind: 'text'; readonly filename: string; readonly text: string }
	| { readonly kind: 'none' };

/**
 * What to do with a paste or a drop.
 * @param now epoch milliseconds, for the name of a text
 */
export function intakeOf(transfer: DataTransfer | null, now: number): Intake {
	if (!transfer) return { kind: 'none' };
	const files = [...transfer.files];
	const text = transfer.getData('text/plain');
	// Word processors put a picture of the text beside the text; the text is what was meant.
	if (files.length > 0 && text === '') return { kind: 'files', files };
	if (text.length <= pasteLimit) return { kind: 'none' };
	const stamp = new Date(now).toISOString().slice(0, 16).replace('T', ' ').replace(':', '.');
	return { kind: 'text', filename: `Pasted ${stamp}.txt`, text };
}
