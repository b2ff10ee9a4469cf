import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
	chromium,
	type Browser,
	type BrowserContext,
	type CDPSession,
	type Page
} from '@playwright/test';

const FLAGS = [
	'--headless=new',
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--no-default-browser-check',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	'--disable-breakpad',
	'--hide-crash-restore-bubble',
	'--password-store=basic',
	'--remote-debugging-port=0',
	'--window-size=1280,800'
];

/** A real Chromium with a profile that outlives it. It can be killed, whole or one page, and started again. */
export class Chromium {
	#process: ChildProcess | null = null;
	#browser: Browser | null = null;
	readonly #profile = mkdtempSync(join(tmpdir(), 'hilo-profile-'));
	/** A browser of its own process group would outlive a test that is interrupted. */
	readonly #onExit = () => {
		if (this.#process?.pid) process.kill(-this.#process.pid, 'SIGKILL');
		rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
	};

	constructor(readonly executablePath: string) {
		process.once('exit', this.#onExit);
	}

	/** Starts the browser on the profile, and prepares what all its pages get. */
	async start(prepare: (context: BrowserContext) => Promise<void>): Promise<BrowserContext> {
		// A process group of its own: killing the group kills renderers, storage and all in one go.
		const child = spawn(
			this.executablePath,
			[...FLAGS, `--user-data-dir=${this.#profile}`, 'about:blank'],
			{ detached: true, stdio: ['ignore', 'ignore', 'pipe'] }
		);
		this.#process = child;
		this.#browser = await chromium.connectOverCDP(await endpointOf(child));
		const [context] = this.#browser.contexts();
		if (!context) throw new Error('The browser has no profile.');
		await prepare(context);
		return context;
	}

	/** SIGKILL to every process of the browser. Resolves once it is gone, with the moment of the signal. */
	async kill(): Promise<number> {
		const child = this.#process;
		if (!child?.pid) throw new Error('The browser does not run.');
		const gone = new Promise((resolve) => child.once('exit', resolve));
		const at = Date.now();
		process.kill(-child.pid, 'SIGKILL');
		await gone;
		this.#process = null;
		await this.#browser?.close().catch(() => undefined);
		return at;
	}

	async remove(): Promise<void> {
		if (this.#process) await this.kill();
		process.off('exit', this.#onExit);
		this.#onExit();
	}
}

/** What crashes the renderer of a page at once, as a tab dies that runs out of memory; it gives the moment. */
export async function crasher(page: Page): Promise<() => Promise<number>> {
	const session = await page.context().newCDPSession(page);
	return () => crash(page, session);
}

async function crash(page: Page, session: CDPSession): Promise<number> {
	const crashed = new Promise((resolve) => page.once('crash', resolve));
	const at = Date.now();
	// It has nobody left to answer.
	void session.send('Page.crash').catch(() => undefined);
	await crashed;
	await page.close();
	return at;
}

function endpointOf(child: ChildProcess): Promise<string> {
	return new Promise((resolve, reject) => {
		let said = '';
		child.stderr?.on('data', (chunk: Buffer) => {
			said += chunk.toString();
			const [, endpoint] = /DevTools listening on (ws:\S+)/.exec(said) ?? [];
			if (endpoint) resolve(endpoint);
		});
		child.once('exit', () => reject(new Error(`The browser did not start: ${said.slice(-600)}`)));
	});
}
