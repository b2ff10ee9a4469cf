import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { addSession, deleteDiscarded, discardSession } from '../../src/lib/storage/sessions';
import { macrotask } from '../support/conversation';
import { connect, freshDatabase, store } from '../support/database';
import { grow } from '../support/tree';
import { Client, deeds, SHARED } from '../torture/client';
import { Random } from '../torture/random';
import { readStored, violations } from '../torture/verdict';

/** HILO_RUNS raises it. */
const RUNS = Number(process.env['HILO_RUNS'] ?? 1000);
const SEED = Number(process.env['HILO_SEED'] ?? Date.now() % 2 ** 31);

const person = fc.record({
	deeds: fc.array(fc.constantFrom(...deeds), { minLength: 12, maxLength: 30, size: 'max' }),
	seed: fc.nat()
});

/** Holds each transaction until the scheduler lets it begin: these are the places where two tabs can come between. */
function heldTransactions(db: HiloDatabase, hold: () => Promise<unknown>): void {
	const { transaction } = db;
	Object.defineProperty(db, 'transaction', {
		value: async (...given: unknown[]) => {
			await hold();
			return Reflect.apply(transaction, db, given);
		}
	});
}

/**
 * Lets held steps go in the scheduler's order until all clients are done. In `lockstep` none goes before every client
 * waits for its turn; else the next goes while what the one before it began is still under way.
 */
async function letGo(s: fc.Scheduler, clients: readonly Promise<void>[], lockstep: boolean) {
	let alive = clients.length;
	for (const client of clients) void client.finally(() => alive--);
	while (alive > 0) {
		if (s.count() >= (lockstep ? alive : 1)) await s.waitNext(1);
		else await macrotask();
	}
}

test(
	`H12–H17, H24–H26, H30–H32 over ${RUNS} random interleavings of two clients (seed ${SEED})`,
	async () => {
		const seen = new Map<string, number>();
		await fc.assert(
			fc.asyncProperty(
				fc.scheduler(),
				fc.tuple(person, person),
				fc.boolean(),
				async (s, people, lockstep) => {
					const watcher = await freshDatabase();
					await addSession(watcher, grow().session({ id: SHARED }));
					const tabs = [await connect(watcher.name), await connect(watcher.name)];
					const hold = () => s.schedule(Promise.resolve());
					const clients = tabs.map((db, number) => {
						heldTransactions(db, hold);
						const random = new Random(people[number]?.seed ?? 0);
						const pause = async () => void (await hold());
						return new Client({ db, number, random, pause });
					});
					const done = clients.map(async (client, number) => {
						for (const deed of people[number]?.deeds ?? []) {
							await hold();
							await client.take(deed);
						}
					});
					await letGo(s, done, lockstep);
					await Promise.all(done);
					const logs = clients.map(({ log }) => log);
					expect(violations(await readStored(watcher), logs)).toEqual([]);
					for (const { kind } of logs.flat()) seen.set(kind, (seen.get(kind) ?? 0) + 1);
					for (const db of [watcher, ...tabs]) db.close();
				}
			),
			{ numRuns: RUNS, seed: SEED }
		);
		console.info(`${RUNS} interleavings: ${[...seen].map((pair) => pair.join(' ')).join(', ')}`);
		// Two that never met would prove nothing.
		for (const kind of ['swap', 'refused', 'ended', 'pin', 'forked', 'deleted']) {
			expect(seen.get(kind) ?? 0).toBeGreaterThan(RUNS / 20);
		}
	},
	60_000 + RUNS * 100
);

test('H62 a session that is brought back while another tab clears away is kept', async () => {
	const db = await freshDatabase();
	const tree = grow();
	tree.talk('u', 'a');
	const { id } = await store(db, tree, { discardedAt: 1 });
	const clearing = await connect(db.name);
	heldTransactions(clearing, () => discardSession(db, id, null));
	await deleteDiscarded(clearing, 2);
	expect(await db.sessions.get(id)).toMatchObject({ leafId: tree.leaf?.id, discardedAt: null });
	expect(await db.messages.count()).toBe(2);
});
