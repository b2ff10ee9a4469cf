import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ModelRequest } from '../../src/lib/context/request';
import { streamAnswer } from '../../src/lib/models/answer';
import type { Conversation } from '../../src/lib/session/conversation.svelte';
import { project } from '../../src/lib/context/projection';
import type { Message, MessageId, SessionId } from '../../src/lib/history/message';
import type { Session } from '../../src/lib/history/session';
import { newestLeafBelow, readContext, readWhole } from '../../src/lib/storage/branch';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { beginRetry, beginRun, dropRun, finishRun } from '../../src/lib/storage/runs';
import { addSession, deleteSession, moveLeaf } from '../../src/lib/storage/sessions';
import { mustPlan, planOf, run } from '../support/compaction';
import { ask, Desk, settled, turns, write } from '../support/conversation';
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

/** The body of the request that this value becomes on the wire: by the same code, into a fetch that only looks. */
async function bodyOf(shown: ModelRequest, baseURL: string): Promise<string> {
	let body = '';
	const answers = streamAnswer({
		provider: { kind: 'openai-compatible', id: 'p', name: 'A provider', baseURL },
		model: { provider: 'p', model: 'm' },
		request: shown,
		executeTool: async () => '',
		loadFile: async () => ({}),
		signal: new AbortController().signal,
		now: () => 0,
		fetch: async (_, init) => {
			body = String(init?.body);
			return new Response('{}', { status: 500 });
		}
	});
	for await (const event of answers) void event;
	return body;
}

/** What a person does in an open session; each of them may compact before or after. */
const deed = fc.record({
	kind: fc.constantFrom(
		'ask',
		'ask',
		'ask',
		'tool',
		'retry',
		'edit',
		'switch',
		'compact',
		'compact',
		'undo',
		'pin'
	),
	pick: fc.nat(1000),
	size: fc.integer({ min: 5, max: 700 })
});
type Deed = typeof deed extends fc.Arbitrary<infer D> ? D : never;

async function act(desk: Desk, tab: Conversation, { kind, pick, size }: Deed): Promise<void> {
	const users = tab.messages.filter(({ role }) => role === 'user');
	const user = users[pick % users.length];
	const answers = tab.messages.filter(({ role }) => role === 'assistant');
	switch (kind) {
		case 'ask':
			return ask(tab, words(size, pick));
		case 'tool':
			if (!(await tab.nextRequest()).tools.length) return;
			desk.server.enqueue({
				kind: 'tool-call',
				name: 'search_history',
				input: { query: 'sample' },
				id: `call_${pick}`
			});
			return ask(tab, words(size / 4, pick));
		case 'retry':
			await tab.retry(answers[pick % answers.length]?.id);
			return settled(tab);
		case 'edit':
			if (user) await tab.edit(user.id, words(size, pick));
			return settled(tab);
		case 'switch': {
			const sibling = tab.messages
				.map(({ id }) => tab.siblings(id))
				.find((place) => place !== null);
			const other = sibling?.previousId ?? sibling?.nextId;
			return other ? tab.switchTo(other) : undefined;
		}
		case 'compact':
			return tab.compact();
		case 'undo': {
			const leaf = tab.messages.at(-1);
			return leaf?.role === 'checkpoint' ? tab.undoCheckpoint(leaf.id) : undefined;
		}
		case 'pin':
			return user && tab.togglePin({ kind: 'message', messageId: user.id });
	}
}

const SHOWN_RUNS = Math.ceil(RUNS / 8);
test(
	`C92 what is shown is what is sent, to the byte, over ${SHOWN_RUNS} random conversations (seed ${SEED})`,
	async () => {
		let compared = 0;
		let withCheckpoint = 0;
		await fc.assert(
			fc.asyncProperty(fc.array(deed, { minLength: 2, maxLength: 8 }), async (deeds) => {
				const desk = await Desk.of({
					tree: turns(3, 900),
					session: { instructions: 'Be exact.' }
				});
				const tab = await desk.open();
				for (const each of deeds) {
					await act(desk, tab, each);
					await settled(tab);
					tab.setDraft({ text: '', files: [] });
					write(tab, `Question ${each.pick}\n\n— “exactly” 漢字 ${words(each.size / 3)}`);
					const shown = await bodyOf(await tab.nextRequest(), desk.server.baseURL);
					const asked = desk.asked.length;
					const made = desk.summaries.length;
					await tab.send();
					await settled(tab);
					// A preflight makes another request of it, which is shown once it is made.
					const sent = desk.asked[asked];
					if (!sent || sentAfterSummary(desk, made, sent)) continue;
					expect(JSON.stringify(sent.body)).toBe(shown);
					compared++;
					if (sent.body?.tools) withCheckpoint++;
				}
			}),
			{ numRuns: SHOWN_RUNS, seed: SEED }
		);
		console.info(`${compared} requests compared, ${withCheckpoint} of them after a checkpoint`);
		expect(compared).toBeGreaterThan(SHOWN_RUNS);
		expect(withCheckpoint).toBeGreaterThan(SHOWN_RUNS / 2);
	},
	60_000 + SHOWN_RUNS * 3000
);

/** Whether a summary was asked for between what was shown and what was sent. */
function sentAfterSummary(desk: Desk, made: number, sent: Desk['asked'][number]): boolean {
	const summary = desk.summaries[made];
	const { chats } = desk.server;
	return summary !== undefined && chats.indexOf(summary) < chats.indexOf(sent);
}
