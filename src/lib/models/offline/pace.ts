/** A text in pieces of up to three words, each with the space before it, so that joined they are the text. */
export function pieces(text: string): string[] {
	const words = text.match(/\s*\S+/g) ?? [];
	const tail = text.slice(words.join('').length);
	const out: string[] = [];
	for (let at = 0; at < words.length; at += 3) out.push(words.slice(at, at + 3).join(''));
	if (tail !== '') out.push(tail);
	return out;
}

/**
 * Lets pieces go one by one, `paceMs` apart. What is due goes out at once: a page in the background has its timers held
 * to one a second, and an answer must not take minutes there.
 * @throws the signal's reason, as soon as it is aborted
 */
export async function* pace(
	texts: readonly string[],
	paceMs: number,
	signal?: AbortSignal
): AsyncGenerator<string> {
	const start = performance.now();
	for (const [index, text] of texts.entries()) {
		signal?.throwIfAborted();
		const due = start + index * paceMs;
		const wait = due - performance.now();
		if (paceMs > 0 && wait > 0) await pause(wait, signal);
		yield text;
	}
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const stop = () => {
			clearTimeout(timer);
			reject(signal?.reason);
		};
		const timer = setTimeout(() => {
			signal?.removeEventListener('abort', stop);
			resolve();
		}, ms);
		signal?.addEventListener('abort', stop, { once: true });
	});
}
