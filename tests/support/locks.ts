/** Node has no Web Locks. These hold a name for one holder at a time, which is all the session room asks of them. */
interface Options {
	readonly ifAvailable?: boolean;
	readonly signal?: AbortSignal;
}
type Use = (lock: { readonly name: string } | null) => unknown;

const held = new Map<string, Promise<void>>();

async function request(name: string, options: Options, use: Use): Promise<unknown> {
	const { ifAvailable, signal } = options;
	signal?.throwIfAborted();
	if (ifAvailable && held.has(name)) return use(null);
	for (let holder = held.get(name); holder; holder = held.get(name)) {
		await orAborted(holder, signal);
	}
	let release = () => {};
	held.set(name, new Promise((resolve) => (release = resolve)));
	try {
		return await use({ name });
	} finally {
		held.delete(name);
		release();
	}
}

function orAborted(wait: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
	if (!signal) return wait;
	return new Promise((resolve, reject) => {
		const abort = () => reject(signal.reason);
		signal.addEventListener('abort', abort, { once: true });
		void wait.then(() => {
			signal.removeEventListener('abort', abort);
			resolve();
		});
	});
}

const query = async () => ({ held: [...held.keys()].map((name) => ({ name })) });

Object.defineProperty(globalThis, 'navigator', {
	value: { userAgent: 'node', locks: { request, query } },
	configurable: true
});
