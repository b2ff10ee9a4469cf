import type { Price } from '$lib/context/price';
import type { PriceForm } from '$lib/session/settings-view';
import { formatDollars } from '../kit/format';

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

/** US dollars as people write them: "1.25", "$1.25", "1,25". null when it is empty, undefined when it is not a price. */
export function parseDollars(text: string): number | null | undefined {
	const plain = text
		.trim()
		.replace(/^\$\s*/, '')
		.replace(/^(\d+),(\d{1,2})$/, '$1.$2');
	if (plain === '') return null;
	return /^(?:\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : undefined;
}

/** A model's price in one line, and where it is from. */
export function priceWords(typed: PriceForm | null | undefined, known: Price | null): string {
	const isTyped = typed ? Object.values(typed).some((value) => value !== null) : false;
	const input = typed?.input ?? known?.input ?? null;
	const output = typed?.output ?? known?.output ?? null;
	if (input === null && output === null) return 'Price unknown';
	if (input === 0 && output === 0)
		return isTyped ? 'Free, as you typed' : 'Free: a server of your own';
	const dollars = (value: number | null) =>
		value === null ? '?' : value === 0 ? '$0' : formatDollars(value);
	return `Price ${dollars(input)} in, ${dollars(output)} out${isTyped ? '' : ', from the built-in list'}`;
}
