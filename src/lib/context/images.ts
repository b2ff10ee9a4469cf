/** Anthropic's published formula: width × height / 750 after scaling to at most 1568 px on the long side. */
const PIXELS_PER_TOKEN = 750;
const LONG_SIDE_MAX = 1568;

/** Tokens of an image by its pixels, never by its bytes; unknown pixels cost as much as the largest image. Rule C13. */
export function imageTokens(width: number, height: number): number {
	if (!(width > 0 && height > 0)) return imageTokens(LONG_SIDE_MAX, LONG_SIDE_MAX);
	const scale = Math.min(1, LONG_SIDE_MAX / Math.max(width, height));
	return Math.ceil((width * scale * height * scale) / PIXELS_PER_TOKEN);
}
