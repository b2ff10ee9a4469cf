/** Random actions on real storage, with crashes between and within them, beside a plain model of what should be there. */
import type { DBCoreTransaction } from 'dexie';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MessageId, SessionId } from '../../src/lib/history/message';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import { HiloDatabase } from '../../src/lib/storage/database';
import { newestLeafBelow } from '../../src/lib/storage/branch';
import type { Expected } from '../../src/lib/storage/expected';
import { beginRetry, beginRun, dropRun, finishRun, saveRun } from '../../src/lib/storage/runs';
import {
	addSession,
	deleteDiscarded,
	deleteSession,
	discardSession,
	duplicateSession,
	forkSession,
	moveLeaf,
	patchSession,
	togglePin
} from '../../src/lib/storage/sessions';
import { macrotask } from '../support/conversation';
import { freshDatabase } from '../support/database';
import { checkpointFields, grow, messageId, sessionId, text, treeId } from '../support/tree';
import {
	empty,
	idsOf,
	modelOf,
	newestBelow,
	pathOf,
	told,
	withMessage,
	withoutSession,
	withSession,
	type Model,
	type ModelSession
} from '../torture/model';
import { readStored, tears } from '../torture/verdict';

/** HILO_RUNS raises it. */
const RUNS = Number(process.env['HILO_RUNS'] ?? 1000);
const SEED = Number(process.env['HILO_SEED'] ?? Date.now() % 2 ** 31);

/** A connection that can die: what it had not committed is undone, as when its browser is killed. */
class Connection {
	readonly #open = new Set<DBCoreTransaction>();

	private constructor(readonly db: HiloDatabase) {}

	static async to(name: string): Promise<Connection> {
		const connection = new Connection(new HiloDatabase(name));
		connection.db.use({
			stack: 'dbcore',
			create: (core) => ({
				...core,
				transaction: (...given) => {
					const transaction = core.transaction(...given);
					connection.#open.add(transaction);
					return transaction;
				}
			})
		});
		await connection.db.open();
		return connection;
	}

	die(): void {
		for (const transaction of this.#open) {
			try {
				transaction.abort();
			} catch {
				// It was over.
			}
		}
		this.db.close();
	}
}

/** An action: what is asked of storage, and what the model is then. Null where there is nothing to do it to. */
interface Step {
	readonly ask: (db: HiloDatabase) => Promise<unknown>;
	readonly after: Model;
}

/** What a step may use: numbers that choose, and new ids. */
interface Given {
	readonly pick: number;
	readonly next: () => number;
}

type OnSession = (
	given: Given,
	model: Model,
	id: SessionId,
	session: ModelSession,
	expected: Expected
) => Step | null;

const model = { provider: 'p', model: 'm' };
const choose = <T>(from: readonly T[], pick: number): T | undefined => from[pick % from.length];
const usersOf = (m: Model, ids: readonly MessageId[]) =>
	ids.filter((id) => m.messages[id]?.role === 'user');

function ask(
	{ next }: Given,
	m: Model,
	id: SessionId,
	session: ModelSession,
	expected: Expected,
	parentId: MessageId | null
): Step | null {
	if (session.run) return null;
	const question = messageId(next());
	const answer = messageId(next());
	const said = `question ${next()}`;
	const left = `left ${next()}`;
	const runId = `run-${next()}`;
	const asked = withMessage(m, question, {
		role: 'user',
		text: said,
		parent: parentId,
		tree: session.tree,
		writer: id
	});
	return {
		ask: (db) =>
			beginRun(
				db,
				expected,
				{
					id: question,
					parentId,
					draft: { role: 'user', parts: [text(said)], metadata: {} },
					draftAfter: { text: left, files: [] }
				},
				{ runId, messageId: answer, model },
				1
			),
		after: withSession(asked, id, {
			leaf: question,
			draft: left,
			run: { runId, question, answer, back: undefined, text: '' }
		})
	};
}

const steps: Readonly<Record<string, OnSession>> = {
	send: (given, m, id, session, expected) => ask(given, m, id, session, expected, session.leaf),
	edit: (given, m, id, session, expected) => {
		const user = choose(usersOf(m, pathOf(m, session.leaf)), given.pick);
		const parent = user && m.messages[user]?.parent;
		return parent === undefined ? null : ask(given, m, id, session, expected, parent);
	},
	retry: ({ pick, next }, m, id, session, expected) => {
		const question = choose(usersOf(m, pathOf(m, session.leaf)), pick);
		if (session.run || !question) return null;
		const run = { runId: `run-${next()}`, messageId: messageId(next()), model };
		const back = session.leaf === question ? undefined : session.leaf;
		return {
			ask: (db) => beginRetry(db, expected, question, run, 1),
			after: withSession(m, id, {
				leaf: question,
				run: { runId: run.runId, question, answer: run.messageId, back, text: '' }
			})
		};
	},
	grow: ({ next }, m, id, { run }) => {
		if (!run) return null;
		const said = `so far ${next()}`;
		return {
			ask: (db) => saveRun(db, { sessionId: id, runId: run.runId }, [text(said)], 1),
			after: withSession(m, id, { run: { ...run, text: said } })
		};
	},
	finish: ({ next }, m, id, { run, tree }) => {
		if (!run) return null;
		const said = `answer ${next()}`;
		const content = { parts: [text(said)], metadata: {} };
		const answered = withMessage(m, run.answer, {
			role: 'assistant',
			text: said,
			parent: run.question,
			tree,
			writer: id
		});
		return {
			ask: (db) => finishRun(db, { sessionId: id, runId: run.runId }, content, 1),
			after: withSession(answered, id, { leaf: run.answer, run: null })
		};
	},
	drop: (_, m, id, { run }) =>
		run && {
			ask: (db) => dropRun(db, { sessionId: id, runId: run.runId }, 1),
			after: withSession(m, id, {
				run: null,
				...(run.back === undefined ? {} : { leaf: run.back })
			})
		},
	late: ({ next }, m, id) => ({
		// A chunk of a run that is no more.
		ask: (db) => saveRun(db, { sessionId: id, runId: `run-${next()}` }, [text('late')], 1),
		after: m
	}),
	switch: ({ pick }, m, id, session, expected) => {
		const message = choose(idsOf(m, session.tree), pick);
		if (session.run || !message) return null;
		return {
			ask: async (db) => moveLeaf(db, expected, await newestLeafBelow(db, message), 1),
			after: withSession(m, id, { leaf: newestBelow(m, message) })
		};
	},
	undo: (_, m, id, session, expected) => {
		const leaf = session.leaf === null ? undefined : m.messages[session.leaf];
		if (session.run || leaf?.role !== 'checkpoint') return null;
		return {
			ask: (db) => moveLeaf(db, expected, leaf.parent, 1),
			after: withSession(m, id, { leaf: leaf.parent })
		};
	},
	compact: ({ pick, next }, m, id, session, expected) => {
		const path = pathOf(m, session.leaf);
		if (session.run || session.leaf === null) return null;
		const previousId = m.messages[session.leaf]?.checkpoint ?? null;
		const previous = previousId === null ? undefined : m.messages[previousId];
		const from = previous
			? (m.messages[previous.kept ?? previousId ?? session.leaf]?.depth ?? 0)
			: 0;
		const talked = path.findLast((each) => m.messages[each]?.role !== 'checkpoint');
		const isAnswered = talked !== undefined && m.messages[talked]?.role === 'assistant';
		const kept = choose([...usersOf(m, path.slice(from)), ...(isAnswered ? [null] : [])], pick);
		if (kept === undefined) return null;
		const summary = `summary ${next()}`;
		const own = messageId(next());
		const fields = checkpointFields({
			summary,
			firstKeptMessageId: kept,
			previousCheckpointId: previousId
		});
		const never = new AbortController().signal;
		const made = withMessage(m, own, {
			role: 'checkpoint',
			text: summary,
			parent: session.leaf,
			tree: session.tree,
			writer: id,
			kept
		});
		return {
			ask: (db) => commitCheckpoint(db, expected, fields, own, 1, never),
			after: withSession(made, id, { leaf: own })
		};
	},
	stale: ({ pick, next }, m, id, session, expected) => {
		const old = { ...expected, branchRevision: expected.branchRevision - 1 };
		const user = choose(usersOf(m, pathOf(m, session.leaf)), pick);
		if (!user) return null;
		const run = { runId: `run-${next()}`, messageId: messageId(next()), model };
		const own = messageId(next());
		const fields = checkpointFields({ firstKeptMessageId: user });
		const never = new AbortController().signal;
		const asks: readonly Step['ask'][] = [
			(db) => beginRetry(db, old, user, run, 1),
			(db) => moveLeaf(db, old, user, 1),
			(db) => commitCheckpoint(db, old, fields, own, 1, never)
		];
		return { ask: choose(asks, pick) ?? (async () => {}), after: m };
	},
	draft: ({ next }, m, id) => {
		const draft = `draft ${next()}`;
		return {
			ask: (db) => patchSession(db, id, { draft: { text: draft, files: [] } }),
			after: withSession(m, id, { draft })
		};
	},
	rename: ({ next }, m, id) => {
		const title = `title ${next()}`;
		return {
			ask: (db) => patchSession(db, id, { title }),
			after: withSession(m, id, { title })
		};
	},
	pin: ({ pick }, m, id, { pins }) => {
		const pinned = messageId(pick % 3);
		const others = pins.filter((each) => each !== pinned);
		return {
			ask: (db) => togglePin(db, id, { kind: 'message', messageId: pinned }),
			after: withSession(m, id, {
				pins: others.length < pins.length ? others : [...pins, pinned]
			})
		};
	},
	fork: ({ pick, next }, m, id, session) => {
		const path = pathOf(m, session.leaf);
		const answer = choose(
			path.filter((each) => m.messages[each]?.role === 'assistant'),
			pick
		);
		if (!answer || Object.keys(m.sessions).length > 4) return null;
		const own = sessionId(next());
		const fork = { ...session, leaf: answer, revision: 0, draft: '', run: null, discarded: false };
		return {
			ask: (db) => forkSession(db, id, answer, { id: own, now: 1, title: session.title }),
			after: { ...m, sessions: { ...m.sessions, [own]: fork } }
		};
	},
	duplicate: ({ next }, m, id, session) => {
		if (Object.keys(m.sessions).length > 4) return null;
		const own = sessionId(next());
		const copy = { ...session, revision: 0, run: null, discarded: false };
		return {
			ask: (db) => duplicateSession(db, id, { id: own, now: 1, title: session.title }),
			after: { ...m, sessions: { ...m.sessions, [own]: copy } }
		};
	},
	discard: ({ pick }, m, id) => {
		const discarded = pick % 2 === 0;
		return {
			ask: (db) => discardSession(db, id, discarded ? 1 : null),
			after: withSession(m, id, { discarded })
		};
	},
	delete: (_, m, id) => ({ ask: (db) => deleteSession(db, id), after: withoutSession(m, id) }),
	sweep: (_, m) => ({
		ask: (db) => deleteDiscarded(db, 2),
		after: Object.entries(m.sessions).reduce(
			(left, [id, { discarded }]) => (discarded ? withoutSession(left, id as SessionId) : left),
			m
		)
	})
};

/** What the commands run against: storage, the model, and the counters that both take new ids from. */
class World {
	state = empty;
	crashes = 0;
	undone = 0;
	#ids = 0;
	readonly next = () => ++this.#ids;

	constructor(public connection: Connection) {}

	step(name: string, pick: number): Step | null {
		const sessions = Object.entries(this.state.sessions) as [SessionId, ModelSession][];
		const [id, session] = choose(sessions, pick >> 4) ?? [];
		if (!id || !session || name === 'new') return this.#newSession();
		const expected = { sessionId: id, leafId: session.leaf, branchRevision: session.revision };
		return steps[name]?.({ pick, next: this.next }, this.state, id, session, expected) ?? null;
	}

	#newSession(): Step {
		const n = this.next();
		const id = sessionId(n);
		const row = { ...grow().session({ id, title: 'new' }), treeId: treeId(n) };
		const fresh: ModelSession = {
			tree: row.treeId,
			leaf: null,
			revision: 0,
			title: 'new',
			draft: '',
			pins: [],
			discarded: false,
			run: null
		};
		return {
			ask: (db) => addSession(db, row),
			after: { ...this.state, sessions: { ...this.state.sessions, [id]: fresh } }
		};
	}

	async stored(): Promise<string> {
		const stored = await readStored(this.connection.db);
		expect(tears(stored)).toEqual([]);
		return told(modelOf(stored));
	}

	async does(name: string, pick: number): Promise<void> {
		const step = this.step(name, pick);
		if (!step) return;
		await step.ask(this.connection.db);
		this.state = step.after;
		expect(await this.stored()).toBe(told(this.state));
	}

	/** Dies after some turns of the event loop: the action is there whole, or not at all. */
	async diesDuring(name: string, pick: number, turns: number): Promise<void> {
		const step = this.step(name, pick);
		let isAcknowledged = false;
		const doing = step?.ask(this.connection.db).then(
			() => (isAcknowledged = true),
			() => undefined
		);
		for (let turn = 0; turn < turns; turn++) await macrotask();
		const wasAcknowledged = isAcknowledged;
		const { name: database } = this.connection.db;
		this.connection.die();
		await doing;
		this.connection = await Connection.to(database);
		this.crashes++;
		const found = await this.stored();
		const after = told(step?.after ?? this.state);
		if (!wasAcknowledged && found === told(this.state)) {
			if (step && found !== after) this.undone++;
			return;
		}
		expect(found).toBe(after);
		if (step) this.state = step.after;
	}
}

class Does implements fc.AsyncCommand<World, World> {
	constructor(
		readonly name: string,
		readonly pick: number,
		readonly dies: number | null
	) {}
	check = () => true;
	run = (_: World, world: World) =>
		this.dies === null
			? world.does(this.name, this.pick)
			: world.diesDuring(this.name, this.pick, this.dies);
	toString = () => `${this.name} ${this.pick}${this.dies === null ? '' : ` †${this.dies}`}`;
}

/** What people do most. */
const often = ['send', 'finish', 'send', 'finish', 'send', 'finish', 'compact', 'retry', 'switch'];
const command = fc
	.record({
		name: fc.constantFrom('new', ...Object.keys(steps), ...often, ...often, ...often),
		pick: fc.nat(1000),
		// Three deaths in a life.
		dies: fc.oneof(
			{ weight: 6, arbitrary: fc.constant(null) },
			{ weight: 1, arbitrary: fc.nat(14) }
		)
	})
	.map(({ name, pick, dies }) => new Does(name, pick, dies));

test('H26 a Retry that says nothing finds its answer again, though the session that wrote it is deleted', async () => {
	const db = await freshDatabase();
	db.close();
	const world = new World(await Connection.to(db.name));
	// Found by seed 3, and shrunk to this.
	const life = ['new', 'send', 'finish', 'duplicate', 'retry 16', 'delete', 'drop'];
	for (const [name = '', pick] of life.map((each) => each.split(' '))) {
		await world.does(name, Number(pick ?? 0));
	}
	world.connection.db.close();
});

test(
	`H1, H10–H17, H20, H24–H26, H30, H60–H62 over ${RUNS} random lives with crashes (seed ${SEED})`,
	async () => {
		let crashes = 0;
		let undone = 0;
		let messages = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.commands([command], { maxCommands: 40, size: 'max' }),
				async (commands) => {
					const db = await freshDatabase();
					db.close();
					const world = new World(await Connection.to(db.name));
					await fc.asyncModelRun(() => ({ model: world, real: world }), commands);
					crashes += world.crashes;
					undone += world.undone;
					messages += Object.keys(world.state.messages).length;
					world.connection.db.close();
				}
			),
			{ numRuns: RUNS, seed: SEED }
		);
		console.info(
			`${RUNS} lives: ${messages} messages, ${crashes} crashes, ${undone} within a write`
		);
		expect(undone).toBeGreaterThan(RUNS / 4);
		expect(messages).toBeGreaterThan(RUNS);
	},
	60_000 + RUNS * 100
);
