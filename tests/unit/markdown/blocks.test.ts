import fc from 'fast-check';
import type { Token } from 'marked';
import { describe, expect, test } from 'vitest';
import { settle, type Block } from '../../../src/lib/markdown/blocks';
import { lex } from '../../../src/lib/markdown/lexer';
import { renderBlock } from '../../../src/lib/markdown/render';

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const runs = Number(process.env['RUNS'] ?? 400);
/** A loaded machine is slow, not wrong. Milliseconds. */
const patience = 120_000;

const unify = (text: string) => text.replace(/\r\n?/g, '\n');
const whole = (text: string) => lex(unify(text)).filter(({ type }) => type !== 'space');
const sources = (blocks: readonly Block[]) => blocks.map(({ source }) => source).join('');
const html = (tokens: readonly Token[]) => tokens.map((token) => renderBlock(token));

/** The text cut at these places, each piece longer than the one before. */
function prefixes(text: string, cuts: readonly number[]): string[] {
	const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
	return at.map((end) => text.slice(0, end));
}

function stream(text: string, cuts: readonly number[]): readonly Block[] {
	let blocks: readonly Block[] | null = null;
	for (const prefix of prefixes(text, cuts)) {
		const next = settle(blocks, prefix);
		if (unify(prefix).trim() !== '' && !prefix.endsWith('\r'))
			expect(sources(next)).toBe(unify(prefix));
		blocks = next;
	}
	return settle(blocks, text, true);
}

const pieces = [
	'A paragraph with *emphasis*, `code` and [a link](https://a.example/x).\n\n',
	'See [foo] and [Bar Baz][] and [text][foo].\n\n',
	'[foo]: https://foo.example "A title"\n',
	'[bar baz]: <https://bar.example>\n\n',
	'> [quoted]: https://quoted.example\n> and [quoted] here\n\n',
	'# Heading\n',
	'Set\n===\n',
	'Under\n---\n\n',
	'---\n',
	'***\n\n',
	'- one\n- two\n  - deep\n\n',
	'- loose\n\n  with a paragraph\n\n- next\n',
	'1. first\n2. second\n\n',
	'1. first\n\n   ```js\n   let a = 1;\n   ```\n\n2. second\n\n',
	'- [ ] to do\n- [x] done\n\n',
	'```ts\nconst a = 1;\n\nconst b = `2`;\n```\n\n',
	'~~~\nplain\n~~~\n',
	'```python\ndef open():\n\n    pass\n',
	'    indented\n\n    code\n\n',
	'| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |\n\n',
	'a | b\n--|--\n1 | 2\n',
	'<div class="x">\n\n**inside**\n\n</div>\n\n',
	'<!-- a\n\ncomment -->\n',
	'<script>\nalert(1)\n\n</script>\n',
	'$$\nE = mc^2\n- x\n$$\n\n',
	'\\[\n\\int_0^1 x\n\\]\n',
	'Price $5 and $6, but $x_1$ is math and \\(y\\) too.\n',
	'![alt](https://img.example/a.png)\n\n',
	'text without an end',
	'\n',
	'\n\n\n',
	'   \n',
	'2',
	'. ',
	'- ',
	'[foo',
	']: ',
	'  two spaces\n',
	'"title"\n',
	'| c |\n',
	'====\n',
	'🧵 日本語 עברית\n\n'
];
const text = fc
	.array(
		fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, fc.string({ maxLength: 6 })),
		{
			maxLength: 14
		}
	)
	.chain((parts) =>
		fc.boolean().map((windows) => {
			const joined = parts.join('');
			return windows ? joined.replaceAll('\n', '\r\n') : joined;
		})
	);
const cuts = fc.array(fc.nat(2000), { maxLength: 60 });

describe(`blocks (seed ${seed})`, () => {
	test('a stream of any chunks renders what the whole text renders', { timeout: patience }, () => {
		fc.assert(
			fc.property(text, cuts, (source, at) => {
				const blocks = stream(source, at);
				expect(html(blocks.map(({ token }) => token))).toEqual(html(whole(source)));
				if (unify(source).trim() !== '') expect(sources(blocks)).toBe(unify(source));
			}),
			{ seed, numRuns: runs }
		);
	});

	test('a character at a time renders what the whole text renders', { timeout: patience }, () => {
		fc.assert(
			fc.property(text, (source) => {
				const every = Array.from({ length: source.length }, (_, index) => index + 1);
				const blocks = stream(source, every);
				expect(html(blocks.map(({ token }) => token))).toEqual(html(whole(source)));
			}),
			{ seed, numRuns: Math.ceil(runs / 4) }
		);
	});

	test(
		'a settled block keeps its object, unless a reference it mentions is defined later',
		{ timeout: patience },
		() => {
			fc.assert(
				fc.property(text, cuts, (source, at) => {
					let blocks: readonly Block[] = [];
					for (const prefix of [...prefixes(source, at), source]) {
						const next = settle(blocks, prefix);
						for (const block of blocks.filter(({ settled }) => settled)) {
							const now = next[block.key];
							expect(now?.source).toBe(block.source);
							if (!block.source.includes('[')) expect(now).toBe(block);
						}
						blocks = next;
					}
				}),
				{ seed, numRuns: runs }
			);
		}
	);
});

describe('blocks, case by case', () => {
	test('a list goes on after a blank line, so it is not settled by one', () => {
		const first = settle(null, '1. a\n\n2');
		expect(first.some(({ settled }) => settled)).toBe(false);
		const second = settle(first, '1. a\n\n2. b\n\nend\n');
		expect(second.map(({ token }) => token.type)).toEqual(['list', 'paragraph']);
		expect(second[0]?.settled).toBe(true);
	});

	test('an open program grows without being lexed, and closes', () => {
		let blocks = settle(null, 'Before.\n\n```ts\nlet a');
		blocks = settle(blocks, 'Before.\n\n```ts\nlet a = 1;\n');
		expect(blocks[1]?.token).toMatchObject({ type: 'code', lang: 'ts', text: 'let a = 1;' });
		blocks = settle(blocks, 'Before.\n\n```ts\nlet a = 1;\n```\n\nAfter.\n');
		expect(blocks.map(({ token }) => token.type)).toEqual(['paragraph', 'code', 'paragraph']);
	});

	test('another text starts anew', () => {
		const blocks = settle(settle(null, 'one\n\ntwo\n', true), 'three\n\nfour\n', true);
		expect(blocks.map(({ source }) => source)).toEqual(['three\n\n', 'four\n']);
	});

	test('a label like a property of objects is a label', () => {
		const blocks = settle(null, '[constructor]\n\n[constructor]: https://c.example\n', true);
		expect(renderBlock(blocks[0]?.token as Token)).toContain('https://c.example');
	});

	test(
		'the work over a stream is far below lexing the whole text at each chunk',
		{ timeout: patience },
		() => {
			const paragraph =
				'Some **words** in a `paragraph` with [a link](https://a.example) and more of them.\n\n';
			const source = paragraph.repeat(400);
			let lexed = 0;
			let blocks: readonly Block[] = [];
			let naive = 0;
			for (let end = 12; end < source.length; end += 12) {
				const start = blocks.filter(({ settled }) => settled).at(-1)?.end ?? 0;
				lexed += end - start;
				naive += end;
				blocks = settle(blocks, source.slice(0, end));
			}
			expect(naive / lexed).toBeGreaterThan(100);
		}
	);
});
