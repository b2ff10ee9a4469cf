/** A command written in the composer, or null when the text is a message. */
export type Command = { readonly name: 'compact'; readonly focus?: string };

/** `/compact` alone or with what to keep. Anything else beginning with a slash is a message: a path, for instance. */
export function commandOf(text: string): Command | null {
	const found = /^\/compact(?:\s+([^]*))?$/.exec(text.trim());
	if (!found) return null;
	const focus = found[1]?.trim();
	return focus ? { name: 'compact', focus } : { name: 'compact' };
}
