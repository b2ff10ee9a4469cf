/** What the two pages run: the app's own storage, and clients over it. Bundled and served by the test; see pages.ts. */
import type { Session } from '../../src/lib/history/session';
import { HiloDatabase, openDatabase } from '../../src/lib/storage/database';
import { addSession } from '../../src/lib/storage/sessions';
import { Client, deeds, type Entry } from './client';
import { Random } from './random';
import { readStored, type Stored } from './verdict';

/** What a page offers to the test. */
export interface Harness {
	/** Makes the database anew, with the session that the clients share. */
	found(session: Session): Promise<void>;
	/** Plays one client once the other page is ready as well; gives its log. */
	play(round: number, client: number, seed: number, steps: number): Promise<Entry[]>;
	stored(): Promise<Stored>;
}

declare global {
	interface Window {
		harness: Harness;
	}
}

const NAME = 'hilo-two-pages';
const channel = new BroadcastChannel(NAME);

/** A turn of the event loop that no timer's least delay holds up. */
function turn(): Promise<void> {
	const { port1, port2 } = new MessageChannel();
	return new Promise((resolve) => {
		port1.onmessage = () => resolve();
		port2.postMessage(null);
	});
}

/** Resolves when the other page has come to the same round: then both go at once. */
function meet(round: number): Promise<void> {
	return new Promise((resolve) => {
		let isAnswered = false;
		channel.onmessage = ({ data }: MessageEvent<number>) => {
			if (data !== round || isAnswered) return;
			isAnswered = true;
			// Said again, for a page that came later and has not heard it.
			channel.postMessage(round);
			resolve();
		};
		channel.postMessage(round);
	});
}

async function withDatabase<T>(work: (db: HiloDatabase) => Promise<T>): Promise<T> {
	const db = await openDatabase({}, NAME);
	try {
		return await work(db);
	} finally {
		db.close();
	}
}

window.harness = {
	async found(session) {
		await new HiloDatabase(NAME).delete();
		await withDatabase((db) => addSession(db, session));
	},
	play: (round, number, seed, steps) =>
		withDatabase(async (db) => {
			const random = new Random(seed);
			const pause = async () => {
				for (let turns = random.below(3); turns > 0; turns--) await turn();
			};
			const client = new Client({ db, number, random, pause });
			await client.take('look');
			await meet(round);
			for (let step = 0; step < steps; step++) {
				await pause();
				await client.take(random.of(deeds) ?? 'look');
			}
			return client.log;
		}),
	stored: () => withDatabase(readStored)
};
