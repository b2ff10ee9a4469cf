import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readImport, tooLarge } from '$lib/transfer/import';
import { limits } from '$lib/transfer/limits';

const context = { model: { provider: 'offline', model: 'extractive' } };
const read = (text: string) => readImport('file.json', text, context);
const empty = {
	format: 'hilo',
	version: 1,
	app: 'x',
	exportedAt: 1,
	sessions: [],
	messages: [],
	attachments: []
};
const pi = readFileSync('tests/fixtures/pi-v1-linear-large.jsonl', 'utf8');

describe('the format is told by the content', () => {
	test.each([
		['Hilo', JSON.stringify(empty), 'hilo'],
		['Hilo, indented', JSON.stringify(empty, null, 2), 'hilo'],
		[
			'Hilo, keys in another order',
			JSON.stringify(Object.fromEntries(Object.entries(empty).reverse()), null, 1),
			'hilo'
		],
		['Hilo with a byte order mark', `\ufeff${JSON.stringify(empty)}`, 'hilo'],
		['pi', pi, 'pi'],
		[
			'pi with a byte order mark and Windows line ends',
			`\ufeff${pi.replaceAll('\n', '\r\n')}`,
			'pi'
		],
		['pi without its first lines', pi.split('\n').slice(1).join('\n'), 'pi'],
		['pi with damage at the beginning', `{"type":"sess\n${pi.slice(pi.indexOf('\n') + 1)}`, 'pi']
	])('%s', (_, text, format) => {
		expect(read(text)).toMatchObject({ ok: true, format, report: { format } });
	});
});

describe('what is no chat export is called by its name', () => {
	test.each([
		['%PDF-1.7\n%\ufffd', 'This file is a PDF document, not a chat export.'],
		[
			'PK\u0003\u0004\u0014',
			'This file is a ZIP archive (unpack it and choose the file inside), not a chat export.'
		],
		[
			'\u001f\ufffd\u0008',
			'This file is a gzip archive (unpack it and choose the file inside), not a chat export.'
		],
		[
			'\n<!DOCTYPE html><html>',
			'This file is a web page (perhaps a sign-in page saved instead of the file), not a chat export.'
		],
		['<?xml version="1.0"?>', 'This file is an XML or HTML file, not a chat export.'],
		['SQLite format 3\u0000', 'This file is an SQLite database, not a chat export.'],
		['\ufffdPNG\r\n', 'This file is a picture, not a chat export.'],
		['\ufffd\ufffd{\u0000"\u0000', 'This file is a binary file, not a chat export.'],
		['# Notes\n\ntext', 'This file is a Markdown text, not a chat export.'],
		['Hello there', 'This file is a plain text, not a chat export.'],
		['', 'This file is an empty file, not a chat export.'],
		[' \n ', 'This file is an empty file, not a chat export.'],
		['{"a":1}', 'This file is JSON, but not a chat export that Hilo knows.'],
		['[]', 'This file is JSON, but not a chat export that Hilo knows.'],
		['null', 'This file is JSON, but not a chat export that Hilo knows.'],
		['[{"mapping":{},"title":null}]', 'This is an export of ChatGPT, which Hilo cannot read yet.'],
		[
			'[{"uuid":"x","chat_messages":[]}]',
			'This is an export of Claude, which Hilo cannot read yet.'
		],
		[
			'[{"id":"x","chat":{"history":{}}}]',
			'This is an export of Open WebUI, which Hilo cannot read yet.'
		],
		[
			'{"conversationId":"x","messages":[]}',
			'This is an export of LibreChat, which Hilo cannot read yet.'
		],
		[
			'{"harness":"llama","type":"session","id":"x"}\n{"type":"message"}',
			'This is an export of llama.cpp, which Hilo cannot read yet.'
		],
		[
			'{"exportType":"all","state":{}}',
			'This is an export of LobeHub, which Hilo cannot read yet.'
		],
		[
			'{"chunkedPrompt":{"chunks":[]}}',
			'This is an export of Google AI Studio, which Hilo cannot read yet.'
		],
		[
			'{"format":"hilo","version":1,"sessions":[',
			'The file ends in the middle (character 41, line 1): probably an incomplete download or copy.'
		],
		['{"format":"hilo","version":9}', 'This file was written by a newer Hilo (version 9).'],
		[
			'[{"mapping":{',
			'The file ends in the middle (character 13, line 1): probably an incomplete download or copy.'
		]
	])('%j', (text, title) => {
		expect(read(text)).toEqual({
			ok: false,
			problem: {
				title,
				safe: 'Nothing was imported; what you already have is unchanged.',
				advice: expect.stringMatching(/\w.*\.$/),
				detail: 'file.json'
			}
		});
	});
});

test('size is checked before reading', () => {
	expect(tooLarge(limits.fileCharacters)).toBeNull();
	expect(tooLarge(limits.fileCharacters + 1024 * 1024)?.problem.title).toBe(
		'The file is too large: 385 MiB, and at most 384 MiB can be read.'
	);
});

test('2,000 damaged pi files: never throws, every line is in a message or named', () => {
	// Short lines of every kind, so that damage meets structure more often than prose.
	const small = pi
		.split('\n')
		.filter((line) => line.length < 1500)
		.slice(0, 25)
		.join('\n');
	let named = 0;
	fc.assert(
		fc.property(
			fc.nat({ max: small.length - 1 }),
			fc.nat({ max: 200 }),
			fc.string({ unit: 'binary', maxLength: 5 }),
			(at, removed, added) => {
				const result = read(small.slice(0, at) + added + small.slice(at + removed));
				if (!result.ok) return void expect(result.problem.title).not.toBe('');
				const { counts, skipped } = result.report;
				for (const count of counts) {
					const lost = count.in - count.out;
					expect(lost, count.label).toBe(count.label === 'Lines' ? skipped.length : 0);
				}
				named += skipped.length;
				expect(result.messages.every((m) => m.treeId === result.sessions[0]?.treeId)).toBe(true);
			}
		),
		{
			numRuns: 2000,
			examples: [
				// `toolCall` of an entry whose type is damaged; a call whose id is.
				[small.indexOf('"message"', 5000) + 3, 0, '#'],
				[small.indexOf('"toolCall","id"') + 13, 0, '#']
			]
		}
	);
	expect(named).toBeGreaterThan(500);
}, 120_000);
