import { describe, expect, test } from 'vitest';
import { retentionOf } from '../../../src/lib/ui/checkpoint/facts';
import { sectionsOf } from '../../../src/lib/ui/checkpoint/sections';
import { commandOf } from '../../../src/lib/ui/composer/command';
import { intakeOf, pasteLimit } from '../../../src/lib/ui/composer/intake';
import { seenGroups } from '../../../src/lib/ui/context/sees';
import { isComposing } from '../../../src/lib/ui/conversation/ime';
import { argumentOf, prettyValue } from '../../../src/lib/ui/conversation/pretty';

describe('commands', () => {
	test.each([
		['/compact', { name: 'compact' }],
		['  /compact  ', { name: 'compact' }],
		['/compact keep all\nsample sizes ', { name: 'compact', focus: 'keep all\nsample sizes' }],
		['/compaction', null],
		['/home/me', null],
		['say /compact', null]
	])('%j', (text, expected) => expect(commandOf(text)).toEqual(expected));
});

describe('an input method', () => {
	test.each([
		[{ isComposing: true, keyCode: 13 }, true],
		[{ isComposing: false, keyCode: 229 }, true],
		[{ isComposing: false, keyCode: 13 }, false]
	])('%j', (event, expected) => expect(isComposing(event as KeyboardEvent)).toBe(expected));
});

describe('pastes', () => {
	const transfer = (text: string, files: File[] = []) =>
		({ files, getData: () => text }) as unknown as DataTransfer;
	const picture = new File(['x'], 'a.png');

	test('short text is the textarea’s own', () => {
		expect(intakeOf(transfer('x'.repeat(pasteLimit)), 0).kind).toBe('none');
	});
	test('long text becomes an attachment, whole', () => {
		const text = 'x'.repeat(pasteLimit + 1);
		expect(intakeOf(transfer(text), 0)).toEqual({
			kind: 'text',
			filename: 'Pasted 1970-01-01 00.00.txt',
			text
		});
	});
	test('files are attached; beside text the text is meant', () => {
		expect(intakeOf(transfer('', [picture]), 0)).toEqual({ kind: 'files', files: [picture] });
		expect(intakeOf(transfer('words', [picture]), 0).kind).toBe('none');
		expect(intakeOf(null, 0).kind).toBe('none');
	});
});

describe('tool values', () => {
	test('anything can be shown', () => {
		const circle: Record<string, unknown> = {};
		circle['self'] = circle;
		expect(prettyValue(circle)).toContain('cannot');
		expect(prettyValue(undefined)).toBe('');
		expect(prettyValue({ a: 1 })).toBe('{\n  "a": 1\n}');
		expect(prettyValue('\u001b[2J')).toBe('⟦U+001B⟧[2J');
	});
	test('the argument that tells calls apart', () => {
		expect(argumentOf({ limit: 2, query: 'x' })).toBe('x');
		expect(argumentOf({ limit: 2 })).toBe('2');
		expect(argumentOf({ query: ' a\n b ', limit: 2 })).toBe('a b');
		expect(argumentOf(null)).toBe('');
		expect(argumentOf({ a: {} })).toBe('');
	});
});

describe('sections of a summary', () => {
	const sections = sectionsOf(
		[
			'Before.',
			'## Goal',
			'- [user] Keep *n*. (m:0123456789)',
			'  - [tool] Deeper (m:0123456789, m:abcdefabcd).',
			'',
			'## Code',
			'```',
			'## not a heading',
			'```',
			'| a |',
			'|---|',
			'- [ ] [model] To do'
		].join('\r\n')
	);
	test('headings, marks, citations, depth', () => {
		expect(sections.map(({ heading }) => heading)).toEqual(['', 'Goal', 'Code']);
		expect(sections[1]?.claims).toEqual([
			{ depth: 0, source: 'user', text: 'Keep *n*.', citations: ['0123456789'] },
			{ depth: 1, source: 'tool', text: 'Deeper.', citations: ['0123456789', 'abcdefabcd'] }
		]);
	});
	test('programs and tables stay whole', () => {
		expect(sections[2]?.claims.map(({ text }) => text)).toEqual([
			'```\n## not a heading\n```',
			'| a |\n|---|',
			'[ ] To do'
		]);
	});
	test('a fence left open loses nothing', () => {
		expect(sectionsOf('```\na')[0]?.claims[0]?.text).toBe('```\na');
	});
});

test('retention counts the kept and groups the missing by kind', () => {
	const reference = (kind: 'doi' | 'url', text: string, kept: boolean) => ({
		kind,
		text,
		kept,
		count: 1,
		messageIds: []
	});
	const retention = retentionOf([
		reference('doi', 'a', true),
		reference('doi', 'b', false),
		reference('url', 'c', false),
		reference('doi', 'd', false)
	]);
	expect(retention).toMatchObject({ kept: 1, found: 4 });
	expect(retention.missing.map(({ kind, references }) => [kind, references.length])).toEqual([
		['doi', 2],
		['url', 1]
	]);
});

test('what the model sees leaves out empty groups and adds up', () => {
	const groups = seenGroups(
		{
			system: [{ kind: 'instructions', text: 'abcd' }],
			messages: [],
			tools: [],
			maxOutputTokens: 1
		},
		(text) => text.length
	);
	expect(groups.map(({ title, tokens }) => [title, tokens])).toEqual([['System', 4]]);
});
