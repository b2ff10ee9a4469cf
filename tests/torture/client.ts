/**
 * One tab's worth of a person: random deeds over the app's own storage functions, and a log of what those acknowledged.
 * Runs in Node and in a page. What a client believes of the branch may be old: that is the point.
 */
import type { Message, MessageId, SessionId } from '../../src/lib/history/message';
import type { Run } from '../../src/lib/history/run';
import type { Pin, Session } from '../../src/lib/history/session';
import { newestLeafBelow, readContext, readWhole } from '../../src/lib/storage/branch';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { expectedOf } from '../../src/lib/storage/expected';
import { beginRetry, beginRun, dropRun, finishRun, saveRun } from '../../src/lib/storage/runs';
import {
	deleteSession,
	forkSession,
	moveLeaf,
	patchSession,
	togglePin
} from '../../src/lib/storage/sessions';
import { checkpointFields, messageId, sessionId, text } from '../support/tree';
import type { Random } from './random';

/** What a storage function acknowledged, or refused. Plain data: a page hands it out as it is. */
export type Entry =
	/** A revision was won: the leaf went from one message to another. */
	| {
			readonly kind: 'swap';
			readonly deed: string;
			readonly session: SessionId;
			readonly from: MessageId | null;
			readonly to: MessageId | null;
			readonly revision: number;
	  }
	| { readonly kind: 'message'; readonly message: Message }
	/** Refused: nothing of this id may ever be stored. */
	| { readonly kind: 'refused'; readonly deed: string; readonly id: MessageId }
	| { readonly kind: 'opened'; readonly run: Run; readonly revision: number }
	| { readonly kind: 'grown'; readonly runId: string; readonly text: string }
	| { readonly kind: 'ended'; readonly runId: string; readonly by: 'finish' | 'drop' }
	| { readonly kind: 'field'; readonly name: 'title' | 'instructions'; readonly value: string }
	| { readonly kind: 'draft'; readonly text: string }
	| { readonly kind: 'pin'; readonly id: MessageId }
	| { readonly kind: 'forked'; readonly session: SessionId }
	| { readonly kind: 'deleted'; readonly session: SessionId }
	| { readonly kind: 'wrong'; readonly what: string };

export const deeds = [
	'look',
	'look',
	'send',
	'send',
	'send',
	'retry',
	'edit',
	'grow',
	'finish',
	'finish',
	'finish',
	'drop',
	'switch',
	'undo',
	'compact',
	'compact',
	'cancel',
	'draft',
	'field',
	'pin',
	'fork',
	'delete'
] as const;
export type Deed = (typeof deeds)[number];

/** The session that all clients share; it is never deleted. */
export const SHARED = sessionId(1);

export interface ClientOptions {
	readonly db: HiloDatabase;
	/** From 0; clients of one database have different ones. */
	readonly number: number;
	readonly random: Random;
	/** Lets the others go on, perhaps. */
	readonly pause: () => Promise<void>;
}

export class Client {
	readonly log: Entry[] = [];
	readonly #beliefs = new Map<SessionId, Session>();
	readonly #runs = new Map<SessionId, Run>();
	#ids: number;

	constructor(private readonly options: ClientOptions) {
		this.#ids = (options.number + 1) * 100_000;
	}

	/** Does one thing. Never throws: what may not happen is in the log. */
	async take(deed: Deed): Promise<void> {
		try {
			const session = await this.#believed(deed);
			if (session) await this.#do(deed, session);
		} catch (error) {
			this.#wrong(`${deed} threw ${String(error)}`);
		}
	}

	#id = () => messageId(++this.#ids);
	#words = () => `${this.options.number}-${++this.#ids}`;
	#wrong = (what: string) => this.log.push({ kind: 'wrong', what });

	/** The session to act on, as this client last saw it. Sometimes it looks again. */
	async #believed(deed: Deed): Promise<Session | null> {
		const { db, random } = this.options;
		const forks = [...this.#beliefs.keys()].filter((id) => id !== SHARED);
		const isElsewhere = deed === 'delete' || random.chance(0.25);
		const id = (isElsewhere && random.of(forks)) || SHARED;
		const before = this.#beliefs.get(id);
		if (before && deed !== 'look') return before;
		for (const session of await db.sessions.toArray()) {
			if (session.id === id || !this.#beliefs.has(session.id)) this.#follow(session);
		}
		return this.#beliefs.get(id) ?? null;
	}

	#follow(session: Session): void {
		this.#beliefs.set(session.id, session);
	}

	/** A refusal: nothing was written, and the real branch is looked at, as a tab does; or not, as one that is slow. */
	async #refused(deed: string, session: Session, ...ids: readonly MessageId[]): Promise<void> {
		for (const id of ids) this.log.push({ kind: 'refused', deed, id });
		if (this.options.random.chance(0.2)) return;
		const row = await this.options.db.sessions.get(session.id);
		if (row) this.#follow(row);
		else this.#beliefs.delete(session.id);
	}

	#won(deed: string, before: Session, after: Session): void {
		this.#follow(after);
		if (after.branchRevision === before.branchRevision) return;
		if (after.branchRevision !== before.branchRevision + 1) {
			this.#wrong(`${deed} took revision ${before.branchRevision} to ${after.branchRevision}`);
		}
		this.log.push({
			kind: 'swap',
			deed,
			session: after.id,
			from: before.leafId,
			to: after.leafId,
			revision: after.branchRevision
		});
	}

	async #do(deed: Deed, session: Session): Promise<unknown> {
		const { db, random, number } = this.options;
		switch (deed) {
			case 'look': {
				const read = await readContext(db, session.leafId);
				// A fork's branch may be deleted between the two reads.
				if (
					read.kind === 'damaged' &&
					(await db.sessions.get(session.id))?.leafId === session.leafId
				)
					this.#wrong(`${session.id} reads as damaged: ${read.what}`);
				return;
			}
			case 'send':
				return this.#ask(deed, session, session.leafId);
			case 'edit': {
				const user = random.of(await this.#users(session));
				return user && this.#ask(deed, session, user.parentId);
			}
			case 'retry':
				return this.#retry(session);
			case 'grow': {
				const run = this.#runs.get(session.id);
				if (!run) return;
				const said = this.#words();
				if (await saveRun(db, run, [text(said)], 1)) {
					this.log.push({ kind: 'grown', runId: run.runId, text: said });
				}
				return;
			}
			case 'finish':
				return this.#finish(session);
			case 'drop': {
				const run = this.#runs.get(session.id);
				if (run && (await dropRun(db, run, 1))) {
					this.log.push({ kind: 'ended', runId: run.runId, by: 'drop' });
				}
				return;
			}
			case 'switch': {
				const message = random.of(await this.#tree(session));
				if (!message) return;
				return this.#move(deed, session, await newestLeafBelow(db, message.id));
			}
			case 'undo': {
				const leaf = session.leafId && (await db.messages.get(session.leafId));
				return leaf && leaf.role === 'checkpoint' && this.#move(deed, session, leaf.parentId);
			}
			case 'compact':
			case 'cancel':
				return this.#compact(session, deed === 'cancel');
			case 'draft': {
				const draft = { text: this.#words(), files: [] };
				const after = await patchSession(db, SHARED, { draft });
				if (!after) return this.#wrong('The shared session is gone.');
				this.log.push({ kind: 'draft', text: draft.text });
				return;
			}
			case 'field': {
				// Each client has a field of its own, so that its last word must stand.
				const name = number === 0 ? 'title' : 'instructions';
				const value = this.#words();
				await patchSession(db, SHARED, { [name]: value });
				this.log.push({ kind: 'field', name, value });
				return;
			}
			case 'pin': {
				const pin: Pin = { kind: 'message', messageId: messageId(random.below(3)) };
				if (await togglePin(db, SHARED, pin)) this.log.push({ kind: 'pin', id: pin.messageId });
				return;
			}
			case 'fork':
				return this.#fork(session);
			case 'delete':
				if (session.id === SHARED) return;
				await deleteSession(db, session.id);
				this.#beliefs.delete(session.id);
				this.log.push({ kind: 'deleted', session: session.id });
		}
	}

	#tree(session: Session): Promise<Message[]> {
		return this.options.db.messages
			.where('[treeId+depth]')
			.between([session.treeId, 0], [session.treeId, Infinity])
			.toArray();
	}

	async #users(session: Session): Promise<Message[]> {
		return (await this.#tree(session)).filter(({ role }) => role === 'user');
	}

	#newRun = () => ({
		runId: `run-${++this.#ids}`,
		messageId: this.#id(),
		model: { provider: 'p', model: 'm' }
	});

	async #ask(deed: string, session: Session, parentId: MessageId | null): Promise<void> {
		const { db } = this.options;
		const user = {
			id: this.#id(),
			parentId,
			draft: { role: 'user' as const, parts: [text(this.#words())], metadata: {} },
			draftBefore: session.draft,
			draftAfter: { text: this.#words(), files: [] }
		};
		const run = this.#newRun();
		let begun;
		try {
			begun = await beginRun(db, expectedOf(session), user, run, 1);
		} catch (error) {
			// What was to be edited went away with a fork: nothing is written then, as after a refusal.
			if (parentId === null || (await db.messages.get(parentId))) throw error;
			return this.#refused(deed, session, user.id, run.messageId);
		}
		if (begun.kind === 'stale') return this.#refused(deed, session, user.id, run.messageId);
		this.log.push({ kind: 'message', message: begun.message });
		const isWritten = begun.session.draft.text === user.draftAfter.text;
		if (session.id === SHARED && isWritten) {
			this.log.push({ kind: 'draft', text: user.draftAfter.text });
		}
		this.#open(deed, session, begun.session, begun.run);
	}

	async #retry(session: Session): Promise<void> {
		const { db, random } = this.options;
		const user = random.of(await this.#users(session));
		if (!user) return;
		const run = this.#newRun();
		let begun;
		try {
			begun = await beginRetry(db, expectedOf(session), user.id, run, 1);
		} catch (error) {
			if (await db.messages.get(user.id)) throw error;
			return this.#refused('retry', session, run.messageId);
		}
		if (begun.kind === 'stale') return this.#refused('retry', session, run.messageId);
		this.#open('retry', session, begun.session, begun.run);
	}

	#open(deed: string, before: Session, after: Session, run: Run): void {
		this.#won(deed, before, after);
		this.#runs.set(after.id, run);
		this.log.push({ kind: 'opened', run, revision: after.branchRevision });
	}

	/** Ends the run this client knows of, or the one it finds, as a tab that keeps an interrupted answer. */
	async #finish(session: Session): Promise<void> {
		const { db, random } = this.options;
		const found = random.chance(0.3) ? await db.runs.get(session.id) : null;
		const run = found ?? this.#runs.get(session.id);
		if (!run) return;
		const parts = [text(this.#words())];
		const finished = await finishRun(db, run, { parts, metadata: { finish: 'stop' } }, 1);
		if (!finished) return this.#refused('finish', session);
		this.log.push({ kind: 'ended', runId: run.runId, by: 'finish' });
		this.log.push({ kind: 'message', message: finished.message });
		const after = finished.session;
		// While a run is open nothing else moves the leaf, so it stood at the question.
		const before = { ...after, leafId: run.parentId, branchRevision: after.branchRevision - 1 };
		if (after.leafId === finished.message.id) this.#won('finish', before, after);
		else this.#wrong('The leaf had left its question while the run was open.');
	}

	async #move(deed: string, session: Session, leafId: MessageId | null): Promise<void> {
		const moved = await moveLeaf(this.options.db, expectedOf(session), leafId, 1);
		if (moved) this.#won(deed, session, moved);
		else await this.#refused(deed, session);
	}

	/** Reads a branch, thinks, and commits what it thought: it may be about a branch that is no more. */
	async #compact(session: Session, isCancelled: boolean): Promise<void> {
		const { db, random } = this.options;
		if (session.leafId === null) return;
		const context = await readContext(db, session.leafId);
		const whole = await readWhole(db, session.leafId);
		if (context.kind === 'damaged' || whole.kind === 'damaged')
			return this.#refused('compact', session);
		const leaf = context.messages.at(-1);
		if (!leaf) return;
		const users = context.messages.filter(({ role }) => role === 'user');
		const talked = context.messages.findLast(({ role }) => role !== 'checkpoint');
		const boundary = random.of([
			...users.map(({ id }) => id),
			...(talked?.role === 'assistant' ? [null] : [])
		]);
		if (boundary === undefined) return;
		await this.options.pause();
		const id = this.#id();
		const stop = new AbortController();
		const committing = commitCheckpoint(
			db,
			expectedOf(session),
			checkpointFields({
				firstKeptMessageId: boundary,
				previousCheckpointId: leaf.checkpointId,
				summary: this.#words()
			}),
			id,
			1,
			stop.signal
		);
		if (isCancelled) {
			await this.options.pause();
			stop.abort();
		}
		const commit = await committing;
		if (commit.kind !== 'committed') return this.#refused('compact', session, id);
		this.log.push({ kind: 'message', message: commit.message });
		this.#won('compact', session, commit.session);
	}

	async #fork(session: Session): Promise<void> {
		const { db } = this.options;
		if (this.#beliefs.size > 3 || session.leafId === null) return;
		const whole = await readWhole(db, session.leafId);
		if (whole.kind === 'damaged') return this.#refused('fork', session);
		const answer = whole.messages.findLast(({ role }) => role === 'assistant');
		if (!answer) return;
		const fork = await forkSession(db, session.id, answer.id, {
			id: sessionId(++this.#ids),
			now: 1,
			title: session.title
		});
		if (!fork) return this.#refused('fork', session);
		this.#follow(fork);
		this.log.push({ kind: 'forked', session: fork.id });
	}
}
