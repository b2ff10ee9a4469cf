/** Anthropic's published formula: width × height / 750 after scaling to at most 1568 px on the long side. */
const PIXELS_PER_TOKEN = 750;
const LONG_SIDE_MAX = 1568;

/** Tokens of an image by its pixels, never by its bytes. */
export function imageTokens(width: number, height: number): number {
	const scale = Math.min(1, LONG_SIDE_MAX / Math.max(width, height, 1));
	return Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN);
}
