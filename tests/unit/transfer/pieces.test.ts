import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ancestryOf } from '$lib/transfer/ancestry';
import { fromBase64, toBase64 } from '$lib/transfer/base64';
import { sameRow } from '$lib/transfer/compare';
import { hazardIn, parseJson } from '$lib/transfer/json';
import { limits } from '$lib/transfer/limits';
import { sha256 } from '$lib/transfer/sha256';
import { uuidFrom } from '$lib/transfer/uuid';

describe('sha256', () => {
	test('is the one of Node, for every length around a block', () => {
		for (let length = 0; length < 200; length++) {
			const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255);
			expect(sha256(bytes)).toBe(createHash('sha256').update(bytes).digest('hex'));
		}
	});

	test('is the one of Node, for texts', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
				expect(sha256(text)).toBe(createHash('sha256').update(text, 'utf8').digest('hex'));
			})
		);
	});

	test('reads a view, not the buffer under it', () => {
		const view = new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4);
		expect(sha256(view)).toBe(sha256(new Uint8Array([1, 2, 3])));
	});
});

describe('uuidFrom', () => {
	test('has the shape of a UUIDv7 and sorts by time', () => {
		const times = [0, 1, 1_700_000_000_000, 2 ** 48 - 1];
		const ids = times.map((time) => uuidFrom(time, 'seed'));
		for (const id of ids)
			expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
		expect([...ids].sort()).toEqual(ids);
		expect(ids[2]?.replace('-', '').slice(0, 12)).toBe(
			(1_700_000_000_000).toString(16).padStart(12, '0')
		);
	});

	test.each([[NaN], [-5], [Infinity], [1e300]])('%d as a time still gives an id', (time) => {
		expect(uuidFrom(time, 'seed')).toMatch(/^[0-9a-f-]{36}$/);
	});

	test('depends on the seed alone', () => {
		expect(uuidFrom(5, 'a')).toBe(uuidFrom(5, 'a'));
		expect(uuidFrom(5, 'a')).not.toBe(uuidFrom(5, 'b'));
	});
});

test('base64 goes there and back, also past one slice', () => {
	const large = Uint8Array.from({ length: 100_000 }, (_, i) => i & 255);
	expect(Buffer.from(fromBase64(toBase64(large)) ?? []).equals(large)).toBe(true);
	expect(toBase64(large)).toBe(Buffer.from(large).toString('base64'));
	expect(fromBase64('%%%')).toBeNull();
});

describe('sameRow', () => {
	test.each([
		[{ a: 1, b: [1, { c: null }] }, { b: [1, { c: null }], a: 1 }, true],
		[{ a: 1, b: undefined }, { a: 1 }, true],
		[{ a: undefined }, { b: undefined }, true],
		[NaN, NaN, true],
		[{ a: 1 }, { a: 2 }, false],
		[{ a: 1 }, { a: 1, b: 1 }, false],
		[{ a: undefined, b: 1 }, { a: 1, b: undefined }, false],
		[[1, 2], [2, 1], false],
		[[1], { 0: 1 }, false],
		[[], {}, false],
		[null, {}, false],
		['1', 1, false],
		[{ toString: 1 }, { x: 1 }, false]
	])('%j and %j: %s', (a, b, same) => {
		expect(sameRow(a, b)).toBe(same);
		expect(sameRow(b, a)).toBe(same);
	});
});

describe('ancestryOf', () => {
	test('agrees with walking up, in random forests in any order', () => {
		const forest = fc.array(fc.option(fc.nat(), { freq: 4 }), { maxLength: 30 });
		fc.assert(
			fc.property(forest, (choices) => {
				const parents = choices.map((c, i) => (c === null || i === 0 ? null : c % i));
				const isAbove = ancestryOf(parents);
				parents.forEach((_, below) => {
					const walked = new Set<number>();
					for (let at: number | null = below; at !== null; at = parents[at] ?? null) walked.add(at);
					parents.forEach((_, above) => expect(isAbove(above, below)).toBe(walked.has(above)));
				});
			})
		);
	});

	test('a cycle has no ancestors and does not hang', () => {
		const isAbove = ancestryOf([1, 0, null, 2, 3]);
		expect(isAbove(0, 1)).toBe(false);
		expect(isAbove(2, 4)).toBe(true);
	});
});

describe('parseJson', () => {
	test.each([
		['{"a":1,}', 'broken', 7],
		['[1 2]', 'broken', 3],
		['{"a" 1}', 'broken', 5],
		['{a:1}', 'broken', 1],
		['["a\nb"]', 'broken', 3],
		['["\\x"]', 'broken', 3],
		['["\\u12G4"]', 'broken', 6],
		['[1]]', 'broken', 3],
		['[tru, 1]', 'broken', 1],
		['[01]', 'broken', 2],
		['', 'truncated', 0],
		['[1', 'truncated', 2],
		['[1.', 'truncated', 3],
		['[-', 'truncated', 2],
		['[1e+', 'truncated', 4],
		['[fals', 'truncated', 5],
		['["\\', 'truncated', 3],
		['["\\u00', 'truncated', 6],
		['{"a"', 'truncated', 4],
		['{"a":', 'truncated', 5],
		['{"a":[{"b":1}', 'truncated', 13]
	])('%j: %s at %d', (text, kind, position) => {
		expect(parseJson(text)).toMatchObject({ ok: false, kind, position });
	});

	test('lines are counted from 1', () => {
		expect(parseJson('[1,\n2,\nx]')).toMatchObject({ kind: 'broken', line: 3 });
	});

	test('every cut of every document is told as a cut', () => {
		fc.assert(
			fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (document, at) => {
				const wrapped = `{"v":${document}}`;
				const cut = wrapped.slice(0, at % wrapped.length);
				expect(parseJson(cut)).toMatchObject({ kind: 'truncated', position: cut.length });
			}),
			{ numRuns: 2000 }
		);
	});

	test('a text nested without end is located, not a stack overflow', () => {
		expect(parseJson('['.repeat(200_000))).toMatchObject({ kind: 'truncated', position: 200_000 });
	});
});

describe('hazardIn', () => {
	test.each([
		[{ a: [{ b: 1 }] }, null],
		[JSON.parse('{"a":[{"__proto__":1}]}'), 'it has a key named "__proto__"'],
		[nested(limits.nesting - 1), null],
		[nested(limits.nesting + 1), 'it is nested more than 200 levels deep'],
		[nested(200_000), 'it is nested more than 200 levels deep']
	])('case %#', (value, hazard) => {
		expect(hazardIn(value)).toBe(hazard);
	});
});

function nested(levels: number): unknown {
	let value: unknown = [];
	for (let i = 1; i < levels; i++) value = [value];
	return value;
}
