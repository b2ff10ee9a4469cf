import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** What a module pulls in when it is loaded: its imports by value, followed through this repository. */
async function loadedBy(file: string, seen = new Set<string>()): Promise<Set<string>> {
	if (seen.has(file)) return seen;
	seen.add(file);
	const source = await readFile(file, 'utf8');
	for (const [, clause = '', from = ''] of source.matchAll(
		/^(?:import|export)\s+([^;]*?)\s*from\s*'([^']+)'/gm
	)) {
		const named = /^\{([^}]*)\}$/s.exec(clause)?.[1];
		const isTypeOnly =
			clause.startsWith('type ') ||
			(named !== undefined &&
				named.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')));
		if (isTypeOnly) continue;
		if (from.startsWith('.')) await loadedBy(`${join(dirname(file), from)}.ts`, seen);
		else seen.add(from);
	}
	return seen;
}

// The SDK is 170 KB: it is fetched on the first send, never with the app.
test.each(['provider', 'catalogue', 'failure', 'http', 'answer', 'summarise', 'resolve'])(
	'%s loads no SDK and no offline model',
	async (name) => {
		const loaded = [...(await loadedBy(`src/lib/models/${name}.ts`))];
		expect(loaded.filter((id) => /^(?:ai|minisearch|zod|@ai-sdk\/.*)$/.test(id))).toEqual([]);
		expect(loaded.filter((id) => id.includes('/offline/'))).toEqual([]);
	}
);

test('the offline model needs no SDK either', async () => {
	const loaded = [...(await loadedBy('src/lib/models/offline/model.ts'))];
	expect(loaded).toContain('minisearch');
	expect(loaded.filter((id) => /^(?:ai|@ai-sdk\/.*)$/.test(id))).toEqual([]);
});
