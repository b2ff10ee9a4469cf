// Draws the PNG icons from static/icon.svg with the browser the tests use. Run it after the drawing changes.
import { readFile, writeFile } from 'node:fs/promises';
import { chromium } from '@playwright/test';

const drawing = await readFile('static/icon.svg', 'utf8');

/**
 * The icon for systems that cut their own shape: no rounded corners, and the knot inside the safe middle 80 %.
 * @param {string} svg
 */
const maskable = (svg) =>
	svg
		.replace('rx="104"', 'rx="0"')
		.replace('translate(31.6 34) scale(18.5)', 'translate(86.6 88) scale(14)')
		.replace('M13 -4V.6M13 23.4V28', 'M13 -8V.6M13 23.4V32');

const icons = [
	{ name: 'icon-192.png', size: 192, svg: drawing },
	{ name: 'icon-512.png', size: 512, svg: drawing },
	{ name: 'icon-maskable-512.png', size: 512, svg: maskable(drawing) }
];

const browser = await chromium.launch({
	executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
	args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
});
for (const { name, size, svg } of icons) {
	const page = await browser.newPage({
		viewport: { width: size, height: size },
		colorScheme: 'light'
	});
	await page.setContent(`<style>body{margin:0}svg{display:block;width:100vw}</style>${svg}`);
	await writeFile(`static/${name}`, await page.screenshot({ omitBackground: true }));
	await page.close();
}
await browser.close();
