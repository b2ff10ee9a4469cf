import fc from 'fast-check';
import { expect, test } from 'vitest';
import { project } from '../../src/lib/context/projection';
import type { Message, MessageId, SessionId } from '../../src/lib/history/message';
import type { Session } from '../../src/lib/history/session';
import { newestLeafBelow, readContext, readWhole } from '../../src/lib/storage/branch';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { beginRetry, beginRun, dropRun, finishRun } from '../../src/lib/storage/runs';
import { addSession, deleteSession, moveLeaf } from '../../src/lib/storage/sessions';
import { mustPlan, planOf, run } from '../support/compaction';
import { expected, freshDatabase, newRun } from '../support/database';
import { grow, messageId, sessionId, text, words, type Grower } from '../support/tree';

/** HILO_RUNS raises it. Each run is a whole database. */
const RUNS = Math.ceil(Number(process.env['HILO_RUNS'] ?? 1000) / 4);
const SEED = Number(process.env['HILO_SEED'] ?? Date.now() % 2 ** 31);

const kinds = [
	'send',
	'send',
	'send',
	'unanswered',
	'retry',
	'edit',
	'switch',
	'compact',
	'compact',
	'undo',
	'fork',
	'delete'
] as const;
const step = fc.record({
	kind: fc.constantFrom(...kinds),
	pick: fc.nat(1000),
	size: fc.integer({ min: 20, max: 900 })
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Real storage, driven as the session room drives it; beside it, what must be true whatever was done. */
class World {
	readonly #bytes = new Map<MessageId, string>();
	commits = 0;
	#ids = 0;

	constructor(readonly db: HiloDatabase) {}

	id = () => messageId(++this.#ids);

	async take({ kind, pick, size }: Step): Promise<void> {
		const { db } = this;
		const sessions = await db.sessions.toArray();
		const session = sessions[pick % sessions.length];
		if (!session)
			return void (await addSession(db, grow().session({ id: sessionId(++this.#ids) })));
		const branch = await this.branchOf(session);
		const users = branch.filter((message) => message.role === 'user');
		const answers = branch.filter((message) => message.role === 'assistant');
		const user = users[pick % users.length];
		const answer = answers[pick % answers.length];
		switch (kind) {
			case 'send':
			case 'unanswered':
				return this.ask(session, session.leafId, size, kind === 'send');
			case 'edit':
				return user && this.ask(session, user.parentId, size, true);
			case 'retry': {
				if (!user) return;
				const begun = await beginRetry(db, expected(session), user.id, this.run(), 1);
				if (begun.kind === 'done')
					await finishRun(db, begun.run, { parts: [text('again')], metadata: {} }, 2);
				return;
			}
			case 'switch': {
				const rows = await db.messages.toArray();
				const row = rows.filter((each) => each.treeId === session.treeId)[
					pick % Math.max(1, rows.length)
				];
				if (row) await moveLeaf(db, expected(session), await newestLeafBelow(db, row.id), 1);
				return;
			}
			case 'undo': {
				const leaf = branch.at(-1);
				if (leaf?.role === 'checkpoint') await moveLeaf(db, expected(session), leaf.parentId, 1);
				return;
			}
			case 'fork':
				if (answer && sessions.length < 5) {
					await addSession(db, {
						...session,
						id: sessionId(++this.#ids),
						leafId: answer.id,
						branchRevision: 0
					});
				}
				return;
			case 'delete':
				return deleteSession(db, session.id);
			case 'compact':
				return this.compact(session, branch);
		}
	}

	run = () => ({ ...newRun(), messageId: this.id() });

	async ask(session: Session, parentId: MessageId | null, size: number, answered: boolean) {
		const user = {
			id: this.id(),
			parentId,
			draft: { role: 'user' as const, parts: [text(words(size))], metadata: {} },
			draftAfter: { text: '', files: [] }
		};
		const begun = await beginRun(this.db, expected(session), user, this.run(), 1);
		if (begun.kind !== 'done') throw new Error('A write of the only writer was stale.');
		if (!answered) return void (await dropRun(this.db, begun.run));
		await finishRun(this.db, begun.run, { parts: [text(words(size, 5))], metadata: {} }, 2);
	}

	async compact(session: Session, branch: readonly Message[]): Promise<void> {
		const tree = grownFrom(branch);
		if (planOf(tree).kind === 'noop') return;
		const { outcome } = await run(tree, mustPlan(tree), undefined, {
			commit: (checkpoint, signal) =>
				commitCheckpoint(this.db, expected(session), checkpoint, this.id(), 3, signal)
		});
		if (outcome.kind === 'committed') this.commits++;
	}

	async branchOf(session: Session): Promise<readonly Message[]> {
		if (session.leafId === null) return [];
		const read = await readWhole(this.db, session.leafId);
		if (read.kind === 'damaged') throw new Error(read.what);
		return read.messages;
	}

	/** Every session reads whole; the context is its end; what is sent and what is covered are the branch; H1. */
	async check(): Promise<void> {
		const sessions = await this.db.sessions.toArray();
		for (const session of sessions) {
			const branch = await this.branchOf(session);
			const context = await readContext(this.db, session.leafId);
			if (context.kind === 'damaged') throw new Error(context.what);
			expect(context.messages).toEqual(branch.slice(branch.length - context.messages.length));
			expect(project(context.messages)).toEqual(project(branch));
		}
		const alive = new Set<SessionId>(sessions.map(({ id }) => id));
		for (const row of await this.db.messages.toArray()) {
			const bytes = JSON.stringify(row);
			expect(this.#bytes.get(row.id) ?? bytes).toBe(bytes);
			this.#bytes.set(row.id, bytes);
		}
		if (alive.size === 0) expect(await this.db.messages.count()).toBe(0);
		expect(await this.db.runs.count()).toBe(0);
	}
}

/** A grown tree that holds a stored branch, for planning. */
function grownFrom(branch: readonly Message[]): Grower {
	const tree = grow();
	for (const message of branch) tree.rows.set(message.id, message);
	return tree.at(branch.at(-1) ?? null);
}

test(
	`H1, H10–H17, H26, H30–H42 over ${RUNS} random histories of several sessions (seed ${SEED})`,
	async () => {
		let commits = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 30 }), async (steps) => {
				const world = new World(await freshDatabase());
				for (const each of steps) {
					await world.take(each);
					await world.check();
				}
				commits += world.commits;
				world.db.close();
			}),
			{ numRuns: RUNS, seed: SEED }
		);
		expect(commits).toBeGreaterThan(RUNS / 4);
	},
	60_000 + RUNS * 600
);
