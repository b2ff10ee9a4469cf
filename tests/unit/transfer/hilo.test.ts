import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { examineBranch } from '$lib/history/integrity';
import { decodeHilo, encodeHilo, type HiloExport } from '$lib/transfer/hilo';
import { histories } from './random-history';

async function written(
	rows: Pick<HiloExport, 'sessions' | 'messages' | 'attachments'>
): Promise<string> {
	let text = '';
	for await (const chunk of encodeHilo({ app: 'Hilo 0.1.0', exportedAt: 1.8e12, ...rows }))
		text += chunk;
	return text;
}

describe('Hilo JSON', { timeout: 120_000 }, () => {
	test('export then import is the identity, with branches, checkpoints, forks, drafts and files', async () => {
		let checkpoints = 0;
		let branches = 0;
		await fc.assert(
			fc.asyncProperty(histories(25), async (rows) => {
				const text = await written(rows);
				const result = decodeHilo(text);
				if (!result.ok) throw new Error(`${result.problem.title}\n${result.problem.detail}`);
				expect(result.report.skipped).toEqual([]);
				expect({
					sessions: result.sessions,
					messages: result.messages,
					attachments: result.attachments
				}).toEqual(rows);
				// To the byte: not even the order of keys is touched.
				expect(await written(result)).toBe(text);
				checkpoints += rows.messages.filter(({ role }) => role === 'checkpoint').length;
				branches += rows.messages.length - new Set(rows.messages.map((m) => m.parentId)).size;
			}),
			{ numRuns: 300 }
		);
		// The property says nothing about what never occurs.
		expect(checkpoints).toBeGreaterThan(300);
		expect(branches).toBeGreaterThan(1000);
	});

	test('a large export comes in chunks, one row a line', async () => {
		const [rows] = fc.sample(histories(25), { numRuns: 1, seed: 7 });
		const [session] = rows?.sessions ?? [];
		if (!session) throw new Error('a history has a session');
		const many = Array.from(
			{ length: 3000 },
			(_, i) => ({ ...session, id: `s${i}` }) as typeof session
		);
		const chunks: string[] = [];
		for await (const chunk of encodeHilo({
			app: 'Hilo',
			exportedAt: 1,
			sessions: many,
			messages: [],
			attachments: []
		}))
			chunks.push(chunk);
		expect(chunks.length).toBeGreaterThan(3);
		expect(chunks.join('').split('\n').length).toBe(3000 + 8);
	});

	test('rows may come as they are read', async () => {
		const [rows] = fc.sample(histories(25), { numRuns: 1, seed: 3 });
		if (!rows) throw new Error('no sample');
		async function* slowly<T>(list: readonly T[]) {
			for (const row of list) yield row;
		}
		expect(
			await written({
				sessions: slowly(rows.sessions),
				messages: slowly(rows.messages),
				attachments: slowly(rows.attachments)
			})
		).toBe(await written(rows));
	});
});

describe('damaged exports', { timeout: 120_000 }, () => {
	test('cut anywhere: refused, and said where', async () => {
		const [rows] = fc.sample(
			histories(3).filter((h) => h.messages.length > 2),
			{ numRuns: 1, seed: 11 }
		);
		const text = (await written(rows ?? { sessions: [], messages: [], attachments: [] })).trimEnd();
		for (let end = 1; end < text.length; end++) {
			const result = decodeHilo(text.slice(0, end));
			if (result.ok) throw new Error(`accepted when cut at ${end}`);
			expect(result.problem.title).toContain(`ends in the middle (character ${end}, line`);
		}
	});

	// What a mutation does to a value, chosen by a number.
	const mutations: readonly ((value: unknown) => unknown)[] = [
		() => null,
		() => undefined,
		() => -1,
		() => 1e300,
		() => '',
		() => 'x'.repeat(100),
		() => [],
		() => ({}),
		() => JSON.parse('{"__proto__":{"polluted":true}}'),
		(value) => [value],
		(value) => (Array.isArray(value) ? [...value, ...value] : `${value}`),
		(value) => (Array.isArray(value) ? [...value].reverse() : value === true ? false : true),
		(value) => (Array.isArray(value) ? value.slice(1) : typeof value === 'number' ? value + 1 : 0),
		() => nest(400)
	];

	test('5,000 damaged values and 5,000 damaged bytes: never throws, never drops a row without a word', async () => {
		let refused = 0;
		let partly = 0;
		await fc.assert(
			fc.asyncProperty(
				histories(4).filter((h) => h.messages.length > 0),
				fc.nat(),
				fc.nat(),
				fc.nat(),
				async (rows, where, which, garbage) => {
					const text = await written(rows);
					const file: unknown = JSON.parse(text);
					const places = placesIn(file);
					const place = places[where % places.length];
					const mutate = mutations[which % mutations.length];
					if (!place || !mutate) return;
					place.parent[place.key] = mutate(place.parent[place.key]);
					const byte = text.slice(0, where % text.length) + String.fromCharCode(garbage % 128);

					for (const damaged of [JSON.stringify(file), byte + text.slice(byte.length)]) {
						const result = decodeHilo(damaged);
						if (!result.ok) {
							refused++;
							expect(result.problem.title.length).toBeGreaterThan(10);
							continue;
						}
						const { sessions, messages, attachments, report } = result;
						const whole = report.counts.every((count) => count.in === count.out);
						if (!whole) {
							partly++;
							expect(report.skipped.length).toBeGreaterThan(0);
						}
						expect(Object.prototype).not.toHaveProperty('polluted');
						// What was accepted stands by itself: writing and reading it again changes nothing.
						const once = await written({ sessions, messages, attachments });
						const again = decodeHilo(once);
						if (!again.ok) throw new Error(again.problem.title);
						if ((await written(again)) !== once) throw new Error('not the same when read again');
						// What was accepted opens: there is nothing to find in it.
						for (const session of sessions) {
							const { findings } = examineBranch(session, messages);
							if (findings.length > 0) throw new Error(JSON.stringify(findings));
						}
						// Every row is the one that was in the file.
						const original: unknown[] = JSON.parse(damaged).messages;
						const rowsThere = new Set(original.map((row) => JSON.stringify(row)));
						if (!messages.every((row) => rowsThere.has(JSON.stringify(row))))
							throw new Error('a row was changed');
					}
				}
			),
			{ numRuns: 5000 }
		);
		expect(refused).toBeGreaterThan(1250);
		expect(partly).toBeGreaterThan(250);
	});
});

interface Place {
	readonly parent: Record<string | number, unknown>;
	readonly key: string | number;
}

/** Every place in a JSON value where another value could stand. */
function placesIn(value: unknown): Place[] {
	if (typeof value !== 'object' || value === null) return [];
	const parent = value as Record<string, unknown>;
	return Object.keys(value).flatMap((key) => [{ parent, key }, ...placesIn(parent[key])]);
}

function nest(levels: number): unknown {
	let value: unknown = 1;
	for (let i = 0; i < levels; i++) value = [value];
	return value;
}
