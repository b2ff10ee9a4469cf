/** What the page of the browser bench runs: the app's own storage on Chromium's IndexedDB. See browser-storage.ts. */
import type { Message, MessageId } from '../../src/lib/history/message';
import type { Session } from '../../src/lib/history/session';
import {
	countElsewhere,
	readContext,
	readSiblings,
	readWindow
} from '../../src/lib/storage/branch';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import { HiloDatabase } from '../../src/lib/storage/database';
import { checked } from '../../src/lib/storage/examine';
import { expectedOf } from '../../src/lib/storage/expected';
import { checkpointFields, grow, messageId, words } from '../support/tree';

export interface Bench {
	/** Makes a database with one session of so many messages, its newest checkpoint twelve before the end. */
	fill(count: number): Promise<void>;
	/** Milliseconds of each commit of a checkpoint, and of each bare compare-and-swap of one row, taken in turns. */
	commits(
		count: number,
		times: number
	): Promise<{ commits: number[]; swaps: number[]; bytes: number }>;
	/** Milliseconds of each read that opening makes. */
	opens(
		count: number,
		times: number
	): Promise<{ window: number[]; elsewhere: number[]; context: number[] }>;
}

declare global {
	interface Window {
		bench: Bench;
	}
}

const nameOf = (count: number) => `hilo-bench-${count}`;
const idOf = messageId;
const never = new AbortController().signal;

async function timed(work: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

async function opened(count: number): Promise<{ db: HiloDatabase; session: Session }> {
	const db = new HiloDatabase(nameOf(count));
	await db.open();
	const session = await db.sessions.toCollection().first();
	if (!session) throw new Error('Fill it first.');
	return { db, session };
}

/** The bytes of all rows that `work` gives to IndexedDB, as JSON. */
async function bytesOf(work: () => Promise<unknown>): Promise<number> {
	let bytes = 0;
	const store = IDBObjectStore.prototype;
	const { put, add } = store;
	const counting = (write: typeof put): typeof put =>
		function (this: IDBObjectStore, row: unknown, key?: IDBValidKey) {
			bytes += JSON.stringify(row).length;
			return key === undefined ? write.call(this, row) : write.call(this, row, key);
		};
	Object.assign(store, { put: counting(put), add: counting(add) });
	await work();
	Object.assign(store, { put, add });
	return bytes;
}

window.bench = {
	async fill(count) {
		await new HiloDatabase(nameOf(count)).delete();
		const tree = grow();
		const texts = Array.from({ length: 40 }, (_, n) => words(40, n));
		for (let n = 0; n < (count - 14) / 2; n++) {
			tree.talk(texts[n % 40] ?? '', texts[(n + 7) % 40] ?? '');
		}
		let kept: Message | null = tree.leaf;
		for (let up = 0; up < 7 && kept?.parentId; up++) kept = tree.rows.get(kept.parentId) ?? null;
		tree.checkpoint(kept);
		for (let n = 0; n < 6; n++) tree.talk('a question', 'an answer');
		const db = new HiloDatabase(nameOf(count));
		await db.open();
		const rows = [...tree.rows.values()];
		for (let at = 0; at < rows.length; at += 5000) {
			await db.messages.bulkAdd(rows.slice(at, at + 5000));
		}
		await db.sessions.put(tree.session());
		db.close();
	},
	async commits(count, times) {
		const { db, session } = await opened(count);
		const leaf = session.leafId && (await db.messages.get(session.leafId));
		if (!leaf) throw new Error('It has no leaf.');
		const read = await readWindow(db, leaf.id, 4);
		const user = read.kind === 'branch' && read.messages.find(({ role }) => role === 'user');
		if (!user) throw new Error('It has no tail.');
		const fields = checkpointFields({
			previousCheckpointId: leaf.checkpointId,
			firstKeptMessageId: user.id,
			summary: words(1000)
		});
		let ids = 10_000_000;
		let newest: MessageId = leaf.id;
		const commit = async () => {
			newest = idOf(++ids);
			const done = await commitCheckpoint(db, expectedOf(session), fields, newest, 1, never);
			if (done.kind !== 'committed') throw new Error(done.kind);
		};
		// Each commit finds the branch as the first one did.
		const back = () =>
			db.transaction('rw', db.sessions, db.messages, async () => {
				await db.messages.delete(newest);
				await db.sessions.put(session);
			});
		const swap = () =>
			db.transaction('rw', db.sessions, async () => {
				const row = await db.sessions.get(session.id);
				if (row?.branchRevision !== session.branchRevision) throw new Error('stale');
				await db.sessions.put({ ...row, updatedAt: row.updatedAt + 1 });
			});
		const bytes = await bytesOf(commit);
		await back();
		const commits: number[] = [];
		const swaps: number[] = [];
		for (let n = 0; n < times; n++) {
			swaps.push(await timed(swap));
			commits.push(await timed(commit));
			await back();
		}
		db.close();
		return { commits, swaps, bytes };
	},
	async opens(count, times) {
		const { db, session } = await opened(count);
		const { id, leafId, treeId } = session;
		const all = { window: [] as number[], elsewhere: [] as number[], context: [] as number[] };
		for (let n = 0; n < times; n++) {
			all.window.push(
				await timed(async () => {
					await db.sessions.get(id);
					const read = checked(await readWindow(db, leafId), treeId);
					if (read.kind === 'damaged') throw new Error(read.what);
					await readSiblings(db, read.messages);
				})
			);
			const leaf = leafId && (await db.messages.get(leafId));
			if (leaf) all.elsewhere.push(await timed(() => countElsewhere(db, leaf)));
			all.context.push(
				await timed(async () => {
					const read = checked(await readContext(db, leafId), treeId);
					if (read.kind === 'damaged') throw new Error(read.what);
				})
			);
		}
		db.close();
		return all;
	}
};
