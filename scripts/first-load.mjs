// The script a first visit loads before anything is clicked, compressed: at most 110 KB. The other pages are shown beside
// it; what they add comes from the service worker's cache once the app has been visited.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT = 110 * 1024;
const client = '.svelte-kit/output/client';
const generated = '.svelte-kit/generated/client-optimized';
const manifest = JSON.parse(readFileSync(join(client, '.vite/manifest.json'), 'utf8'));
const routes = [
	...readFileSync(join(generated, 'app.js'), 'utf8').matchAll(/"(\/[^"]*)": \[(\d+)/g)
];

/** Everything an entry imports statically. */
function reach(key, seen) {
	if (seen.has(key)) return seen;
	seen.add(key);
	for (const next of manifest[key]?.imports ?? []) reach(next, seen);
	return seen;
}

const start = Object.keys(manifest).filter((key) => manifest[key].file.includes('/entry/'));

/** Compressed bytes of script that a page and the layout around it load. */
function bytesOf(node) {
	const keys = new Set();
	for (const key of [...start, ...[0, node].map((n) => `${generated}/nodes/${n}.js`)])
		reach(key, keys);
	return [...keys].reduce((sum, key) => {
		const file = manifest[key]?.file;
		return file?.endsWith('.js') ? sum + gzipSync(readFileSync(join(client, file))).length : sum;
	}, 0);
}

const kilobytes = (bytes) => `${(bytes / 1024).toFixed(1)} KB gz`;
for (const [, path, node] of routes)
	console.log(`  ${path.padEnd(12)} ${kilobytes(bytesOf(node))}`);

const first = routes.find(([, path]) => path === '/');
const bytes = first ? bytesOf(first[2]) : 0;
if (bytes === 0 || bytes > LIMIT) {
	console.error(`The first load is ${kilobytes(bytes)}; at most ${kilobytes(LIMIT)} are allowed.`);
	process.exit(1);
}
