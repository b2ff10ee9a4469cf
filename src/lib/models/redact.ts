/** Shapes of keys that servers echo: OpenAI and its kin, Groq, xAI, Cerebras, NVIDIA, Hugging Face, Perplexity, Google. */
const keyShapes = [
	/\b(?:sk|pk|rk|gsk|xai|csk|nvapi|hf|pplx|r8)[-_][A-Za-z0-9_\-*.…]{6,}/g,
	/\bAIza[0-9A-Za-z_-]{20,}/g
];

/**
 * A text from outside without anything that could be a key: the configured one wherever it stands, bearer tokens, key
 * parameters of URLs, and whatever has the shape of a well-known key.
 */
export function withoutKeys(text: string, apiKey?: string): string {
	let clean = apiKey ? text.split(apiKey).join('[key]') : text;
	clean = clean
		.replace(/\bBearer\s+[^\s"',]+/gi, 'Bearer [key]')
		.replace(/([?&](?:key|api[-_]?key|access_token|token)=)[^&\s"']+/gi, '$1[key]');
	for (const shape of keyShapes) clean = clean.replace(shape, '[key]');
	return clean;
}

/** An address fit for showing: origin and path, without user, password, query or fragment. */
export function shownAddress(baseURL: string): string {
	try {
		const url = new URL(baseURL);
		return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
	} catch {
		return baseURL.replace(/[?#].*$/, '').replace(/\/\/[^/@]*@/, '//');
	}
}
