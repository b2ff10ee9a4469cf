/// <reference no-default-lib="true"/>
/// <reference lib="esnext" />
/// <reference lib="webworker" />
/// <reference types="@sveltejs/kit" />
import { build, files, version } from '$service-worker';

/*
 * Keeps the app itself, and nothing else: a versioned copy of its own files, so that any address opens without a network.
 * Requests of other origins, requests that carry a key, and anything that is not the app's own file pass untouched.
 */
const worker = self as unknown as ServiceWorkerGlobalScope;

const prefix = 'hilo-';
const cacheName = `${prefix}${version}`;
/** The page every address is answered with. The adapter writes it after the build, so it is in neither list. */
const shell = '/200.html';

/** Fonts in old formats are never asked for by a browser that runs this; `_headers` is the host's. */
const isKept = (path: string) => !/\.(?:ttf|woff)$|\/_headers$/.test(path);
const kept = new Set([...build, ...files].filter(isKept));
/** Named by their content: what is once fetched never changes. */
const isImmutable = (path: string) => path.startsWith('/_app/immutable/');

async function fetchShell(): Promise<Response> {
	for (const path of [shell, '/']) {
		const response = await fetch(path, { cache: 'reload' });
		// A navigation refuses a redirected answer, and some hosts redirect /200.html to /200.
		if (response.ok)
			return response.redirected
				? new Response(await response.blob(), { headers: response.headers })
				: response;
	}
	throw new Error('The shell of the app could not be fetched.');
}

async function install(): Promise<void> {
	const cache = await caches.open(cacheName);
	await cache.put(shell, await fetchShell());
	await cache.addAll(
		[...kept].map((path) => new Request(path, { cache: isImmutable(path) ? 'default' : 'reload' }))
	);
	await keepWorkerParts(cache);
}

/**
 * The parts a web worker loads when it needs them are in neither list: they are read out of the worker's own text, so
 * that the first use may come after the network has gone.
 */
async function keepWorkerParts(cache: Cache): Promise<void> {
	const queue = [...kept].filter((path) => path.startsWith('/_app/immutable/workers/'));
	const seen = new Set(queue);
	for (let path = queue.pop(); path !== undefined; path = queue.pop()) {
		const text = (await (await cache.match(path))?.text()) ?? '';
		for (const [, relative = ''] of text.matchAll(/["'`](\.{1,2}\/[\w./-]+\.js)["'`]/g)) {
			const part = new URL(relative, new URL(path, worker.location.origin)).pathname;
			if (seen.has(part) || !isImmutable(part)) continue;
			seen.add(part);
			const response = await fetch(part);
			// A text that only looks like an address must not stop the install.
			if (!response.ok || !response.headers.get('content-type')?.includes('javascript')) continue;
			await cache.put(part, response);
			queue.push(part);
		}
	}
}

/** The version before this one stays until the next: a tab still running it may load a part it has not used yet. */
async function removeOldCaches(): Promise<void> {
	const old = (await caches.keys())
		.filter((name) => name.startsWith(prefix) && name !== cacheName)
		.sort();
	await Promise.all(old.slice(0, -1).map((name) => caches.delete(name)));
}

async function page(request: Request): Promise<Response> {
	const cache = await caches.open(cacheName);
	return (await cache.match(shell)) ?? fetch(request);
}

async function file(request: Request, path: string): Promise<Response> {
	const cache = await caches.open(cacheName);
	const found =
		(await cache.match(request)) ?? (isImmutable(path) ? await caches.match(request) : undefined);
	if (found) return found;
	const response = await fetch(request);
	// A part the lists do not name is kept from its first use on.
	if (response.ok && isImmutable(path)) await cache.put(request, response.clone());
	return response;
}

worker.addEventListener('install', (event) => event.waitUntil(install()));

worker.addEventListener('activate', (event) =>
	event.waitUntil(removeOldCaches().then(() => worker.clients.claim()))
);

// A new version waits until the reader asks for it: a page is never changed under a running answer.
worker.addEventListener('message', (event) => {
	const data: unknown = event.data;
	const asked =
		typeof data === 'object' && data !== null && 'type' in data && data.type === 'skip-waiting';
	if (asked) void worker.skipWaiting();
});

worker.addEventListener('fetch', (event) => {
	const { request } = event;
	const url = new URL(request.url);
	if (request.method !== 'GET' || url.origin !== worker.location.origin) return;
	if (request.headers.has('authorization') || request.headers.has('range')) return;
	if (kept.has(url.pathname) || isImmutable(url.pathname))
		event.respondWith(file(request, url.pathname));
	else if (request.mode === 'navigate') event.respondWith(page(request));
});
