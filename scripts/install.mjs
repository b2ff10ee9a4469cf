// What both commands need on a fresh clone: the packages, and for the tests a Chromium.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Runs a command in the open. @returns its exit code */
export function run(command, args, options = {}) {
	const { status, error } = spawnSync(command, args, { stdio: 'inherit', ...options });
	if (error) console.error(`${command}: ${error.message}`);
	return status ?? 1;
}

/** Installs the packages when they are missing or not those of the lockfile. */
export function installPackages() {
	const stamp = 'node_modules/.hilo-lock';
	const lock = readFileSync('package-lock.json', 'utf8');
	if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
	console.log('Installing packages …');
	if (run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']) !== 0) {
		console.error(
			'The packages could not be installed. Check the network and the npm registry, then run this again.'
		);
		process.exit(1);
	}
	writeFileSync(stamp, lock);
}

const systemBrowsers = [
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/usr/bin/google-chrome-stable',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
	'/Applications/Chromium.app/Contents/MacOS/Chromium'
];

async function foundBrowser() {
	const system = [process.env.HILO_CHROMIUM, ...systemBrowsers].find(
		(path) => path && existsSync(path)
	);
	if (system) return system;
	const { chromium } = await import('@playwright/test');
	const own = chromium.executablePath();
	return existsSync(own) ? own : null;
}

/**
 * The path of a Chromium: a system one, else Playwright's, else Debian's, installed if need be.
 * @returns {Promise<string>}
 */
export async function installChromium() {
	const ways = [
		() => 0,
		() => run('npx', ['playwright', 'install', 'chromium'], { timeout: 180_000 }),
		() =>
			run('sh', [
				'-c',
				'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null'
			])
	];
	for (const way of ways) {
		way();
		const path = await foundBrowser();
		if (path) return path;
	}
	console.error(
		'No Chromium was found and none could be installed. Install one and set HILO_CHROMIUM to its path.'
	);
	process.exit(1);
}
