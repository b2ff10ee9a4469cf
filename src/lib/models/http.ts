/**
 * A fetch without the headers the AI SDK adds about itself. Safari and Firefox send a script's `User-Agent`, which is
 * no safe header: the preflight then fails on every server that does not list it (vercel/ai#9256).
 */
export function quietFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
	return (input, init) => {
		const headers = new Headers(
			init?.headers ?? (input instanceof Request ? input.headers : undefined)
		);
		for (const name of [...headers.keys()])
			if (name === 'user-agent' || name.startsWith('x-stainless-')) headers.delete(name);
		return fetch(input, { ...init, headers });
	};
}
