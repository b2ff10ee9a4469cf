import 'fake-indexeddb/auto';
import { occupancyOf } from '../../src/lib/context/occupancy';
import { project } from '../../src/lib/context/projection';
import { buildRequest } from '../../src/lib/context/request';
import { readContext, readWindow } from '../../src/lib/storage/branch';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { expectedOf } from '../../src/lib/storage/expected';
import type { Message } from '../../src/lib/history/message';
import { freshDatabase } from '../support/database';
import { checkpointFields, grow, messageId, words, type Grower } from '../support/tree';
import { median, round, table } from './table';

const NOTE =
	'  fake-indexeddb: the shape (what is read and written) is real, the milliseconds are not a browser’s.';
const never = new AbortController().signal;

/** A branch of `count` messages whose newest checkpoint stands twelve messages before its end. */
async function longBranch(count: number): Promise<{ db: HiloDatabase; tree: Grower }> {
	const tree = grow();
	const texts = Array.from({ length: 40 }, (_, n) => words(40, n));
	for (let n = 0; n < (count - 12) / 2; n++)
		tree.talk(texts[n % 40] ?? '', texts[(n + 7) % 40] ?? '');
	let kept: Message | null = tree.leaf;
	for (let up = 0; up < 7 && kept?.parentId; up++) kept = tree.rows.get(kept.parentId) ?? null;
	tree.checkpoint(kept);
	for (let n = 0; n < 6; n++) tree.talk('a question', 'an answer');
	const db = await freshDatabase();
	await db.messages.bulkPut([...tree.rows.values()]);
	await db.sessions.put(tree.session());
	return { db, tree };
}

/** Window and projection of a branch of 1,000 and of 100,000 messages: both read the end only. */
export async function projections(): Promise<void> {
	const rows = [];
	for (const count of [1000, 100_000]) {
		const { db, tree } = await longBranch(count);
		const leafId = tree.leaf?.id ?? null;
		let read = 0;
		const build = async () => {
			const context = await readContext(db, leafId);
			if (context.kind === 'damaged') throw new Error(context.what);
			read = context.messages.length;
			const projection = project(context.messages);
			const input = { instructions: '', tools: [], projection, pending: null };
			occupancyOf({ ...input, provider: 'p' });
			return buildRequest({ ...input, maxOutputTokens: 100 });
		};
		await build();
		rows.push({
			messages: count,
			'read for it': read,
			'projection ms': round(await median(31, build)),
			'window ms': round(await median(31, () => readWindow(db, leafId)))
		});
		db.close();
	}
	table('Projection and window near a checkpoint', rows);
	const [small, large] = rows;
	if (small && large) {
		const of = (name: 'projection ms' | 'window ms') => round(large[name] / small[name]);
		console.log(`  ratio ${of('projection ms')} and ${of('window ms')} (goal: at most 1.5)`);
	}
	console.log(NOTE);
}

/** Bytes and time of a checkpoint's commit, beside one bare compare-and-swap of a row. */
export async function commits(): Promise<void> {
	const rows = [];
	for (const count of [100, 10_000]) {
		const { db } = await longBranch(count);
		let written = 0;
		db.messages.hook('creating', (_, row) => void (written += JSON.stringify(row).length));
		db.sessions.hook('updating', (changes) => void (written += JSON.stringify(changes).length));
		let next = count * 2;
		const commit = async () => {
			const session = await db.sessions.toCollection().first();
			const leaf = session?.leafId && (await db.messages.get(session.leafId));
			if (!session || !leaf) throw new Error('no leaf');
			const fields = checkpointFields({
				previousCheckpointId: leaf.checkpointId,
				summary: words(1000)
			});
			written = 0;
			await commitCheckpoint(db, expectedOf(session), fields, messageId(++next), 1, never);
		};
		const swap = () =>
			db.transaction('rw', db.sessions, async () => {
				const session = await db.sessions.toCollection().first();
				if (session) await db.sessions.put({ ...session, updatedAt: session.updatedAt + 1 });
			});
		const [commitMs, swapMs] = [await median(31, commit), await median(31, swap)];
		rows.push({
			messages: count,
			bytes: written,
			'commit ms': round(commitMs),
			'bare swap ms': round(swapMs),
			ratio: round(commitMs / swapMs, 1)
		});
		db.close();
	}
	table('Commit of a checkpoint with a summary of 1,000 words', rows);
	console.log(NOTE);
}
