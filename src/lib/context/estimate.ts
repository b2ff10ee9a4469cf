/** Estimated tokens of a text. Placeholder curve replaced below in this file's next revision. */
export function estimateText(text: string): number {
	return Math.ceil(text.length / 4);
}
