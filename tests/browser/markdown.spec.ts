import { fileURLToPath } from 'node:url';
import { expect, test, type Page } from '@playwright/test';
import { build } from 'vite';

declare const hostile: {
	show(markdown: string): void;
	sanitise(html: string): unknown;
	typeset(root: Element): Promise<void>;
};

const source = (name: string) =>
	JSON.stringify(fileURLToPath(new URL(`../../src/lib/markdown/${name}.ts`, import.meta.url)));
const entry = `
import { settle } from ${source('blocks')};
import { renderBlock } from ${source('render')};
import { sanitise } from ${source('sanitise')};
import { typeset } from ${source('typeset')};
window.hostile = {
	sanitise, typeset,
	show: (text) => {
		document.body.replaceChildren();
		for (const { token } of settle(null, text, true)) {
			const block = document.createElement('div');
			block.innerHTML = sanitise(renderBlock(token));
			document.body.append(block);
		}
	}
};`;

let script = '';
test.beforeAll(async () => {
	const built = await build({
		configFile: false,
		logLevel: 'silent',
		plugins: [
			{
				name: 'entry',
				resolveId: (id) => (id.endsWith('virtual-entry') ? '\0virtual-entry' : null),
				load: (id) => (id === '\0virtual-entry' ? entry : null)
			}
		],
		build: {
			write: false,
			rollupOptions: {
				input: 'virtual-entry',
				output: { format: 'iife', codeSplitting: false }
			}
		}
	});
	const output = [built].flat()[0];
	if (!output || !('output' in output)) throw new Error('Nothing was built.');
	script = output.output[0].code;
});

/** A page that accepts only trusted HTML, as the app may ask for. */
async function open(page: Page): Promise<string[]> {
	await page.route('http://hilo.test/**', (route) =>
		route.request().url().endsWith('.js')
			? route.fulfill({ contentType: 'text/javascript', body: script })
			: route.fulfill({
					contentType: 'text/html; charset=utf-8',
					headers: { 'content-security-policy': "require-trusted-types-for 'script'" },
					body: '<!doctype html><body></body><script src="/entry.js"></script>'
				})
	);
	await page.goto('http://hilo.test/');
	const asked: string[] = [];
	page.on('request', (request) => asked.push(request.url()));
	return asked;
}

test('hostile Markdown loads nothing, runs nothing and leaves only text tags', async ({ page }) => {
	const asked = await open(page);
	const violated: string[] = [];
	page.on('pageerror', (error) => violated.push(error.message));
	await page.evaluate(() => {
		Object.assign(globalThis, { alert: () => document.body.setAttribute('data-ran', '') });
		hostile.show(
			[
				'<script>alert(1)</script>',
				'<img src="https://evil.example/a.png" onerror="alert(1)">',
				'![x](https://evil.example/b.png)',
				'<svg onload=alert(1)><style>@import "https://evil.example/c.css"</style></svg>',
				'[a](javascript:alert(1)) [b](data:text/html,x) [c](file:///etc/passwd)',
				'[d](https://fine.example "t\\" onmouseover=\\"alert(1)")',
				'| a |\n|--:|\n| <iframe src=https://evil.example> |',
				'3. three',
				'```html"onx=1\n<b onclick=alert(1)>\n```'
			].join('\n\n')
		);
	});
	const tags = await page.evaluate(() =>
		[...document.body.querySelectorAll('*')].map(({ localName }) => localName)
	);
	const allowed = ['div', 'p', 'a', 'span', 'table', 'thead', 'tbody', 'tr', 'th', 'td'];
	allowed.push('ol', 'li', 'pre', 'code');
	expect(tags.filter((tag) => !allowed.includes(tag))).toEqual([]);
	const attributes = await page.evaluate(() =>
		[...document.body.querySelectorAll('*')].flatMap((element) => element.getAttributeNames())
	);
	const names = ['href', 'title', 'class', 'start', 'align', 'target', 'rel'];
	expect(attributes.filter((name) => !names.includes(name))).toEqual([]);
	// What is kept is really kept.
	expect(await page.locator('td[align="right"]').count()).toBe(1);
	expect(await page.locator('ol[start="3"]').count()).toBe(1);
	expect(await page.locator('a:not([target="_blank"][rel="noopener noreferrer"])').count()).toBe(0);
	expect(await page.locator('body[data-ran]').count()).toBe(0);
	expect(asked).toEqual([]);
	expect(violated).toEqual([]);
});

test.describe('the sanitiser alone, were the renderer ever to fail', () => {
	const attacks = [
		'<script>alert(1)</script>',
		'<a href="javascript:alert(1)">x</a>',
		'<a href=" java\tscript:alert(1)">x</a>',
		'<a href="/relative">x</a>',
		'<p style="position:fixed" onclick="alert(1)" id="x" name="y">x</p>',
		'<img src=x onerror=alert(1)>',
		'<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
		'<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
		'<form action="https://evil.example"><input><button>x</button></form>',
		'<iframe srcdoc="<script>alert(1)</script>"></iframe>',
		'<template><script>alert(1)</script></template>'
	];
	for (const attack of attacks) {
		test(attack, async ({ page }) => {
			await open(page);
			const html = await page.evaluate((text) => String(hostile.sanitise(text)), attack);
			expect(html).not.toMatch(/<(script|img|svg|math|form|input|button|iframe|template|style)\b/i);
			expect(html).not.toMatch(/javascript:|\son\w+=|style=|\sid=|\sname=|href="\//i);
		});
	}
});

test('a formula becomes MathML without styles, links or scripts; a broken one stays its source', async ({
	page
}) => {
	await open(page);
	await page.evaluate(async () => {
		hostile.show(
			'$\\frac{a}{b}$ and $\\href{javascript:alert(1)}{x}$ and $\\frac{$ and \\(\\htmlStyle{color:red}{y}\\)'
		);
		await hostile.typeset(document.body);
	});
	expect(await page.locator('math mfrac').count()).toBe(1);
	const html = await page.evaluate(() => document.body.innerHTML);
	expect(html).not.toMatch(/<a\b|style=|annotation|<script/);
	expect(await page.locator('.math').first().getAttribute('title')).toBe('\\frac{a}{b}');
});
