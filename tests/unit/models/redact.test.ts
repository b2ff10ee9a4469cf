import { describe, expect, test } from 'vitest';
import { shownAddress, withoutKeys } from '../../../src/lib/models/redact';

describe('the configured key', () => {
	test.each([
		['Incorrect API key provided: 8f2e11aa90.', '8f2e11aa90', 'Incorrect API key provided: [key].'],
		['{"key":"8f2e11aa90"}', '8f2e11aa90', '{"key":"[key]"}'],
		['8f2e11aa90', '8f2e11aa90', '[key]'],
		['no such key: a+b/c=d$(e)', 'a+b/c=d$(e)', 'no such key: [key]'],
		['GET /v1?x=aa%2Bbb%2Fcc%3Dd', 'aa+bb/cc=d', 'GET /v1?x=[key]'],
		['x0123456789abcdef0123x', '0123456789abcdef0123', 'x[key]x'],
		['-dash-key-', '-dash-key-', '[key]'],
		// Part of a longer word it is not the key.
		['the passwords of all', 'password', 'the passwords of all'],
		['password: password', 'password', '[key]: [key]']
	])('%j with the key %j', (text, key, clean) => expect(withoutKeys(text, key)).toBe(clean));
});

describe('a short key leaves prose alone', () => {
	const prose =
		'The kind of token is unknown: ollama has no test model "test"; is ollama, k or test running?';
	test.each(['k', 'test', 'ollama', 'a', '.', 'kind'])('%j', (key) =>
		expect(withoutKeys(prose, key)).toBe(prose)
	);

	test.each([
		['Authorization: Bearer test', 'Authorization: Bearer [key]'],
		['authorization: test', 'authorization: [key]'],
		['"x-api-key": "test"', '"x-api-key": "[key]"'],
		['x-goog-api-key=test', 'x-goog-api-key=[key]'],
		['http://localhost:1/v1?key=test&alt=json', 'http://localhost:1/v1?key=[key]&alt=json'],
		[
			'Incorrect API key provided: test. Try again.',
			'Incorrect API key provided: [key]. Try again.'
		],
		['Invalid api_key: test', 'Invalid api_key: [key]'],
		['api-key: tester', 'api-key: tester']
	])('%j', (text, clean) => expect(withoutKeys(text, 'test')).toBe(clean));
});

describe('keys that are not the configured one', () => {
	test.each([
		['Bearer abc.def', 'Bearer [key]'],
		[
			'use Bearer auth (i.e. Authorization: Bearer XYZ)',
			'use Bearer auth (i.e. Authorization: Bearer [key]'
		],
		['Bearer token is missing', 'Bearer token is missing'],
		['key sk-abcdef123456 is wrong', 'key [key] is wrong'],
		['https://x.example/?api_key=abc&y=1', 'https://x.example/?api_key=[key]&y=1']
	])('%j', (text, clean) => expect(withoutKeys(text)).toBe(clean));
});

test('an address is shown without what does not belong on a screen', () => {
	expect(shownAddress('https://me:secret@x.example/v1/?key=k#f')).toBe('https://x.example/v1');
});
