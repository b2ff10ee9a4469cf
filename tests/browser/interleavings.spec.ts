import { expect, test } from '@playwright/test';
import { meetings } from '../torture/pages';

/** `npm run torture` has the long form. */
const ROUNDS = Number(process.env['HILO_MEETINGS'] ?? 60);
const SEED = Number(process.env['HILO_SEED'] ?? 20_261);

test(`two pages of one browser, ${ROUNDS} random interleavings: nothing lost, one winner for each revision`, async ({
	context
}) => {
	test.setTimeout(60_000 + ROUNDS * 500);
	const found: string[] = [];
	const count = { swap: 0, refused: 0 };
	for await (const meeting of meetings(context, SEED, ROUNDS)) {
		found.push(...meeting.found.map((what) => `seed ${meeting.seed}: ${what}`));
		for (const { kind } of meeting.entries) {
			if (kind === 'swap' || kind === 'refused') count[kind]++;
		}
	}
	console.info(`${ROUNDS} interleavings: ${count.swap} swaps won, ${count.refused} refused`);
	expect(found).toEqual([]);
	// Two that never met would prove nothing.
	expect(count.swap).toBeGreaterThan(ROUNDS);
	expect(count.refused).toBeGreaterThan(ROUNDS / 4);
});
