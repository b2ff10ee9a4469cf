import { chromium, expect, test } from '@playwright/test';
import { existsSync } from 'node:fs';
import { kills } from '../torture/kills';
import { App } from './app';

const SEED = Number(process.env['HILO_SEED'] ?? 20_261);
const system = process.env['HILO_CHROMIUM'] ?? '/usr/bin/chromium';

test('six kills of page and browser while it sends, answers and compacts: 0 lost, 0 torn', async () => {
	// The short form of `npm run torture`: a browser of its own is started again after each second kill.
	test.setTimeout(180_000);
	const executablePath = existsSync(system) ? system : chromium.executablePath();
	const found: string[] = [];
	let count = 0;
	const options = {
		executablePath,
		url: App.url,
		seed: SEED,
		count: 6,
		// A loaded machine is slow, not wrong: `npm run torture` asks for one second.
		behindMax: 2500
	};
	for await (const kill of kills(options)) {
		count++;
		const { number, phase, weapon, delay } = kill;
		const step = `seed ${SEED}, kill ${number} (${phase}, ${weapon}, ${delay} ms)`;
		found.push(...kill.violations.map((what) => `${step}: ${what}`));
	}
	expect(found).toEqual([]);
	expect(count).toBe(6);
});
