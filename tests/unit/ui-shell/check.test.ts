import { describe, expect, test } from 'vitest';
import { checkBaseURL, parseTokens } from '$lib/ui/settings/check';

describe('a base URL before anything is sent', () => {
	test.each([
		['https://api.openai.com/v1', 'api.openai.com', false],
		['  http://localhost:11434/v1 ', 'localhost:11434', false],
		['http://127.0.0.1:8080/v1', '127.0.0.1:8080', false],
		['http://[::1]:8080', '[::1]:8080', false],
		['http://models.example/v1', 'models.example', true],
		['http://127.0.0.1.example/v1', '127.0.0.1.example', true],
		['http://localhost.example/v1', 'localhost.example', true]
	])('%s goes to %s', (text, host, warned) => {
		const check = checkBaseURL(text);
		expect(check).toMatchObject({ ok: true, host });
		expect(check.ok && check.warning !== null).toBe(warned);
	});

	test.each(['', '   ', 'api.openai.com', 'ftp://x/v1', 'javascript:alert(1)', 'https://key@x/v1'])(
		'%j is refused',
		(text) => expect(checkBaseURL(text).ok).toBe(false)
	);
});

describe('tokens as people write them', () => {
	test.each([
		['', null],
		['128000', 128_000],
		['128 000', 128_000],
		['128,000', 128_000],
		['128k', 128_000],
		['1.5M', 1_500_000],
		['0', undefined],
		['-5', undefined],
		['lots', undefined],
		['12kk', undefined]
	])('%j is %s', (text, tokens) => expect(parseTokens(text)).toBe(tokens));
});
