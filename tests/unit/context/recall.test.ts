import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ConversationMessage } from '../../../src/lib/history/message';
import { estimateText } from '../../../src/lib/context/estimate';
import { pageOf, searchAnswer } from '../../../src/lib/context/paging';
import {
	bestPassages,
	pinnedText,
	plainText,
	readToolResult,
	recallTools,
	searchMessages,
	toolsFor,
	type SearchHit
} from '../../../src/lib/context/recall';
import type { ReadableFile } from '../../../src/lib/context/files';
import { queryTerms, searchTerms } from '../../../src/lib/context/search-terms';
import { cpuTime } from '../../support/cpu';
import { file, grow, text, tool, words } from '../../support/tree';

const talk = (...texts: readonly string[]) =>
	grow().talk(...texts) as readonly ConversationMessage[];
const found = (messages: readonly ConversationMessage[], query: string) =>
	searchMessages(messages, query).hits.map((hit) => hit.snippet);

describe('C97', () => {
	test('C97 rare words first, phrases above all, newest where all else is equal', () => {
		const messages = talk('gap and test', 'only test', 'the spacing gap', 'test', 'test gap');
		expect(found(messages, 'gap test').slice(0, 2)).toEqual(['test gap', 'gap and test']);
		expect(found(messages, 'spacing test')[0]).toBe('the spacing gap');
		expect(found(messages, 'test gap')[0]).toBe('test gap');
	});

	test('C97 case and accents aside', () => {
		expect(found(talk('La práctica ESPACIADA'), 'practica espaciada')).toHaveLength(1);
		expect(found(talk('naive'), 'NAÏVE')).toHaveLength(1);
	});

	test('C97 the passage is cut around the rarest word, also behind accents', () => {
		const long = `${'intervención común '.repeat(200)}el tamaño de la muestra${' común'.repeat(200)}`;
		const messages = talk(long, 'algo común');
		const [hit] = searchMessages(messages, 'comun tamano').hits;
		expect(hit?.snippet).toContain('tamaño de la muestra');
		expect(hit?.snippet.length).toBeLessThan(340);
	});

	test.each(['水', '间隔练习'])('C97 a query of %s is a query', (query) => {
		expect(found(talk('我们比较了间隔练习。水'), query)).toHaveLength(1);
	});

	test.each(['', '  ', '?!', 'a'])('C97 a query of %j finds nothing', (query) => {
		expect(found(talk('a b c ?! nothing'), query)).toEqual([]);
	});

	test('C97 tools and files are searched too, reasoning is not', () => {
		const tree = grow();
		tree.user([file('sleep-study.csv'), text('look')]);
		tree.answer([
			{ type: 'reasoning', text: 'secretly' },
			tool('lookup', { key: 'Q7K2M9XP' }, { title: 'Distributed practice' })
		]);
		const messages = tree.branch() as readonly ConversationMessage[];
		for (const query of ['sleep-study', 'Q7K2M9XP', 'distributed', 'lookup']) {
			expect(found(messages, query)).toHaveLength(1);
		}
		expect(found(messages, 'secretly')).toEqual([]);
		expect(messages.map(plainText).join()).not.toContain('secretly');
	});

	test('C97 the text of a file is searched where it was read, behind what was said', () => {
		const read: ReadableFile = { ...file('paper.txt'), text: 'It says zebra.' };
		const message = grow().user([read, text('Look.')]);
		expect(plainText(message)).toBe('paper.txt\n\nLook.\n\n(file: paper.txt)\nIt says zebra.');
		expect(found([message], 'zebra')[0]).toContain('It says zebra.');
	});

	test('C120 a pin carries what was said and the names of its files; of bare calls, those', () => {
		const read: ReadableFile = { ...file('paper.txt'), text: 'It says zebra.' };
		const tree = grow();
		expect(pinnedText(tree.user([read, text('Keep this.')]))).toBe(
			'Keep this.\n\n(file: paper.txt)'
		);
		expect(pinnedText(tree.user([file('a.txt')]))).toBe('a.txt');
		expect(pinnedText(tree.answer([tool('find', {}, 'hit')]))).toBe('find {}\nhit');
	});

	test.each([
		['plain', words(300_000)],
		['accented', 'el tamaño de la intervención común '.repeat(60_000)],
		['Han', '我们比较了间隔练习'.repeat(200_000)]
	])('C97 passages of eight huge messages take no time to speak of: %s', (_, body) => {
		const tree = grow();
		const found = Array.from({ length: 32 }, (_, n) => ({
			message: tree.user(`${body} needle ${n} tamaño`),
			score: 1
		}));
		let hits: readonly SearchHit[] = [];
		expect(cpuTime(() => (hits = bestPassages(found, 'nothing', ['needle'])))).toBeLessThan(3000);
		expect(hits.map(({ snippet }) => snippet).every((s) => /needle \d+ tamaño/.test(s))).toBe(true);
	});

	test('C97 the passage stands where the word does, whatever folding did before it', () => {
		const piece = fc.constantFrom('İ', 'ñ', 'ﬁ', 'e\u0301', '가', '😀', 'Σ', 'a', ' ', 'が');
		fc.assert(
			fc.property(
				fc.array(piece, { maxLength: 40 }),
				fc.integer({ min: 1, max: 900 }),
				(pieces, n) => {
					const before = pieces.join('').repeat(n);
					const [hit] = searchMessages(talk(`${before} needle after`), 'needle').hits;
					expect(hit?.snippet).toContain('needle after');
				}
			),
			{ numRuns: 100 }
		);
	});

	test('C97 at most eight passages, and how many more there were', () => {
		const messages = talk(...Array.from({ length: 40 }, () => 'gap'), 'nothing');
		const { hits, total } = searchMessages(messages, 'gap');
		expect([hits.length, total]).toEqual([8, 40]);
	});

	test('C97 ten thousand messages are searched in time for a reader', () => {
		const messages = talk(
			...Array.from({ length: 10_000 }, (_, n) => `${words(150, n)} número ${n}`)
		);
		let hits: readonly string[] = [];
		expect(cpuTime(() => (hits = found(messages, 'número 7777')))).toBeLessThan(2000);
		expect(hits[0]).toContain('número 7777');
	});
});

const tokens = (value: unknown) => estimateText(JSON.stringify(value));

describe('C98', () => {
	test('C98 pages of any text are within the limit, and together the text', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: 'binary', maxLength: 2000 }),
				fc.integer({ min: 80, max: 400 }),
				(text, limit) => {
					let read = '';
					for (let offset: number | undefined = 0; offset !== undefined;) {
						const page: { text: string; nextOffset?: number; remainingCharacters?: number } =
							pageOf({ handle: 'r:0123456789.1' }, text, offset, limit);
						expect(tokens(page)).toBeLessThanOrEqual(limit);
						read += page.text;
						expect(page.remainingCharacters ?? 0).toBe(text.length - read.length);
						offset = page.nextOffset;
					}
					expect(read).toBe(text);
				}
			)
		);
	});

	test('C98 text that is dear as JSON is within the limit too', () => {
		const page = pageOf({}, '"\n\t\\'.repeat(2000), 0, 300);
		expect(tokens(page)).toBeLessThanOrEqual(300);
		expect(page.text.length).toBeGreaterThan(100);
	});

	test('C98 an offset behind the end is told where the end is', () => {
		expect(() => pageOf({}, 'abc', 3, 100)).toThrow('The text ends at character 3.');
		expect(pageOf({}, '', 0, 100)).toEqual({ text: '' });
	});

	test('C98 a search’s answer is within the limit and counts what it leaves out', () => {
		const messages = talk(...Array.from({ length: 40 }, (_, n) => `gap ${words(90, n)}`));
		const found = searchMessages(messages, 'gap');
		const all = searchAnswer(found, 5000);
		expect([all.hits.length, all.moreHits]).toEqual([8, 32]);
		const few = searchAnswer(found, 400);
		expect(tokens(few)).toBeLessThanOrEqual(400);
		expect(few.hits.length + (few.moreHits ?? 0)).toBe(40);
		expect(few.hits.length).toBeGreaterThan(1);
		expect(searchAnswer(searchMessages(talk('a gap'), 'gap'), 400)).not.toHaveProperty('moreHits');
	});

	test('C98 reading results on comes with whatever can bring a large one', () => {
		const other = { name: 'lookup', description: '', inputSchema: {} };
		const names = (input: Parameters<typeof toolsFor>[0]) =>
			toolsFor(input).map(({ name }) => name);
		expect(names({ hasCheckpoint: false })).toEqual([]);
		expect(names({ hasCheckpoint: false, hasCutResult: true })).toEqual([readToolResult.name]);
		expect(names({ hasCheckpoint: false, others: [other] })).toEqual([
			'lookup',
			'read_tool_result'
		]);
		expect(toolsFor({ hasCheckpoint: true })).toEqual(recallTools);
		expect(names({ hasCheckpoint: true, hasCutResult: true, others: [other] })).toEqual([
			'lookup',
			'search_history',
			'read_message',
			'read_tool_result'
		]);
	});

	test('C98 the schemas of the three are small', () => {
		expect(tokens(recallTools)).toBeLessThan(330);
		expect(tokens(readToolResult)).toBeLessThan(120);
	});
});

describe('C99', () => {
	test.each([
		['The Spacing-Effect, 2006', ['the', 'spacing', 'effect', '2006']],
		['práctica ÉL', ['practica', 'el']],
		['间隔练习', ['间隔', '隔练', '练习', '习']],
		['ガイド', ['ガイ', 'イド', 'ド']],
		['학습은', ['학습', '습은', '은']],
		['用GPT写', ['用', 'gpt', '写']],
		['हिन्दी', ['हिन्दी']],
		['?!', []]
	])('C99 the terms of %s', (text, terms) => expect(searchTerms(text)).toEqual(terms));

	test('C99 a query asks for pairs of characters, and for one only where it stands alone', () => {
		expect(queryTerms('间隔练习')).toEqual(['间隔', '隔练', '练习']);
		expect(queryTerms('水')).toEqual(['水']);
		expect(queryTerms('a gap a')).toEqual(['gap']);
	});
});
