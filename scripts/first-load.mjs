// The script a first visit loads before anything is clicked, compressed: at most 110 KB.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LIMIT = 110 * 1024;
const client = '.svelte-kit/output/client';
const manifest = JSON.parse(readFileSync(join(client, '.vite/manifest.json'), 'utf8'));

/** Everything an entry imports statically. */
function reach(key, seen) {
	if (seen.has(key)) return seen;
	seen.add(key);
	for (const next of manifest[key]?.imports ?? []) reach(next, seen);
	return seen;
}

const routes = Object.entries(manifest).filter(
	([, chunk]) => chunk.isEntry || chunk.isDynamicEntry
);
const named = (part) => routes.filter(([, chunk]) => chunk.file.includes(part)).map(([key]) => key);
const base = [...named('/entry/'), ...named('nodes/0.'), ...named('nodes/1.')];
const pages = routes.filter(([, chunk]) => /nodes\/\d+\./.test(chunk.file));

let worst = 0;
for (const [key, chunk] of pages) {
	const keys = new Set();
	for (const entry of [...base, key]) reach(entry, keys);
	const bytes = [...keys].reduce((sum, k) => {
		const file = manifest[k]?.file;
		return file?.endsWith('.js') ? sum + gzipSync(readFileSync(join(client, file))).length : sum;
	}, 0);
	worst = Math.max(worst, bytes);
	console.log(`  ${(bytes / 1024).toFixed(1).padStart(6)} KB gz  ${chunk.file}`);
}
if (pages.length === 0 || worst > LIMIT) {
	console.error(
		`The first load is ${(worst / 1024).toFixed(1)} KB gz; at most ${LIMIT / 1024} KB are allowed.`
	);
	process.exit(1);
}
