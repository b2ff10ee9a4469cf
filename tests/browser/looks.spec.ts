import axe from 'axe-core';
import type { Page } from '@playwright/test';
import { expect, test } from './app';

/** Serious findings of axe on what is on screen. */
async function findings(page: Page): Promise<string[]> {
	await page.evaluate(axe.source);
	const { violations } = await page.evaluate(
		// The library was just put on the page.
		() => (window as unknown as { axe: typeof axe }).axe.run(document)
	);
	return violations
		.filter(({ impact }) => impact === 'serious' || impact === 'critical')
		.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
}

for (const colorScheme of ['light', 'dark'] as const) {
	test(`axe finds nothing serious, ${colorScheme}`, async ({ app }) => {
		await app.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
		await app.open();
		await expect(app.page.getByRole('button', { name: 'Start your own' })).toBeVisible();
		expect(await findings(app.page)).toEqual([]);
		await app.openSample();
		await app.send('/compact');
		await app.idle();
		await app.checkpoints.first().click();
		expect(await findings(app.page)).toEqual([]);
		await app.page.getByRole('button', { name: /^Context:/ }).click();
		await app.page.getByRole('button', { name: 'What the model sees' }).click();
		await expect(
			app.page.getByRole('heading', { name: 'What the model sees' }).first()
		).toBeVisible();
		expect(await findings(app.page)).toEqual([]);
		for (const path of ['/settings', '/data']) {
			await app.open(path);
			await expect(app.main.getByRole('heading', { level: 1 })).toBeVisible();
			expect(await findings(app.page)).toEqual([]);
		}
	});
}

for (const width of [360, 768, 1280, 1920]) {
	test(`nothing overflows sideways at ${width} px`, async ({ app }) => {
		await app.page.setViewportSize({ width, height: 780 });
		await app.openSample();
		await app.send('/compact');
		await app.idle();
		for (const path of [null, '/settings', '/data']) {
			if (path) await app.open(path);
			await expect(app.main).toBeVisible();
			// The page itself scrolls inside main, so both are looked at.
			const wider = await app.page.evaluate(() =>
				[document.documentElement, ...document.querySelectorAll('main, main [role=log]')]
					.filter((element) => element.scrollWidth > element.clientWidth)
					.map((element) => `${element.tagName}: ${element.scrollWidth} > ${element.clientWidth}`)
			);
			expect(wider).toEqual([]);
		}
	});
}

test('the app can be installed: manifest, icons, its own service worker', async ({ app }) => {
	await app.open();
	await app.installed();
	const manifest = await app.page.evaluate(async () => {
		const link = document.querySelector<HTMLLinkElement>('link[rel=manifest]');
		const response = await fetch(link?.href ?? '');
		return (await response.json()) as {
			name: string;
			display: string;
			icons: { src: string; sizes: string }[];
		};
	});
	expect(manifest.name).toBe('Hilo');
	expect(manifest.display).toBe('standalone');
	for (const { src } of manifest.icons) {
		expect(await app.page.evaluate(async (src) => (await fetch(src)).ok, src)).toBe(true);
	}
});
