/**
 * Characters that a terminal or the bidi algorithm would obey, and tag characters that hide text from a reader but not
 * from a model. Tab and line ends stay; so do the direction marks (U+200E, U+200F), which honest Hebrew and Arabic need.
 */
const hidden =
	// eslint-disable-next-line no-control-regex -- finding control characters is what it is for
	/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** The text with every such character written out, e.g. ⟦U+202E⟧, so that it is seen and not obeyed. */
export function visible(text: string): string {
	return text.replace(
		hidden,
		(character) =>
			`⟦U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟧`
	);
}
