/** The tags a prompt is built with. Nothing quoted in it may look like one. */
const tags = /<(\/?)(?=(?:transcript|previous-summary|focus|repair|limits)\b)/gi;
const headers = /^\[m:/gm;

/**
 * A text as data of a prompt: a line that begins like a transcript header, or a tag of the prompt's own, is set apart by
 * one space, so that it cannot be one. Rules C46, C52.
 */
export function quoted(text: string): string {
	return text.replace(headers, '[ m:').replace(tags, '< $1');
}
