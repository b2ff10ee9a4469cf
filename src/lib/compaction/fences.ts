/** The lines of a text outside fenced code, wherever a list has indented the fence. */
export function unfencedLines(text: string): string[] {
	const lines = text.split('\n');
	if (!text.includes('```') && !text.includes('~~~')) return lines;
	let isCode = false;
	return lines.filter((line) => {
		const start = line.trimStart();
		const isFence = start.startsWith('```') || start.startsWith('~~~');
		if (isFence) isCode = !isCode;
		return !isFence && !isCode;
	});
}
