/** The AI SDK is large: it is fetched on the first send, and stays out of the first load of the app. */
export async function loadSdk() {
	const sdk = await import('ai');
	// Its console warnings are for developers of providers; they would print parts of requests.
	globalThis.AI_SDK_LOG_WARNINGS = false;
	return sdk;
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>;
