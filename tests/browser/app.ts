import { expect, test as base, type Locator, type Page } from '@playwright/test';

/** The app as a person meets it: what can be seen, pressed and read. */
export class App {
	/** Messages of the browser's console that a healthy page does not write. */
	readonly complaints: string[] = [];

	constructor(readonly page: Page) {
		page.on('console', (message) => {
			if (message.type() === 'error' || message.type() === 'warning') {
				this.complaints.push(message.text());
			}
		});
		page.on('pageerror', (error) => this.complaints.push(error.stack ?? error.message));
	}

	static get url(): string {
		const url = process.env['HILO_URL'];
		if (!url) throw new Error('HILO_URL is set by the global setup.');
		return url;
	}

	async open(path = '/'): Promise<void> {
		await this.page.goto(`${App.url}${path}`);
	}

	/** First run: an empty conversation. */
	async startOwn(): Promise<void> {
		await this.open();
		await this.page.getByRole('button', { name: 'Start your own' }).click();
		await expect(this.composer).toBeVisible();
	}

	/** First run: the sample research session. */
	async openSample(): Promise<void> {
		await this.open();
		await this.page.getByRole('button', { name: 'Open the sample research session' }).click();
		await expect(this.composer).toBeVisible();
	}

	get composer(): Locator {
		return this.page.getByRole('textbox', { name: 'Message' });
	}
	get main(): Locator {
		return this.page.getByRole('main');
	}
	get checkpoints(): Locator {
		return this.page.getByRole('button', { name: /^Context compacted/ });
	}
	get sessions(): Locator {
		return this.page.getByRole('navigation', { name: 'Sessions' }).getByRole('link');
	}

	/** Sends a message. The room is busy from the moment the composer is empty. */
	async send(text: string): Promise<void> {
		await this.composer.fill(text);
		await this.composer.press('Enter');
		await expect(this.composer).toHaveValue('');
	}

	/** Waits until nothing is being answered or compacted, and nothing waits to be sent. */
	async idle(): Promise<void> {
		await expect(this.main.locator('[data-busy]')).toHaveAttribute('data-busy', 'false', {
			timeout: 30_000
		});
	}

	/** The service worker controls the page, so that it opens without a network. */
	async installed(): Promise<void> {
		await this.page.evaluate(async () => {
			await navigator.serviceWorker.ready;
			if (navigator.serviceWorker.controller) return;
			await new Promise((resolve) =>
				navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
			);
		});
	}

	/** Adds a server in Settings and takes the models it lists. */
	async addServer(baseURL: string, key?: string): Promise<void> {
		await this.open('/settings');
		await this.page.getByRole('button', { name: 'Add a provider' }).click();
		await this.page.getByRole('textbox', { name: 'Name', exact: true }).fill('Loopback');
		await this.page.getByRole('textbox', { name: 'Base URL' }).fill(baseURL);
		if (key) await this.page.getByRole('textbox', { name: 'Key' }).fill(key);
	}

	/** All rows of a table, read past the app. */
	rows<T>(table: string): Promise<T[]> {
		return this.page.evaluate(
			(name) =>
				new Promise<T[]>((resolve, reject) => {
					const open = indexedDB.open('hilo');
					open.onerror = () => reject(new Error(String(open.error)));
					open.onsuccess = () => {
						const all = open.result.transaction(name).objectStore(name).getAll();
						all.onsuccess = () => {
							open.result.close();
							resolve(all.result);
						};
					};
				}),
			table
		);
	}
}

/** A test with the app in a browser profile of its own. It fails when the console complained. */
export const test = base.extend<{ app: App; allowed: RegExp[] }>({
	/** Complaints that a test provokes on purpose. */
	// eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures from this pattern
	allowed: async ({}, use) => use([]),
	app: async ({ page, allowed }, use) => {
		const app = new App(page);
		await use(app);
		expect(app.complaints.filter((text) => !allowed.some((each) => each.test(text)))).toEqual([]);
	}
});
export { expect };
