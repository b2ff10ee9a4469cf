import { NotAnApiError } from './evidence';

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

/**
 * A fetch that refuses an OK answer which is no event stream. The SDK would read a web page or a lone JSON object as
 * an empty stream and report that the answer broke off, which sends people looking for the wrong fault. LM Studio, for
 * one, answers an unknown path with 200 and `{"error": …}`.
 * @throws NotAnApiError with the beginning of the body
 */
export function streamFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
	return async (input, init) => {
		const response = await fetch(input, init);
		const type = response.headers.get('content-type') ?? '';
		if (response.ok && /\bhtml\b|\bjson\b/i.test(type))
			throw new NotAnApiError(response.status, (await response.text()).slice(0, bodyKept));
		return response;
	};
}

/** Characters of a foreign body worth keeping: enough for a title or an error sentence. */
const bodyKept = 4000;
