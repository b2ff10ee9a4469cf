import { describe, expect, test } from 'vitest';
import { preserve, withoutPreserved } from '../../../src/lib/compaction/preserve';
import { findReferences, type FoundReference } from '../../../src/lib/compaction/references';
import { PRESERVED_HEADING } from '../../../src/lib/compaction/template';
import { estimateText } from '../../../src/lib/context/estimate';
import { checkpointBlock } from '../../../src/lib/context/request';
import type { Part, ReferenceKind } from '../../../src/lib/history/message';
import type { ReadableFile } from '../../../src/lib/context/files';
import { cpuTime } from '../../support/cpu';
import { file, grow, messageId, text, tool } from '../../support/tree';

const find = (value: string) => findReferences([grow().user(value)], []);
const texts = (value: string, kind: ReferenceKind) =>
	find(value)
		.filter((reference) => reference.kind === kind)
		.map((reference) => reference.text);
const reference = (kind: ReferenceKind, value: string, count = 1): FoundReference => ({
	kind,
	text: value,
	messageIds: [messageId(1)],
	count
});

describe('C70 kinds', () => {
	test.each<[ReferenceKind, string, string[]]>([
		['url', 'see https://example.org/a?b=1#c. Then', ['https://example.org/a?b=1#c']],
		[
			'url',
			'(https://en.wikipedia.org/wiki/Memory_(disambiguation))',
			['https://en.wikipedia.org/wiki/Memory_(disambiguation)']
		],
		[
			'url',
			'[link](https://example.org/x) and **https://example.org/y**',
			['https://example.org/x', 'https://example.org/y']
		],
		['url', '见https://example.org/路径，其中', ['https://example.org/']],
		['url', 'https://', []],
		[
			'doi',
			'doi:10.1037/0033-2909.132.3.354, and (10.1016/S0140-6736(05)67483-1).',
			['10.1037/0033-2909.132.3.354', '10.1016/S0140-6736(05)67483-1']
		],
		['arxiv', 'arXiv:2304.03442v2', ['2304.03442v2']],
		['isbn', 'ISBN 978-0-262-03384-8', ['978-0-262-03384-8']],
		['zotero-key', 'item Q7K2M9XP, not ABSOLUTE, not 12345678, not Q7K2M9XPZ', ['Q7K2M9XP']],
		['citekey', 'as @roediger2006test says, not me@smith2020.org or @marta', ['roediger2006test']],
		[
			'path',
			'in src/lib/a.ts:12, ./b/c.json and /etc/x.conf.',
			['src/lib/a.ts', './b/c.json', '/etc/x.conf']
		],
		['path', 'https://example.org/a/b.html and 10.1111/j.1467-9280.x and and/or', []],
		['identifier', 'call `pathTo` with `fromDepth`', ['pathTo', 'fromDepth']],
		['identifier', '`a` and then `b`', []],
		['date', 'on 2024-05-06', ['2024-05-06']],
		[
			'quantity',
			'n = 1,354; 95 % of 42 participants after 3 weeks, p < .05, d = 0.72',
			['n = 1,354', '95 %', '42 participants', '3 weeks', 'p < .05', 'd = 0.72']
		],
		['quantity', '30 días y 12 participantes', ['30 días', '12 participantes']],
		[
			'quotation',
			'she wrote "the benefit depends on delay" and “another long sentence”',
			['the benefit depends on delay', 'another long sentence']
		],
		['quotation', 'he said "yes" to everything and then "no"', []],
		['url', 'preprint at arxiv.org/abs/2304.03442, see', ['arxiv.org/abs/2304.03442']],
		[
			'arxiv',
			'arXiv:math/0211159 and arXiv: hep-th/9711200v3.',
			['math/0211159', 'hep-th/9711200v3']
		],
		['arxiv', 'arXiv 2101.00001, arXiv 2101.1 and arXiv 2101', ['2101.00001']],
		['arxiv', 'arXiv:23040.3442 and arXiv preprints', []],
		[
			'identifier',
			'PMID: 12345678, PMID 9876543, PMC1234567, NCT01234567, GSE12345 with GSM98765, rs1234, ORCID 0000-0002-1825-0097 and https://orcid.org/0000-0002-1694-233X',
			[
				'PMID: 12345678',
				'PMID 9876543',
				'PMC1234567',
				'NCT01234567',
				'GSE12345',
				'GSM98765',
				'rs1234',
				'0000-0002-1825-0097',
				'0000-0002-1694-233X'
			]
		],
		[
			'identifier',
			'PMC, NCT0123, xrs1234, rs12, GSE1, hours1234, 4111-1111-1111-1111, 0000-0002-1825-0098, PMID unknown',
			[]
		],
		['zotero-key', 'GSE23456, GSM23456, PMC23456', []],
		['isbn', 'ISBN-10: 0-306-40615-2', ['0-306-40615-2']],
		[
			'zotero-key',
			'zotero://select/library/items/ABCDEFGH, itemKey: QWERTYUP, key Q7K2M9XP, monkey: BANANASX',
			['ABCDEFGH', 'QWERTYUP', 'Q7K2M9XP']
		],
		[
			'citekey',
			'[@smith2020; @doe-etal:2019, p. 12] and \\citep[p. 5]{lee1999,kim_2001}, @article{ng2011, x}',
			['smith2020', 'doe-etal:2019', 'lee1999', 'kim_2001', 'ng2011']
		],
		['citekey', '@user12345 and @types/node and \\cite{}', []],
		[
			'path',
			'C:\\Users\\ana\\notes.txt, ~/Zotero/storage/Q7K2M9XP, ~/b.md and /etc/hosts; see data.csv.',
			['C:\\Users\\ana\\notes.txt', '~/Zotero/storage/Q7K2M9XP', '~/b.md', '/etc/hosts', 'data.csv']
		],
		['path', 'Node.js and/or he/she, 12 km/h, 5/6, U.S.A.md5, /etc, \\t\\tbyId.set', []],
		[
			'identifier',
			'rename first_author to firstAuthor, keep MAX_TOKENS and store.save(), or run().',
			['first_author', 'firstAuthor', 'MAX_TOKENS', 'store.save()', 'run()']
		],
		[
			'identifier',
			'IMPORTANT: GitHub, iPhone, arXiv, bioRxiv, mmHg, eLife, v1.2.3, e.g. and https://a.org/some_page my_file.csv _so_ called',
			[]
		],
		['identifier', '```ts\nconst some_name = otherName();\n```', []],
		[
			'date',
			'12 March 2024, March 3rd, 2021, 1 de mayo de 2019, 3. Januar 2020, 2024年3月12日',
			['12 March 2024', 'March 3rd, 2021', '1 de mayo de 2019', '3. Januar 2020', '2024年3月12日']
		],
		['date', 'in 2024, may 12 people, version 2024-5', []],
		[
			'quantity',
			'3.5 × 10^-6 m, 12 mg/kg, 20–25 °C, 7.2 ± 1.1 mmol/L, $1,200, € 35, 40 EUR, -5 °C',
			[
				'3.5 × 10^-6 m',
				'12 mg/kg',
				'20–25 °C',
				'7.2 ± 1.1 mmol/L',
				'$1,200',
				'€ 35',
				'40 EUR',
				'-5 °C'
			]
		],
		[
			'quantity',
			'95% CI [0.12, 0.45], IC 95 %: 1,1–2,3; N=48, p < .001, t(38) = 2.10, χ²(1) = 4.1, OR = 1.8 (x = 3)',
			[
				'95% CI [0.12, 0.45]',
				'IC 95 %: 1,1–2,3',
				'N=48',
				'p < .001',
				't(38) = 2.10',
				'χ²(1) = 4.1',
				'OR = 1.8'
			]
		],
		['quantity', 'version 1.2.3, in 2020, item 12, step = 4, 3 in a row, $x, 12mgs', []],
		[
			'quotation',
			'„die Wirkung hängt ab“ and “another long sentence”, ‘it doesn’t depend on the delay’, 「効果は遅延に依存する」',
			[
				'die Wirkung hängt ab',
				'another long sentence',
				'it doesn’t depend on the delay',
				'効果は遅延に依存する'
			]
		],
		['quotation', 'the ‘short’ one, don’t\n```\nthrow "an error of some length"\n```', []],
		[
			'page',
			'p. 12, pp. 13–15, page 123, S. 12, pág. 14, págs. 12-15, ch. 3, chapter 4, § 4.2, Table 2, Fig. 3a, figure 5, p. xii, 第 8 页',
			[
				'p. 12',
				'pp. 13–15',
				'page 123',
				'S. 12',
				'pág. 14',
				'págs. 12-15',
				'ch. 3',
				'chapter 4',
				'§ 4.2',
				'Table 2',
				'Fig. 3a',
				'figure 5',
				'p. xii',
				'第 8 页'
			]
		],
		['page', 'stop. 12 people, p = 12, U.S. 12, a page, the table, 5 s. 12 more, figures', []],
		[
			'command',
			'$ npm test -- --run\n```sh\n# first\ngit status # clean?\ncd a && ls\n```\nthen `rg -n foo src`',
			['npm test -- --run', 'git status', 'cd a && ls', 'rg -n foo src']
		],
		['command', '```console\n$ uv sync\nResolved 3 packages\n```', ['uv sync']],
		['command', '$ 35 is a lot; `git`, `make`, `getThis that`; ```ts\ngit status\n```', []],
		[
			'decision',
			'Decision: use PEDro.\n- **Decided:** drop Lee 1999\n2. We decided to stop at 40 trials.\nDecisión: usar R\n  Entscheidung: nein\nDécision : oui\n决定：用英文\n決定：英語で',
			[
				'Decision: use PEDro.',
				'**Decided:** drop Lee 1999',
				'We decided to stop at 40 trials.',
				'Decisión: usar R',
				'Entscheidung: nein',
				'Décision : oui',
				'决定：用英文',
				'決定：英語で'
			]
		],
		[
			'decision',
			'We rejected Cochrane RoB because it hides the risk.\nI have chosen R.\nCorrection: n = 48.\nDescartamos a Lee.',
			[
				'We rejected Cochrane RoB because it hides the risk.',
				'I have chosen R.',
				'Correction: n = 48.',
				'Descartamos a Lee.'
			]
		],
		[
			'decision',
			'Do not use APA style.\nPlease never cite preprints.\n- **Exclude** studies before 2010, e.g. Lee; the rest stays.\nSo be it. Rejected: option C. No usar tablas. Don’t add p = .05 anywhere! 不要使用表格。排除 Lee。',
			[
				'Do not use APA style.',
				'Please never cite preprints.',
				'**Exclude** studies before 2010, e.g. Lee; the rest stays.',
				'Rejected: option C.',
				'No usar tablas.',
				'Don’t add p = .05 anywhere!',
				'不要使用表格。',
				'排除 Lee。'
			]
		],
		[
			'decision',
			'Never mind. I never cite. Do not worry. Don’t you think so. Do not use it? He said do not. Excluded are three. No usa R. Nevertheless, go on.',
			[]
		],
		['decision', `Never ${'cite '.repeat(80)}`, []],
		[
			'decision',
			`We read Lee. The decision: none. Decisions are hard. Decision:\nWe decided what?\nDecision: ${'long '.repeat(70)}`,
			[]
		],
		['quantity', 'a gap of $0.1\\,d$ and $0.2$ of it, at $1,200 or $35.', ['$1,200', '$35']]
	])('C70 %s in %j', (kind, value, expected) => {
		expect(texts(value, kind).sort()).toEqual(expected.toSorted());
	});

	test('C73 of equals the newest comes first', () => {
		const tree = grow();
		const [first, second] = [tree.user('see 10.1000/a'), tree.user('see 10.1000/b')];
		const found = findReferences([first, second], []);
		expect(found.map(({ text }) => text)).toEqual(['10.1000/b', '10.1000/a']);
		const later = findReferences([tree.user('see 10.1000/c')], found);
		expect(later[0]?.text).toBe('10.1000/c');
	});

	test('C71 paths, numbers and quotations of tool results are not taken, their keys and URLs are', () => {
		const answer = grow().answer([
			text('spoken.'),
			tool('read', {}, 'src/x/y.ts has 40 % of `things` on 2024-05-06; https://a.org/b Q7K2M9XP')
		]);
		expect(
			findReferences([answer], [])
				.map(({ kind }) => kind)
				.sort()
		).toEqual(['url', 'zotero-key']);
	});

	test('C71 why a tool failed is what it returned', () => {
		const failed = {
			...tool('find', {}, undefined),
			state: 'output-error',
			errorText: 'No such item: https://api.example.org/x, 10.1000/zzz'
		} as Part;
		expect(findReferences([grow().answer([failed])], [])).toMatchObject([
			{ text: '10.1000/zzz', count: 0 },
			{ text: 'https://api.example.org/x', count: 0 }
		]);
	});

	test('C71 a file’s text is searched as what a tool returned', () => {
		const read: ReadableFile = {
			...file('paper.txt'),
			text: 'See 10.1234/abcd.5678, \\textcite{lee2019}, src/x/y.ts; 40 % of `things`.\nDecision: no.'
		};
		const found = findReferences([grow().user([read, text('Read 10.1000/a.')])], []);
		expect(found.map(({ kind, text: value, count }) => [kind, value, count])).toEqual([
			['doi', '10.1000/a', 1],
			['file', 'paper.txt', 1],
			['doi', '10.1234/abcd.5678', 0],
			['citekey', 'lee2019', 0]
		]);
	});

	test('C71 only a user decides', () => {
		const answer = grow().answer('Decision: use PEDro. Never use R.');
		expect(findReferences([answer], [])).toEqual([]);
	});

	test('C71 what only a tool returned comes after what was said or asked of a tool', () => {
		const answer = grow().answer([
			tool('read_pdf', { key: 'Q7K2M9XP' }, '{"next":"10.1000/xyz\\nZ8K2M9XP"}'),
			text('It says `pathTo` at 40 %.')
		]);
		expect(findReferences([answer], []).map(({ text: value, count }) => [value, count])).toEqual([
			['Q7K2M9XP', 1],
			['40 %', 1],
			['pathTo', 1],
			['10.1000/xyz', 0],
			['Z8K2M9XP', 0]
		]);
	});

	test('C70 what two patterns find in one place counts once', () => {
		const found = find('items/QWERTYUP, key: Q7K2M9XP, `first_name`\n```sh\n$ npm test\n```');
		expect(found.filter(({ kind }) => kind !== 'path').map(({ count }) => count)).toEqual([
			1, 1, 1, 1
		]);
	});

	test('C71 case 38: a file is in the ledger', () => {
		const user = grow().user([file('Cepeda 2006.pdf')]);
		expect(findReferences([user], [])).toMatchObject([
			{ kind: 'file', text: 'Cepeda 2006.pdf', messageIds: [user.id], count: 1 }
		]);
	});

	test('C70 counts and messages add up with the previous ledger', () => {
		const tree = grow();
		const user = tree.user('Q7K2M9XP and Q7K2M9XP');
		const found = findReferences(
			[user],
			[{ ...reference('zotero-key', 'Q7K2M9XP', 5), messageIds: [messageId(9)] }]
		);
		expect(found).toEqual([
			{ kind: 'zotero-key', text: 'Q7K2M9XP', messageIds: [messageId(9), user.id], count: 7 }
		]);
		// A refresh reads no message: the ledger stays as it was.
		expect(findReferences([], found)).toEqual(found);
	});
});

describe('C72 hostile text', () => {
	const megabyte = (piece: string) => piece.repeat(Math.ceil(1_000_000 / piece.length));
	test.each([
		'a',
		'.',
		'/',
		'-',
		'@',
		':',
		'"',
		'“',
		'«',
		'`',
		'1',
		',',
		' ',
		'(',
		')',
		'_',
		'A',
		'A1',
		'a.',
		'a/',
		'a-',
		'@a',
		'../',
		'1,',
		'1.',
		'"a',
		'`a',
		'a@',
		'-@',
		'10.1234/',
		'10.1234/.',
		'http://',
		'https://a.',
		'https://a)',
		'ISBN 978',
		'n = ',
		'\\cite{',
		'\\cite[a]',
		'@a{',
		'C:\\',
		'~/',
		'‘',
		'‘a',
		'’a',
		'„',
		'「',
		'»',
		'$ a',
		'\n$ a ',
		'\n```sh\n',
		'```',
		'\nDecision: ',
		'\n- ',
		'p. ',
		'第1',
		'1 × 10',
		'1–',
		'1 ± ',
		'95 % CI [1',
		'key: ',
		'a_',
		'aB',
		'a()',
		'1 de ',
		'12 March ',
		'< 1',
		'Never. ',
		'\nDo not use',
		'Never e.g. ',
		'. ',
		'勿',
		'PMID: ',
		'PMC1',
		'0000-',
		'\n',
		'é',
		'字',
		'😀'
	])('C72 a megabyte of %j takes well under a second', (piece) => {
		const user = grow().user(`x ${megabyte(piece)} y`);
		expect(cpuTime(() => findReferences([user], []))).toBeLessThan(1000);
	});
});

describe('C73 the ledger is bounded', () => {
	test('C73 most important first, 2,000 at most', () => {
		const many = Array.from({ length: 3000 }, (_, n) => `\`name${n}\``).join(' ');
		const found = find(`${many} 10.1000/xyz`);
		expect(found).toHaveLength(2000);
		expect(found[0]?.kind).toBe('doi');
	});

	test('C73 a reference of endless length is left out', () => {
		expect(texts(`https://example.org/${'a'.repeat(5000)}`, 'url')).toEqual([]);
	});

	test('C73 a reference said everywhere names its first and last messages only', () => {
		const tree = grow();
		const messages = Array.from({ length: 100 }, () => tree.user('Q7K2M9XP', null));
		const [found] = findReferences(messages, []);
		expect(found?.count).toBe(100);
		expect(found?.messageIds).toEqual(
			[...messages.slice(0, 4), ...messages.slice(-4)].map(({ id }) => id)
		);
	});
});

describe('C74–C76 putting back', () => {
	const ledger = [
		reference('doi', '10.1037/0033'),
		reference('zotero-key', 'Q7K2M9XP'),
		reference('quantity', '3 weeks')
	];

	test('C75 dropped references come back, in order, under their heading', () => {
		const { summary, references } = preserve('## A\n\nQ7K2M9XP', ledger, 1000);
		expect(summary).toBe(
			`## A\n\nQ7K2M9XP\n\n## ${PRESERVED_HEADING}\n\n- doi: 10.1037/0033\n- quantity: 3 weeks`
		);
		expect(references.map(({ kept }) => kept)).toEqual([true, true, true]);
	});

	test('C75 one kind is one line, sentences are one a line', () => {
		const { summary } = preserve(
			'## A',
			[
				reference('doi', '10.1000/a'),
				reference('decision', 'Decision: use PEDro.'),
				reference('zotero-key', 'Q7K2M9XP'),
				reference('doi', '10.1000/b'),
				reference('quotation', 'the benefit depends on delay'),
				reference('decision', 'Decided: stop; at 40.'),
				reference('zotero-key', 'Z8K2M9XP')
			],
			1000
		);
		expect(summary.split('\n').slice(4)).toEqual([
			'- doi: 10.1000/a · 10.1000/b',
			'- decision: Decision: use PEDro.',
			'- decision: Decided: stop; at 40.',
			'- zotero-key: Q7K2M9XP · Z8K2M9XP',
			'- quotation: the benefit depends on delay'
		]);
	});

	test('C75 what a line put back already says is not put back again', () => {
		const { summary, references } = preserve(
			'## A',
			[reference('decision', 'Decided: n = 48 it is.'), reference('quantity', 'n = 48')],
			1000
		);
		expect(summary).not.toContain('- quantity');
		expect(references.map(({ kept }) => kept)).toEqual([true, true]);
	});

	test('C75 little is measured, and nearly all of the budget is used', () => {
		const kinds = ['doi', 'zotero-key', 'quotation', 'quantity'] as const;
		const ledger = Array.from({ length: 2000 }, (_, n) =>
			reference(kinds[n % 4] ?? 'doi', `10.${1000 + n}/thing ${n} of many`)
		);
		let measured = 0;
		// A calibrated measure, and one that is no multiple of the estimate at all.
		for (const [tokensOf, least] of [
			[(text: string) => Math.ceil(1.4 * estimateText(text)), 1480],
			[(text: string) => text.length, 1400],
			[(text: string) => estimateText(text) + text.split('·').length * 9, 1200]
		] as const) {
			measured = 0;
			const { summary } = preserve('## A\n\nprose', ledger, 1500, (text) => {
				measured++;
				return tokensOf(text);
			});
			const taken = tokensOf(summary) - tokensOf('## A\n\nprose');
			expect(taken).toBeLessThanOrEqual(1500);
			expect(taken).toBeGreaterThan(least);
			expect(measured).toBeLessThan(100);
		}
	});

	test('C75 the room that a section took is room enough for it', () => {
		for (const count of [1, 2, 7, 30, 60, 95]) {
			const ledger = Array.from({ length: count }, (_, n) =>
				reference(n % 3 === 0 ? 'quotation' : 'doi', `10.1000/paper-${n}`)
			);
			const tokens = (text: string) => estimateText(checkpointBlock(text).text);
			const { summary } = preserve('## A', ledger, 5000);
			const again = preserve('## A', ledger, tokens(summary) - tokens('## A'));
			expect(again.summary).toBe(summary);
		}
	});

	test('C75 2,000 references beside a long summary take no time to speak of', () => {
		const ledger = Array.from({ length: 2000 }, (_, n) => reference('identifier', `someName${n}`));
		const prose = `## A\n\n${'A line of prose with its words and 12 numbers. '.repeat(3000)}`;
		expect(cpuTime(() => preserve(prose, ledger, 1500))).toBeLessThan(1000);
	});

	test('C76 what does not fit is said to be missing', () => {
		const { summary, references } = preserve('## A', ledger, 24);
		const missing = references.filter(({ kept }) => !kept);
		expect(missing.length).toBeGreaterThan(0);
		for (const { text: value, kept } of references) expect(summary.includes(value)).toBe(kept);
		expect(preserve('## A', ledger, -5).summary).toBe('## A');
	});

	test('C75 the section stays within its budget', () => {
		const many = Array.from({ length: 300 }, (_, n) => reference('identifier', `someName${n}`));
		for (const budget of [50, 200, 1500]) {
			const { summary } = preserve('## A', many, budget);
			const tokens = (value: string) => estimateText(checkpointBlock(value).text);
			expect(tokens(summary) - tokens('## A')).toBeLessThanOrEqual(budget);
		}
	});

	test.each<[ReferenceKind, string, string, boolean]>([
		['quantity', '5 %', 'about 25 % of', false],
		['quantity', '5 %', 'about 5 % of', true],
		['quantity', '3 weeks', 'after 1.3 weeks', false],
		['quantity', 'n = 4', 'n = 40', false],
		['identifier', 'path', 'the pathTo function', false],
		['identifier', 'path', 'the path, then', true],
		['doi', '10.1000/ab', '10.1000/abc', false],
		['url', 'https://a.org/x', 'https://a.org/x/y', false],
		['url', 'https://a.org/x', 'https://a.org/x.', true],
		['url', 'https://a.org/x', 'https://a.org/x/y and https://a.org/x', true],
		['doi', '10.1000/ab', 'https://doi.org/10.1000/ab', true],
		['date', '2024-05-06', '见2024-05-06。', true],
		['command', 'git status', 'then git status --short', false],
		['command', 'git status', 'then git status shows', true],
		['page', 'p. 12', 'on p. 12–15', false],
		['page', 'p. 12', 'on pp. 12', false],
		['quantity', '5 %', '3–5 % of', false],
		['quantity', '12 mg', 'gave −12 mg', false],
		['quantity', '12 mg', 'gave -12 mg', false],
		['quantity', '12 mg', 'gave +12 mg', false],
		['quantity', '12 mg', 'under < 12 mg', false],
		['quantity', '12 mg', '8 ±12 mg', false],
		['quantity', '12 mg', '- 12 mg was rejected', true],
		['quantity', '12 mg', '(12 mg)', true],
		['quantity', '12 mg', '每天12 mg的', true],
		['quantity', '12 m', 'of 12 m²', false],
		['quantity', '.05 mg', 'of 0.05 mg', false],
		['quantity', '−12 mg', 'gave −12 mg', true],
		['citekey', 'ber2024', 'see über2024', false],
		['citekey', 'über2024', 'see über2024', true],
		['citekey', 'smith2020', 'see smith2020á', false],
		['citekey', 'smith2020', '见smith2020的', true],
		['identifier', 'n_total', 'naïven_total', false],
		['url', 'https://a.org/x', 'https://a.org/xé', false],
		['url', 'https://a.org/x', '见https://a.org/x是', true]
	])('C74 the %s %j in %j is kept: %s', (kind, value, summary, kept) => {
		expect(preserve(summary, [reference(kind, value)], 0).references[0]?.kept).toBe(kept);
	});

	test('C75 whatever stands under that heading is replaced, wherever and however often', () => {
		const own = `## A\n\none\n\n## ${PRESERVED_HEADING}\n\n- doi: made up\n\n## B\n\ntwo\n\n### preserved references\n- again`;
		expect(withoutPreserved(own)).toBe('## A\n\none\n\n## B\n\ntwo');
		expect(preserve(own, ledger, 1000).summary).not.toContain('made up');
		expect(withoutPreserved(preserve('## A', ledger, 1000).summary)).toBe('## A');
	});
});
