import { describe, expect, test } from 'vitest';
import { settle } from '../../../src/lib/markdown/blocks';
import { renderBlock } from '../../../src/lib/markdown/render';
import { visible } from '../../../src/lib/markdown/visible';

const html = (text: string) =>
	settle(null, text, true)
		.map(({ token }) => renderBlock(token))
		.join('');

describe('raw HTML is text', () => {
	test.each([
		['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
		['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
		['a <b>bold</b> b', 'a &lt;b&gt;bold&lt;/b&gt; b'],
		['<pre>a<i>b</i></pre>', '&lt;i&gt;b&lt;/i&gt;'],
		['<!-- x --> y', '&lt;!-- x --&gt; y'],
		['&lt;img src=x&gt;', '&lt;img src=x&gt;'],
		['&#60;img src=x&#62;', '&lt;img src=x&gt;']
	])('%s', (source, expected) => {
		expect(html(source)).toContain(expected);
		expect(html(source)).not.toMatch(/<(script|img|b|i|pre)\b/);
	});

	test('an unclosed tag swallows nothing', () => {
		expect(html('<script>\n\n**bold**\n')).toContain('<strong>bold</strong>');
	});
});

describe('links', () => {
	test.each([
		'[x](javascript:alert(1))',
		'[x](JaVaScRiPt:alert(1))',
		'[x](java&#115;cript:alert(1))',
		'[x](data:text/html,1)',
		'[x](file:///etc/passwd)',
		'[x](vbscript:x)',
		'[x](//evil.example)',
		'[x](/settings)',
		'[x][r]\n\n[r]: javascript:alert(1)'
	])('%s is dead', (source) => expect(html(source)).not.toContain('<a'));

	test('http, https and mailto live', () => {
		expect(html('[x](https://a.example/p?q=1&r=2 "T")')).toBe(
			'<p><a href="https://a.example/p?q=1&amp;r=2" title="T">x</a></p>\n'
		);
		expect(html('<mailto:a@b.example>')).toContain('href="mailto:a@b.example"');
	});

	test('a link that claims another host says where it goes', () => {
		expect(html('[https://bank.example](https://evil.example)')).toContain('(evil.example)');
		expect(html('https://bank.example/x')).not.toContain('class="host"');
	});
});

describe('images never load', () => {
	test.each([
		['![A chart](https://cdn.example/a.png)', 'image: A chart (cdn.example)'],
		['![](https://cdn.example/a.png)', 'image: without a description (cdn.example)'],
		['![x](data:image/png;base64,AAAA)', 'image: x (data)'],
		['![x](a.png)', 'image: x (no host)']
	])('%s', (source, expected) => {
		expect(html(source)).toContain(expected);
		expect(html(source)).not.toContain('<img');
	});
});

describe('formulas and prices', () => {
	test.each([
		['It costs $5 and $6.', 0],
		['US$5 or CA$6', 0],
		['$5-$10 a month', 0],
		['$HOME/bin:$PATH', 0],
		['$5, $6, and $x$', 1],
		['Let $x_1$ and $y_2$ be', 2],
		['\\(a_1\\) and \\[b^2\\]', 2],
		['cited \\[1\\]', 0],
		['`$x$`', 0],
		['a $$x+y$$ b', 1],
		['\\$5 and 6$', 0]
	])('%s', (source, count) => {
		expect(html(source).split('class="math').length - 1).toBe(count);
	});

	test('a formula over lines is one formula, not a list', () => {
		expect(html('So:\n$$\na\n- b\n= c_1\n$$\nand')).toBe(
			'<p>So:</p>\n<span class="math display">a\n- b\n= c_1</span><p>and</p>\n'
		);
	});
});

describe('GFM', () => {
	test('tasks, tables, deletions', () => {
		expect(html('- [x] done\n- [ ] open')).toContain('<span class="task done">');
		expect(html('| a |\n|:-:|\n| 1 |')).toContain('<td align="center">1</td>');
		expect(html('~~gone~~ ~5-~10')).toBe('<p><del>gone</del> ~5-~10</p>\n');
	});
});

describe('characters that are obeyed are shown', () => {
	test.each([
		['\u202eabc', '⟦U+202E⟧abc'],
		['\u001b[31m', '⟦U+001B⟧[31m'],
		['a\u{e0041}', 'a⟦U+E0041⟧'],
		['tab\tand\nline', 'tab\tand\nline'],
		['\u200f', '\u200f']
	])('%j', (source, expected) => expect(visible(source)).toBe(expected));

	test('also as references, in code, in titles and in addresses', () => {
		expect(html('&#x202E;x')).toContain('⟦U+202E⟧');
		expect(html('`\u202e`')).toContain('⟦U+202E⟧');
		expect(html('```\n\u202e\n```')).toContain('⟦U+202E⟧');
		expect(html('[x](https://a.example "\u202e")')).toContain('title="⟦U+202E⟧"');
	});
});
