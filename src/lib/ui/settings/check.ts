/** What can be said of a base URL before anything is sent. */
export type BaseURLCheck =
	| { readonly ok: true; readonly host: string; readonly warning: string | null }
	| { readonly ok: false; readonly error: string };

const isLocal = (host: string) =>
	host === 'localhost' ||
	host.endsWith('.localhost') ||
	host === '[::1]' ||
	/^127(\.\d{1,3}){3}$/.test(host);

export function checkBaseURL(text: string): BaseURLCheck {
	const trimmed = text.trim();
	if (trimmed === '') return { ok: false, error: 'The address of the server is needed.' };
	const url = URL.canParse(trimmed) ? new URL(trimmed) : null;
	if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:'))
		return { ok: false, error: 'This is not an address that begins with https:// or http://.' };
	if (url.username || url.password)
		return { ok: false, error: 'The key belongs in its own field, not in the address.' };
	const warning =
		url.protocol === 'http:' && !isLocal(url.hostname)
			? 'Not encrypted: anyone on the way can read what is sent, the key included.'
			: null;
	return { ok: true, host: url.host, warning };
}

/** Tokens as people write them: "128000", "128 000", "128k", "1.5M". null when it is empty, undefined when it is not a number. */
export function parseTokens(text: string): number | null | undefined {
	const plain = text.replace(/[\s,_]/g, '').toLowerCase();
	if (plain === '') return null;
	const match = /^(\d+(?:\.\d+)?)([km]?)$/.exec(plain);
	if (!match) return undefined;
	const unit = match[2] === 'k' ? 1000 : match[2] === 'm' ? 1_000_000 : 1;
	const tokens = Math.round(Number(match[1]) * unit);
	return tokens > 0 ? tokens : undefined;
}
