import type { BrowserContext } from '@playwright/test';
import { grow } from '../support/tree';
import { SHARED, type Entry } from './client';
import { serveScript } from './served-script';
import { violations } from './verdict';

export interface Meeting {
	readonly seed: number;
	/** Empty: nothing lost, one winner for each revision, nothing torn. */
	readonly found: readonly string[];
	readonly entries: readonly Entry[];
}

/** Deeds of each page in one interleaving. */
const STEPS = 14;

/**
 * Two pages of one browser on one session, `rounds` times anew: each does its own seeded deeds over the app's storage, both
 * at once. The seed fixes the deeds; which page comes first each time is the browser's.
 */
export async function* meetings(
	context: BrowserContext,
	seed: number,
	rounds: number
): AsyncGenerator<Meeting> {
	const { url, close } = await serveScript(new URL('./harness.ts', import.meta.url));
	try {
		const pages = await Promise.all([context.newPage(), context.newPage()]);
		await Promise.all(pages.map((page) => page.goto(url)));
		const [first] = pages;
		for (let round = 0; round < rounds; round++) {
			const own = seed + round;
			await first.evaluate(
				(session) => window.harness.found(session),
				grow().session({ id: SHARED })
			);
			const logs = await Promise.all(
				pages.map((page, client) =>
					page.evaluate(
						([round, client, seed, steps]) => window.harness.play(round, client, seed, steps),
						[round, client, own * 2 + client, STEPS] as const
					)
				)
			);
			const stored = await first.evaluate(() => window.harness.stored());
			yield { seed: own, found: violations(stored, logs), entries: logs.flat() };
		}
		await Promise.all(pages.map((page) => page.close()));
	} finally {
		await close();
	}
}
