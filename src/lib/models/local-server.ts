/** Whether an address is on this machine or in a private network. */
export const isLocal = (baseURL: string): boolean =>
	/^https?:\/\/(?:localhost|127\.|\[::1\]|0\.0\.0\.0|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|[\w-]+\.local\b)/i.test(
		baseURL
	);

/**
 * What to check when a server on this machine or network does not answer a browser page. Ollama and LM Studio refuse
 * pages of other origins until told otherwise (ollama#13001, lmstudio#392); the port tells which one it is.
 * @param pageOrigin what the server must allow; described in words when unknown
 */
export function localServerAdvice(baseURL: string, pageOrigin?: string): string {
	const origin = pageOrigin ?? 'the address of this page';
	const basics = 'Check the address, that the server runs, and that it allows this page (CORS).';
	const recipe = recipes.find(({ port }) => port.test(baseURL))?.text(origin);
	const browser = pageOrigin?.startsWith('https:')
		? ' The browser may also ask whether this page may reach devices on your network: allow it. Safari blocks plain http from an https page.'
		: '';
	return `${basics}${recipe ? ` ${recipe}` : ''}${browser}`;
}

const recipes = [
	{
		port: /:11434\b/,
		text: (origin: string) =>
			`For Ollama set OLLAMA_ORIGINS to ${origin} and restart it. Linux: “systemctl edit ollama”, add Environment="OLLAMA_ORIGINS=${origin}" under [Service]. macOS: launchctl setenv OLLAMA_ORIGINS "${origin}". Windows: add it to your environment variables.`
	},
	{
		port: /:1234\b/,
		text: () =>
			'In LM Studio open Developer, start the server, and switch on “Enable CORS” in its settings.'
	},
	{
		port: /:(?:8080|8000)\b/,
		text: () => 'llama.cpp’s llama-server allows any page by default; vLLM needs --allowed-origins.'
	}
];
