import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { differenceOf } from '../../../src/lib/compaction/difference';

const older = `## Key Decisions

- [user] Keep studies with n >= 40 (m:0000000001)
- [model] Leave out preprints (m:0000000002)

## Open Questions

- [user] Which delay? (m:0000000003)

## Preserved references

- doi: 10.1000/a`;
const newer = `## Key Decisions

* **[user]** Leave out preprints (m:0000000002, m:0000000009)
- [user] Keep studies with n >= 60 (m:0000000008)

## Action Items

- [ ] [user] Write to the authors (m:0000000007)`;

describe('C107 the difference from the previous checkpoint', () => {
	test('C107 section by section: what is new, what stayed, what is gone', () => {
		expect(differenceOf(older, newer.replace('**[user]**', '[model]'))).toEqual([
			{
				heading: 'Key Decisions',
				lines: [
					{ kind: 'same', line: '* [model] Leave out preprints (m:0000000002, m:0000000009)' },
					{ kind: 'added', line: '- [user] Keep studies with n >= 60 (m:0000000008)' },
					{ kind: 'dropped', line: '- [user] Keep studies with n >= 40 (m:0000000001)' }
				]
			},
			{
				heading: 'Action Items',
				lines: [{ kind: 'added', line: '- [ ] [user] Write to the authors (m:0000000007)' }]
			},
			{
				heading: 'Open Questions',
				lines: [{ kind: 'dropped', line: '- [user] Which delay? (m:0000000003)' }]
			}
		]);
	});

	test('C107 a box that was ticked is the same item; a number that changed is not', () => {
		const kinds = (a: string, b: string) =>
			differenceOf(`## A\n${a}`, `## A\n${b}`).flatMap(({ lines }) =>
				lines.map(({ kind }) => kind)
			);
		expect(kinds('- [ ] call them', '- [x] call them')).toEqual(['same']);
		expect(kinds('- n = 48', '- n = 84')).toEqual(['added', 'dropped']);
		expect(kinds('—', '—')).toEqual([]);
	});

	test.each([
		['- 12 participants were included', '- 15 participants were included'],
		['- 2.5 mg daily', '- 7.5 mg daily'],
		['* [user] 3 weeks', '* [user] 4 weeks'],
		['- −2 points', '- 2 points'],
		['12 participants', '15 participants']
	])('C107 the number a line begins with is no bullet: %j, %j', (a, b) => {
		const [section] = differenceOf(`## A\n${a}`, `## A\n${b}`);
		expect(section?.lines.map(({ kind }) => kind)).toEqual(['added', 'dropped']);
	});

	test.each([
		['1. call them', '4) call them'],
		['- 12 participants', '* **12** participants'],
		['  - [user] 12 participants', '• [tool] 12 participants']
	])('C107 bullets, their numbers, marks and emphasis aside: %j, %j', (a, b) => {
		const [section] = differenceOf(`## A\n${a}`, `## A\n${b}`);
		expect(section?.lines.map(({ kind }) => kind)).toEqual(['same']);
	});

	test('C107 case 14: each line of either is in the difference once, whatever the texts', () => {
		const line = fc.constantFrom('- [user] a (m:0000000001)', '- b', '## S', '## T', '—', 'c', '');
		const summary = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
		fc.assert(
			fc.property(summary, summary, (a, b) => {
				const lines = differenceOf(a, b).flatMap((section) => section.lines);
				const says = (text: string) => text.split('\n').filter((each) => /^(?:- |c)/.test(each));
				const under = (text: string) =>
					says(text.includes('## ') ? text.slice(text.indexOf('## ')) : '');
				expect(
					lines
						.filter(({ kind }) => kind !== 'dropped')
						.map(({ line }) => line)
						.sort()
				).toEqual(under(b).sort());
			}),
			{ numRuns: 1000 }
		);
	});
});
