import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { missingSections } from '$lib/compaction/template';
import { summaryRequest, type PromptInput } from '$lib/compaction/prompt';
import { estimateText } from '$lib/context/estimate';
import { readCheckpointRequest } from '$lib/models/offline/checkpoint-request';
import { writeCheckpoint } from '$lib/models/offline/checkpoint';
import { identifierSpans, shorten } from '$lib/models/offline/identifiers';

const review = `[m:0a1b2c3d4e user]
Hello!
I am writing a systematic review on sleep and memory consolidation in older adults. We must only include randomised trials published after 2010. Exclude studies with fewer than 30 participants.
[m:1111222233 assistant]
Understood. I will search your Zotero library.
[m:1111222233 tool search_library]
input: {"query":"sleep memory older adults"}
result: [{"key":"ABCD2345","title":"Sleep spindles and memory in ageing","doi":"10.1016/j.neuro.2015.03.001"},{"key":"XY9Z7QRS","title":"Slow-wave stimulation","doi":"10.1093/sleep/zsx123"}]
[m:4444555566 assistant]
## Results
- Mander et al. (2015) found that slow-wave activity was reduced by 23 % (n = 84), p. 12.
- A hypothesis is that spindles mediate the effect.
Next, we could screen the remaining 14 items.
[m:7777888899 user]
We decided to use the PEDro scale and rejected Cochrane RoB. What is the effect size in Papalambros 2017?
[m:aaaabbbbcc assistant]
I could not open the PDF of XY9Z7QRS: it is behind a paywall.
[m:ddddeeeeff user continued]
Please run \`npm test\` in src/analysis/model.ts tomorrow.`;

const prompt = (more: Partial<PromptInput> = {}) => {
	const { system, prompt: text } = summaryRequest({
		template: 'research',
		previousSummary: null,
		transcript: [review],
		target: 600,
		cap: 1600,
		...more
	});
	return [
		{ role: 'system' as const, content: system },
		{ role: 'user' as const, content: [{ type: 'text' as const, text }] }
	];
};
const write = (more: Partial<PromptInput> = {}, max?: number): string => {
	const request = readCheckpointRequest(prompt(more));
	if (!request) throw new Error('Not recognised.');
	return writeCheckpoint(request, max);
};
const section = (summary: string, heading: string): string[] =>
	(summary.split(`## ${heading}\n`)[1]?.split('\n\n## ')[0] ?? '').split('\n');
const bullets = (summary: string) => summary.split('\n').filter((line) => line.startsWith('- '));

describe('the request', () => {
	test('is read whole', () => {
		const request = readCheckpointRequest(
			prompt({ previousSummary: '## Decisions\n- x', focus: 'numbers' })
		);
		expect(request).toMatchObject({
			previous: '## Decisions\n- x',
			focus: 'numbers',
			target: 600,
			cap: 1600
		});
		expect(request?.headings).toHaveLength(8);
		expect(
			request?.blocks.map(({ id, speaker, tool }) => [id, speaker, tool].join(' ').trim())
		).toEqual([
			'0a1b2c3d4e user',
			'1111222233 assistant',
			'1111222233 tool search_library',
			'4444555566 assistant',
			'7777888899 user',
			'aaaabbbbcc assistant',
			'ddddeeeeff user'
		]);
	});

	test.each([
		['a chat', [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }]],
		['a transcript without headings', prompt().slice(1)],
		['headings without a transcript', prompt().slice(0, 1)]
	])('%s is none', (_name, given) => {
		expect(readCheckpointRequest(given)).toBeNull();
	});
});

describe('the research template', () => {
	const summary = write();
	test.each<[string, string]>([
		[
			'Research Goal',
			'- [user] I am writing a systematic review on sleep and memory consolidation in older adults. (m:0a1b2c3d4e)'
		],
		[
			'User Requirements and Constraints',
			'- [user] We must only include randomised trials published after 2010. (m:0a1b2c3d4e)'
		],
		[
			'User Requirements and Constraints',
			'- [user] Exclude studies with fewer than 30 participants. (m:0a1b2c3d4e)'
		],
		[
			'Research Progress',
			'- [model] I could not open the PDF of XY9Z7QRS: it is behind a paywall. (m:aaaabbbbcc)'
		],
		[
			'Findings and Evidence',
			'- [model] Mander et al. (2015) found that slow-wave activity was reduced by 23 % (n = 84), p. 12. (m:4444555566)'
		],
		[
			'Findings and Evidence',
			'- [model] A hypothesis is that spindles mediate the effect. (m:4444555566)'
		],
		[
			'Key Zotero Resources',
			'- [tool] key: ABCD2345; title: Sleep spindles and memory in ageing; doi: 10.1016/j.neuro.2015.03.001 (m:1111222233)'
		],
		[
			'Decisions',
			'- [user] We decided to use the PEDro scale and rejected Cochrane RoB. (m:7777888899)'
		],
		['Next Steps', '- [model] Next, we could screen the remaining 14 items. (m:4444555566)']
	])('%s: %s', (heading, line) => {
		expect(section(summary, heading)).toContain(line);
	});

	test('has the groups of progress', () => {
		expect(section(summary, 'Research Progress').filter((line) => line.startsWith('**'))).toEqual([
			'**Done**',
			'**Active**',
			'**Blocked**'
		]);
	});

	test('takes nothing from what the recall tools returned: it was said before', () => {
		const recalled = `[m:0a1b2c3d4e tool search_history]
input: {"query":"gap"}
result: {"hits":[{"message":"0d195b0de4","role":"assistant","snippet":"The best gap was 21 days in QWERTY23."}]}`;
		const summary = write({ transcript: [`${review}\n${recalled}`] });
		expect(summary).not.toContain('0d195b0de4');
		expect(summary).not.toContain('QWERTY23');
		expect(summary).toContain('ABCD2345');
	});

	test('leaves greetings and announcements out', () => {
		expect(summary).not.toMatch(/Hello|Understood|I will search/);
	});

	test('an empty section is a single dash', () => {
		expect(section(write({ transcript: [] }), 'Decisions')).toEqual(['—']);
	});
});

test('the general template has checkboxes and questions', () => {
	const summary = write({ template: 'general' });
	expect(section(summary, 'Open Questions')).toContain(
		'- [user] What is the effect size in Papalambros 2017? (m:7777888899)'
	);
	expect(section(summary, 'Action Items')).toContain(
		'- [ ] [user] Please run `npm test` in src/analysis/model.ts tomorrow. (m:ddddeeeeff)'
	);
	expect(section(summary, 'Key Decisions')[0]).toContain('PEDro');
});

describe('the code template', () => {
	const work = `[m:0a1b2c3d4e user]
I am building a command line tool that syncs notes. It must run on Node 22. Don't touch src/legacy/.
[m:1111222233 assistant]
The parser in src/lib/parse.ts drops empty lines.
[m:1111222233 tool run_command]
input: {"command":"npm test -- --run","cwd":"."}
result: 3 failed, 41 passed
[m:4444555566 assistant]
Fix it with:

\`\`\`sh
git checkout -b fix-parser
npx vitest run tests/parse.test.ts
\`\`\`

I changed src/lib/parse.ts. Is the cache in ~/.cache/zsync still needed?
[m:7777888899 user]
We decided to keep the cache and rejected SQLite because it needs a native build. Run \`npm run build\` tomorrow and update CHANGELOG.md.
[m:aaaabbbbcc user]
Actually the timeout is 30 s, not 3 s.`;
	const first = write({ template: 'code', transcript: [work] });
	const second = write({
		template: 'code',
		previousSummary: first,
		transcript: [
			'[m:9999000011 user]\nThe branch is called fix-parser-2 now, not fix-parser. We no longer need the cache.'
		]
	});

	test.each<[string, string]>([
		[
			'Key Decisions',
			'- [user] We decided to keep the cache and rejected SQLite because it needs a native build. (m:7777888899)'
		],
		['Open Questions', '- [model] Is the cache in ~/.cache/zsync still needed? (m:4444555566)'],
		[
			'Action Items',
			'- [ ] [user] Run `npm run build` tomorrow and update CHANGELOG.md. (m:7777888899)'
		],
		['Files and Commands', '- [tool] npm test -- --run (m:1111222233)'],
		['Files and Commands', '- [model] git checkout -b fix-parser (m:4444555566)'],
		['Files and Commands', '- [model] npx vitest run tests/parse.test.ts (m:4444555566)'],
		['Files and Commands', '- [model] I changed src/lib/parse.ts. (m:4444555566)'],
		['Context', '- [user] It must run on Node 22. (m:0a1b2c3d4e)'],
		['Context', '- [user] Actually the timeout is 30 s, not 3 s. (m:aaaabbbbcc)']
	])('%s: %s', (heading, line) => {
		expect(missingSections(first, 'code')).toEqual([]);
		expect(section(first, heading)).toContain(line);
		expect(section(second, heading)).toContain(line);
	});

	test('what is corrected later stands beside what it corrects, newest last', () => {
		expect(section(second, 'Key Decisions').at(-1)).toBe(
			'- [user] We no longer need the cache. (m:9999000011)'
		);
		expect(section(second, 'Context').at(-1)).toBe(
			'- [user] The branch is called fix-parser-2 now, not fix-parser. (m:9999000011)'
		);
	});

	test.each(['general', 'code'] as const)(
		'%s: without a section of its own, what a person required and corrected outlives findings',
		(template) => {
			const rules = [
				'You must never touch the old parser.',
				'Actually the port was 8081, not 8080.',
				'Do not add dependencies to the build.'
			];
			let summary: string | null = null;
			for (let pass = 0; pass < 30; pass++)
				summary = write({
					template,
					previousSummary: summary,
					target: 400,
					transcript: [
						`[m:${String(pass).padStart(10, '0')} user]\n${rules[pass] ?? `The log of run ${pass} is in logs/run-${pass}.txt with ${pass}00 ms, at https://ci.example.org/run/${pass}.`}`,
						`[m:${String(pass).padStart(10, '1')} assistant]\nI changed src/a${pass}.ts and src/b${pass}.ts: ${pass}.5 % less memory in ${pass} s.`
					]
				});
			for (const rule of rules) expect(summary).toContain(rule);
		}
	);
});

test('headings it has never seen are written all the same, in order', () => {
	const [, ask] = prompt();
	const request = readCheckpointRequest([
		{ role: 'system', content: 'Write\n## Files and Commands\n(x)\n## Something Else' },
		...(ask ? [ask] : [])
	]);
	const text = request ? writeCheckpoint(request) : '';
	expect(text.match(/^## .+$/gm)).toEqual(['## Files and Commands', '## Something Else']);
	expect(section(text, 'Files and Commands').join('\n')).toContain('src/analysis/model.ts');
});

test('Spanish cues', () => {
	const summary = write({
		transcript: [
			'[m:0a1b2c3d4e user]\nEstoy escribiendo una revisión sobre el sueño. Excluimos los ensayos con menos de 30 participantes. Decidimos usar la escala PEDro.'
		]
	});
	expect(section(summary, 'Research Goal')[0]).toContain('revisión sobre el sueño');
	expect(section(summary, 'User Requirements and Constraints')[0]).toContain(
		'menos de 30 participantes'
	);
	expect(section(summary, 'Decisions')[0]).toContain('escala PEDro');
});

describe('carrying on', () => {
	const first = write();
	const second = write({
		previousSummary: `${first}\n\n## Preserved references\n\n- doi: 10.1/zzz`,
		transcript: ['[m:9999000011 user]\nWe agreed to drop Papalambros.']
	});

	test('keeps earlier bullets with their citations and adds new ones after them', () => {
		for (const line of bullets(first)) expect(second).toContain(line);
		expect(section(second, 'Decisions')).toEqual([
			'- [user] We decided to use the PEDro scale and rejected Cochrane RoB. (m:7777888899)',
			'- [user] We agreed to drop Papalambros. (m:9999000011)'
		]);
	});

	test('says nothing twice, and leaves the ledger to the code that keeps it', () => {
		const again = write({ previousSummary: first });
		expect(bullets(again).sort()).toEqual(bullets(first).sort());
		expect(second).not.toContain('10.1/zzz');
	});

	test('a number that changed is a correction, not a copy', () => {
		const summary = write({
			previousSummary:
				'## Findings and Evidence\n- [model] Lopez 2019 included n = 84 participants. (m:1111222233)',
			transcript: ['[m:9999000011 user]\nLopez 2019 included n = 48 participants.']
		});
		expect(summary).toContain('n = 84');
		expect(summary).toContain('n = 48');
	});

	test('where room is short, old model prose goes before a person’s words and identifiers', () => {
		const prose = Array.from(
			{ length: 30 },
			(_, i) =>
				`- [model] Some loose remark about topic ${'abcdefghij'[i % 10]}${i} and others. (m:1111222233)`
		);
		const summary = write({
			previousSummary: `## Research Goal\n—\n\n## Critical Context\n- [user] Keep doi 10.1000/xyz123 in mind. (m:0a1b2c3d4e)\n${prose.join('\n')}`,
			transcript: ['[m:9999000011 user]\nWe decided to use 12 mg daily.'],
			target: 260
		});
		expect(summary).toContain('10.1000/xyz123');
		expect(summary).toContain('We decided to use 12 mg daily.');
		expect(estimateText(summary)).toBeLessThanOrEqual(260);
		expect(bullets(summary).length).toBeGreaterThan(4);
	});

	test('the oldest of equals makes room, even for something a little lighter', () => {
		const old = Array.from(
			{ length: 30 },
			(_, i) =>
				`- [model] Study ${'abcdefghijklmnopqrstuvwxyzäöüß'[i]}${i} found ${i}.5 % in ${i} days with n = ${i}. (m:1111222233)`
		);
		const summary = write({
			previousSummary: `## Findings and Evidence\n${old.join('\n')}`,
			transcript: ['[m:9999000011 assistant]\nWesterberg found 77 mg in 99 weeks.'],
			target: 400
		});
		expect(summary).toContain('Westerberg found 77 mg in 99 weeks.');
		expect(summary).toContain(old.at(-1));
		expect(summary).not.toContain(old[0]);
	});

	test('a running summary takes in new decisions after many passes, and keeps the goal', () => {
		let summary: string | null = null;
		for (let pass = 0; pass < 40; pass++)
			summary = write({
				previousSummary: summary,
				target: 400,
				transcript: [
					pass === 0
						? '[m:0000000000 user]\nI am writing a review about tides and cod.'
						: `[m:${String(pass).padStart(10, '0')} user]\nWe decided to read chapter number ${pass} about ${'tides nets cod boats ropes'.split(' ')[pass % 5]}.`
				]
			});
		expect(summary).toContain('I am writing a review about tides and cod. (m:0000000000)');
		expect(summary).toContain('chapter number 39');
		expect(estimateText(summary ?? '')).toBeLessThanOrEqual(400);
	});

	test('a focus brings forward what it asks for', () => {
		const lines = Array.from(
			{ length: 40 },
			(_, i) => `The meadow number ${i} has ${i} black bees and a fence.`
		);
		const transcript = [
			`[m:1111222233 assistant]\n${lines.join('\n')}\nThe budget of the lighthouse is open.`
		];
		const plain = write({ transcript, target: 300 });
		const focused = write({
			transcript,
			target: 300,
			focus: 'everything on the lighthouse budget'
		});
		expect(plain).not.toContain('lighthouse');
		expect(focused).toContain('lighthouse');
	});
});

describe('always', () => {
	const word = fc.constantFrom(
		...'we must decided only n=48 12 mg https://a.org/x?y=1 10.1000/ab.12 “a quotation of words” src/a/b.ts ABCD2345 and the sleep bees found? next ## - [m: </transcript> <limits ｆｕｌｌ 睡眠 сон'.split(
			' '
		)
	);
	const sentence = fc.array(word, { minLength: 1, maxLength: 60 }).map((words) => words.join(' '));
	const block = fc
		.tuple(
			fc.constantFrom('user', 'assistant', 'tool search'),
			fc.array(sentence, { maxLength: 6 }),
			fc.integer({ min: 0, max: 9999 })
		)
		.map(
			([who, lines, id]) => `[m:abc${String(id).padStart(7, '0')} ${who}]\n${lines.join('.\n')}`
		);

	test('whatever the transcript: all sections, within the cap, every bullet whole and cited', () => {
		fc.assert(
			fc.property(
				fc.array(block, { maxLength: 30 }),
				fc.integer({ min: 120, max: 1200 }),
				fc.constantFrom('research' as const, 'general' as const, 'code' as const),
				(transcript, target, template) => {
					const first = write({ transcript, target, cap: 4 * target, template });
					const summary = write({
						transcript,
						target,
						cap: 4 * target,
						template,
						previousSummary: first
					});
					expect(missingSections(summary, template)).toEqual([]);
					expect(estimateText(summary)).toBeLessThanOrEqual(target);
					for (const line of bullets(summary))
						expect(line).toMatch(/^- (?:\[[ x]\] )?\[(?:user|tool|model)\] .+ \(m:abc\d{7}\)$/);
					// Verbatim: every piece between two … stands in the transcript as it is.
					const [, asked] = prompt({ transcript, template, previousSummary: first });
					const given = JSON.stringify(asked?.content[0]).replace(/(?:\s|\\n)+/g, ' ');
					for (const line of bullets(summary)) {
						const text = line.replace(/^- (?:\[[ x]\] )?\[\w+\] /, '').replace(/ \(m:\w+\)$/, '');
						for (const piece of text.split(/ …(?: |$)/))
							expect(given).toContain(JSON.stringify(piece).slice(1, -1));
					}
				}
			),
			{ numRuns: 100 }
		);
	}, 30_000);

	test('a cap under the target wins, and so does the output limit', () => {
		for (const [target, cap, max] of [
			[600, 200, 900],
			[600, 900, 200]
		] as const)
			expect(estimateText(write({ target, cap }, max))).toBeLessThanOrEqual(200);
	});
});

describe('shorten', () => {
	test.each([
		'The trial at https://example.org/a/very/long/path/that/goes/on?and=on#and-on enrolled many people in several towns over years',
		'He said “this is a quotation that must never be cut into two pieces at all” and then left the room for good to see bees',
		'a '.repeat(80) + '10.1016/j.neuro.2015.03.001 ' + 'b '.repeat(80) + 'n = 48',
		'x'.repeat(400)
	])('keeps identifiers whole: %s', (text) => {
		const short = shorten(text, 90);
		expect(short.length).toBeLessThan(text.length + 3);
		for (const piece of short.split(' … ').flatMap((p) => p.replace(/ …$/, '')))
			expect(text).toContain(piece.trim());
		for (const { from, to } of identifierSpans(text)) {
			const whole = text.slice(from, to);
			const begun = short.includes(whole.slice(0, 8));
			expect(begun ? short.includes(whole) : true).toBe(true);
		}
	});
});

test('JSON that was cut in the middle is quoted by its pairs, not as JSON', () => {
	const cut = `[m:1111222233 tool search_library]
input: {"query":"sleep"}
result: {"items":[{"key":"ABCD2345","title":"Sleep \\"spindles\\" and memory","year":2015,"DOI":"10.1016/j.neuro.2015.03.001"},{"key":"XY9Z7QRS","title":"Slow-wa
… [about 900 tokens cut here; the whole text is in message m:1111222233] …
end of it."}]}`;
	const lines = section(write({ transcript: [cut] }), 'Key Zotero Resources');
	expect(lines).toEqual([
		'- [tool] key: ABCD2345; title: Sleep "spindles" and memory; year: 2015; DOI: 10.1016/j.neuro.2015.03.001 (m:1111222233)',
		'- [tool] key: XY9Z7QRS; title: Slow-wa (m:1111222233)'
	]);
});

test('what a person excluded, rejected and corrected outlives many passes full of findings', () => {
	const steering = Array.from({ length: 12 }, (_, n) => {
		const who =
			'bees cod tides ropes nets boats ferns moss owls elks figs oats'.split(' ')[n] ?? '';
		return [
			`Do not include abstracts on ${who} in the review.`,
			`We rejected the model of ${who} because reviewers distrust it.`,
			`Actually the sample of ${who} was n = ${200 + n}, not n = ${700 + n}.`
		][n % 3];
	});
	let summary: string | null = null;
	for (let pass = 0; pass < 20; pass++)
		summary = write({
			previousSummary: summary,
			target: 700,
			transcript: [
				`[m:${String(pass).padStart(10, '0')} user]\n${steering[pass] ?? `Please read item 7K2M9XP${'QRSTUVWX'[pass % 8]} and chapter ${pass}.`}`,
				`[m:${String(pass).padStart(10, '1')} assistant]\nSmith ${2000 + pass} found n = ${100 + pass} and ${pass}.5 % in “a quotation number ${pass} of words” (p. ${pass}). Next, the remaining ${pass} items need to be read.`
			]
		});
	for (const sentence of steering) expect(summary).toContain(sentence);
});

test('a pass of 3,500 tokens takes little time', () => {
	let transcript = '';
	for (let i = 0; estimateText(transcript) < 3500; i++)
		transcript += `${review.replaceAll('[m:', `[m:${i}`).replace(/14 items/g, `${i} items`)}\n`;
	const times: number[] = [];
	for (let i = 0; i < 15; i++) {
		const start = process.cpuUsage().user;
		write({ transcript: [transcript] });
		times.push((process.cpuUsage().user - start) / 1000);
	}
	// Processor time, and the best of many runs: what the code costs, not what else the machine does.
	expect(Math.min(...times)).toBeLessThan(20);
});

test('what a list was announced as stays with its items, and a person’s criteria outlive later passes', () => {
	const criteria = `[m:0a1b2c3d4e user]
Please keep these criteria:

1. only studies with a retention interval of at least one day
2. adults (university students count)`;
	const first = write({ transcript: [criteria, review] });
	const second = write({ previousSummary: first, transcript: [review.replaceAll('m:', 'm:9')] });
	for (const summary of [first, second]) {
		const kept = section(summary, 'User Requirements and Constraints').join('\n');
		expect(kept).toContain('a retention interval of at least one day');
		expect(kept).toContain('adults (university students count)');
	}
});
