import { OpenAIServer } from '../support/openai-server';
import { expect, test as base, type App } from './app';

export const KEY = 'sk-loop-1234567890';

/** A test with a real HTTP server of another origin that speaks OpenAI's chat completions. */
export const test = base.extend<{ server: OpenAIServer }>({
	// A refused or broken answer is logged by the browser itself.
	// eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from this pattern
	allowed: async ({}, use) => use([/Failed to load resource/, /net::ERR_/, /CORS policy/]),
	// eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from this pattern
	server: async ({}, use) => {
		const server = await OpenAIServer.start({ models: ['loop-8k'], apiKey: KEY });
		await use(server);
		await server.stop();
	}
});

/** Adds the server in Settings with a window in tokens, and opens a new conversation with its model. */
export async function converse(app: App, server: OpenAIServer, window = '8192'): Promise<void> {
	const { page } = app;
	await app.addServer(server.baseURL, KEY);
	await page.getByRole('button', { name: 'Fetch the list' }).click();
	await page.getByLabel(/^Window of/).fill(window);
	await page.getByRole('button', { name: 'Save' }).click();
	await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
	await page.getByRole('button', { name: 'New session' }).click();
	await expect(app.composer).toBeVisible();
	const value = await page.locator('option', { hasText: 'loop-8k' }).getAttribute('value');
	await page.getByRole('combobox', { name: 'Model' }).selectOption(value ?? '');
}

/** Three turns that fill most of a window of 8k. */
export async function fillUp(app: App, server: OpenAIServer): Promise<void> {
	const filler = 'Distributed practice helped in this experiment as well. '.repeat(60);
	for (const number of [1, 2, 3]) {
		server.enqueue({ kind: 'text', chunks: [`Answer ${number}. ${filler}`] });
		await app.send(`Question ${number}: what about study ALPHA${number}?`);
		await app.idle();
	}
}

export { expect };
