import fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { estimateText, prefixWithin } from '../../../src/lib/context/estimate';
import { imageCountOf, imageTokens } from '../../../src/lib/context/images';
import { cachedMeasure, estimatorOf, measureMessage } from '../../../src/lib/context/measure';
import { corpus } from '../../fixtures/corpus';
import { cpuTime } from '../../support/cpu';
import { file, grow, text, tool } from '../../support/tree';

const extra: Readonly<Record<string, string>> = {
	'spaceless Hangul':
		'간격을둔학습에관한세편의종설을비교한결과그이점은얼마나오래기억해야하는지에따라달라진다',
	emoji: '😀🎉👍🚀🔥✨🙏😅🤔📚',
	'mixed scripts': '见 https://example.org/a 😀 n = 40, 间隔 one day 一天; Мы 2024-05-06 γ = 0.5',
	'a UUID': '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
	'a hash': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
};

describe('C10', () => {
	test.each(Object.entries({ ...corpus, ...extra }))(
		'C10 case 31: %s is within 0.9–1.5 of a real tokenizer',
		(_, sample) => {
			const ratio = estimateText(sample) / encode(sample).length;
			expect(ratio).toBeGreaterThanOrEqual(0.9);
			expect(ratio).toBeLessThanOrEqual(1.5);
		}
	);

	test('C10 case 31: 100,000 Chinese characters', () => {
		const sample = (corpus['chinese'] ?? '').repeat(700).slice(0, 100_000);
		const ratio = estimateText(sample) / encode(sample).length;
		expect(ratio).toBeGreaterThanOrEqual(0.9);
		expect(ratio).toBeLessThanOrEqual(1.5);
	});

	test('C10 nothing is nothing', () => expect(estimateText('')).toBe(0));

	test.each(['a', 'a1', '.', ' ', '\n', '字', '😀', 'aA', '-_', '\u0301'])(
		'C10 a megabyte of %j is priced in linear time',
		(piece) => {
			const small = piece.repeat(Math.ceil(50_000 / piece.length));
			const large = piece.repeat(Math.ceil(1_000_000 / piece.length));
			estimateText(small);
			let tokens = 0;
			expect(cpuTime(() => (tokens = estimateText(large)))).toBeLessThan(1000);
			expect(tokens / estimateText(small)).toBeGreaterThan(15);
			expect(tokens / estimateText(small)).toBeLessThan(25);
		}
	);
});

describe('C11', () => {
	const sample = fc.constantFrom(...Object.values(corpus));
	const slice = fc
		.tuple(sample, fc.nat(300), fc.nat(300))
		.map(([value, from, length]) => value.slice(from, from + length));

	test('C11 joined texts cost about what they cost apart', () => {
		fc.assert(
			fc.property(slice, slice, (a, b) => {
				const [ea, eb, joined] = [estimateText(a), estimateText(b), estimateText(a + b)];
				// A seam may make one long run of two words, which is priced as a hash: at most 46 letters of it.
				expect(joined).toBeLessThanOrEqual(ea + eb + 40);
				expect(joined).toBeGreaterThanOrEqual(Math.max(ea, eb) - 24);
			}),
			{ numRuns: 2000 }
		);
	});

	test('C11 with a line between them the seam costs at most 4', () => {
		fc.assert(
			fc.property(slice, slice, (a, b) => {
				const joined = estimateText(`${a}\n\n${b}`);
				expect(Math.abs(joined - estimateText(a) - estimateText(b))).toBeLessThanOrEqual(4);
			}),
			{ numRuns: 2000 }
		);
	});
});

describe('prefixWithin', () => {
	test('C44 the longest beginning within a limit, found in one pass', () => {
		fc.assert(
			fc.property(
				fc.array(fc.constantFrom(...Object.values(corpus), 'x'.repeat(400), ' '.repeat(90), '😀')),
				fc.integer({ min: 1, max: 400 }),
				(pieces, limit) => {
					const whole = pieces.join('');
					const end = prefixWithin(whole, limit);
					const prefix = whole.slice(0, end);
					expect(prefix.isWellFormed()).toBe(true);
					if (end === whole.length) return;
					// One character is always taken, so that whoever cuts makes headway.
					if (end > 2) expect(estimateText(prefix)).toBeLessThanOrEqual(limit);
					expect(estimateText(whole.slice(0, end + 30))).toBeGreaterThan(limit - 12);
				}
			),
			{ numRuns: 1000 }
		);
	});

	test('C44 from a place in the text', () => {
		expect(prefixWithin('one two three', 1, 4)).toBe('one two '.length);
		expect(prefixWithin('', 5)).toBe(0);
		expect(prefixWithin('😀', 0)).toBe(2);
	});
});

describe('C12 a message', () => {
	test('C12 costs its parts and its frame; reasoning and step marks cost nothing', () => {
		const plain = grow().answer('some words here');
		const reasoned = grow().answer([
			{ type: 'step-start' },
			{ type: 'reasoning', text: 'a long thought '.repeat(50) },
			text('some words here')
		]);
		expect(measureMessage(plain)).toBe(estimateText('some words here') + 4);
		expect(measureMessage(reasoned)).toBe(measureMessage(plain));
	});

	test('C12 a tool call costs name, input, and output or error', () => {
		const called = grow().answer([tool('search', { query: 'gap' }, { hits: 3 })]);
		expect(measureMessage(called)).toBe(
			4 + 16 + estimateText('search') + estimateText('{"query":"gap"}') + estimateText('{"hits":3}')
		);
	});

	test('C12 a file costs what was measured, its name, and its frame', () => {
		const user = grow().user([file('notes.txt', 700)]);
		expect(measureMessage(user)).toBe(4 + 16 + 700 + estimateText('notes.txt'));
	});

	test('C12 each message is measured once', () => {
		let calls = 0;
		const measure = cachedMeasure((message) => (calls++, measureMessage(message)));
		const user = grow().user('hello');
		expect(measure(user)).toBe(measure(user));
		expect(calls).toBe(1);
	});
});

test.each([
	[100, 100, 14],
	[1568, 1568, 3279],
	[12_000, 9000, 2459],
	[0, 0, 3279],
	[NaN, 10, 3279]
])('C13 case 32: an image of %d × %d pixels costs %i', (width, height, tokens) => {
	expect(imageTokens(width, height)).toBe(tokens);
});

// Worked by hand from the providers' published rules.
test.each([
	['claude-sonnet-4-5', 1000, 1000, 1334],
	['claude-sonnet-4-5', 3136, 1568, 1640],
	['gpt-4o', 1024, 1024, 85 + 170 * 4],
	['gpt-4o-2024-08-06', 2048, 4096, 85 + 170 * 6],
	['openai/gpt-5', 1024, 1024, 70 + 140 * 4],
	['gpt-4.1-mini', 1024, 1024, 1659],
	['gpt-4.1-nano', 4000, 4000, 3779],
	['o3', 512, 512, 75 + 150],
	['gemini-2.5-pro', 300, 384, 258],
	['gemini-2.5-pro', 1000, 800, 258 * 4],
	['llava', 4000, 3000, 1600],
	['claude-sonnet-4-5', 0, 0, 1600]
])(
	'C13 case 32: %s counts an image of %d × %d pixels as %i tokens',
	(model, width, height, tokens) => {
		expect(imageCountOf(model)(width, height)).toBe(tokens);
	}
);

test('C13 images are counted as the model that is asked counts them, and no factor corrects them', () => {
	const picture = {
		...file('p.png', 2000),
		mediaType: 'image/png',
		width: 1024,
		height: 1024
	};
	const message = grow().user([text('look'), picture]);
	const words = measureMessage(message) - 2000;
	expect(estimatorOf(1.5).message(message)).toBe(Math.ceil(words * 1.5) + 2000);
	expect(estimatorOf(1.5, measureMessage, imageCountOf('gpt-4o')).message(message)).toBe(
		Math.ceil(words * 1.5) + 765
	);
});
