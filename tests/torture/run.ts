// Kills real Chromium again and again, and lets two of its pages meet; ends with one plain line for each.
//   npm run torture -- [--kills N] [--meetings N] [--seed N]
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { installChromium } from '../../scripts/install.mjs';
import { serve } from '../../scripts/serve.mjs';
import { kills, type Kill } from './kills';
import { meetings } from './pages';

const { values } = parseArgs({
	options: {
		seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
		kills: { type: 'string', default: '100' },
		meetings: { type: 'string', default: '500' },
		'no-build': { type: 'boolean', default: false }
	}
});
const seed = Number(values.seed);
const seconds = (since: number) => ((Date.now() - since) / 1000).toFixed(0);
let failures = 0;
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

function complain(step: string, found: readonly string[]): void {
	for (const what of found) console.error(`  seed ${seed}, ${step}: ${what}`);
	failures += found.length;
}

async function killAll(executablePath: string, url: string): Promise<void> {
	const began = Date.now();
	const all: Kill[] = [];
	const count = Number(values.kills);
	for await (const kill of kills({ executablePath, url, seed, count, behindMax: 1000 })) {
		all.push(kill);
		complain(
			`kill ${kill.number} (${kill.phase}, ${kill.weapon}, ${kill.delay} ms)`,
			kill.violations
		);
		if (kill.number % 10 === 0) console.log(`  ${kill.number} kills, ${seconds(began)} s`);
	}
	for (const phase of ['send', 'answer', 'checkpoint']) {
		const of = all.filter((kill) => kill.phase === phase);
		const stored = of.filter(({ isStored }) => isStored).length;
		console.log(`  ${phase}: ${of.length} kills, ${stored} after it was stored`);
	}
	const behind = Math.max(0, ...all.map((kill) => kill.behind ?? 0));
	const ahead = all.filter(({ isAhead }) => isAhead).length;
	console.log(`  a partial answer was at most ${behind} ms behind the screen`);
	console.log(`  ${ahead} times the database held more than had been reported`);
	const found = all.flatMap(({ violations }) => violations);
	const counts = ['lost', 'torn', 'late', 'unusable', 'wrong'].flatMap((kind, index) => {
		const count = found.filter((what) => what.startsWith(kind)).length;
		return count > 0 || index < 2 ? [`${count} ${kind}`] : [];
	});
	console.log(`${all.length} kills, ${counts.join(', ')} (seed ${seed}, ${seconds(began)} s)`);
}

async function meetAll(executablePath: string): Promise<void> {
	const began = Date.now();
	const browser = await chromium.launch({
		executablePath,
		args: ['--no-sandbox', '--disable-gpu']
	});
	let rounds = 0;
	const count = { swap: 0, refused: 0, found: 0 };
	for await (const meeting of meetings(await browser.newContext(), seed, Number(values.meetings))) {
		rounds++;
		complain(`meeting of seed ${meeting.seed}`, meeting.found);
		count.found += meeting.found.length;
		for (const { kind } of meeting.entries) {
			if (kind === 'swap' || kind === 'refused') count[kind]++;
		}
	}
	await browser.close();
	console.log(
		`${rounds} interleavings of two pages, ${count.found} violations: ${count.swap} swaps won, ${count.refused} refused (seed ${seed}, ${seconds(began)} s)`
	);
}

if (!values['no-build']) {
	const { status } = spawnSync('npx', ['vite', 'build', '--logLevel', 'error'], {
		stdio: 'inherit'
	});
	if (status !== 0) process.exit(status ?? 1);
}
const executablePath = await installChromium();
const { url, close } = await serve(0);
process.env['HILO_URL'] = url;
try {
	if (Number(values.kills) > 0) await killAll(executablePath, url);
	if (Number(values.meetings) > 0) await meetAll(executablePath);
} finally {
	await close();
}
process.exit(failures === 0 ? 0 : 1);
