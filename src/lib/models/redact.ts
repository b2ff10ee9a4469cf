/** Shapes of keys that servers echo: OpenAI and its kin, Groq, xAI, Cerebras, NVIDIA, Hugging Face, Perplexity, Google. */
const keyShapes = [
	/\b(?:sk|pk|rk|gsk|xai|csk|nvapi|hf|pplx|r8)[-_][A-Za-z0-9_\-*.…]{6,}/g,
	/\bAIza[0-9A-Za-z_-]{20,}/g
];

/** Shorter keys are words: "test", "ollama", "k" are what local servers are given. Characters. */
const SECRET_MIN = 8;
/** No sentence holds a longer key by chance, not even inside another word. Characters. */
const UNIQUE_MIN = 20;

/**
 * A text from outside without anything that could be a key: the configured one, bearer tokens, key parameters of URLs,
 * and whatever has the shape of a well-known key. A configured key that may be part of a word goes as a whole token
 * only; one that may be a word itself, only where a header, a parameter or the usual words of a refusal name it.
 */
export function withoutKeys(text: string, apiKey?: string): string {
	let clean = apiKey ? withoutOwn(text, apiKey) : text;
	clean = clean
		// "Bearer auth" and "Bearer token" are words of a sentence.
		.replace(/\bBearer\s+(?!(?:auth\w*|tokens?|scheme)(?![\w-]))[^\s"',]+/gi, 'Bearer [key]')
		.replace(/([?&](?:key|api[-_]?key|access_token|token)=)[^&\s"']+/gi, '$1[key]');
	for (const shape of keyShapes) clean = clean.replace(shape, '[key]');
	return clean;
}

const NAMED = String.raw`(?<=(?:\b(?:authorization|bearer|(?:x[-_])?(?:goog[-_])?api[-_ ]?key(?:[-_ ]provided)?)|[?&](?:key|token|access_token))["']?\s*[:= ]\s*["']?)`;

function withoutOwn(text: string, apiKey: string): string {
	const forms = [...new Set([apiKey, encodeURIComponent(apiKey)])].map(literal).join('|');
	const edge = String.raw`[\p{L}\p{N}_]`;
	const pattern =
		apiKey.length >= UNIQUE_MIN
			? forms
			: `${apiKey.length >= SECRET_MIN ? `(?<!${edge})` : NAMED}(?:${forms})(?!${edge})`;
	return text.replace(new RegExp(pattern, 'giu'), '[key]');
}

/** A text as a pattern that matches exactly it. */
const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** An address fit for showing: origin and path, without user, password, query or fragment. */
export function shownAddress(baseURL: string): string {
	try {
		const url = new URL(baseURL);
		return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
	} catch {
		return baseURL.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//');
	}
}
