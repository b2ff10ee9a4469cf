import { defineConfig } from '@playwright/test';
import { existsSync } from 'node:fs';

// The browser the test command found; else where a system usually has one.
const executablePath = process.env['HILO_CHROMIUM'] ?? '/usr/bin/chromium';

/** Real Chromium on the built production app, served as a static host would. */
export default defineConfig({
	testDir: 'tests/browser',
	testMatch: '**/*.spec.ts',
	fullyParallel: true,
	workers: 2,
	retries: 0,
	forbidOnly: true,
	timeout: 90_000,
	// A loaded machine is slow, not wrong.
	expect: { timeout: 20_000 },
	globalSetup: './tests/support/served-app.ts',
	outputDir: 'test-results',
	use: {
		actionTimeout: 20_000,
		browserName: 'chromium',
		viewport: { width: 1280, height: 800 },
		launchOptions: {
			...(existsSync(executablePath) ? { executablePath } : {}),
			args: [
				'--no-sandbox',
				'--disable-gpu',
				'--disable-quic',
				'--no-first-run',
				'--disable-background-networking',
				'--disable-component-update',
				'--disable-sync'
			]
		}
	}
});
