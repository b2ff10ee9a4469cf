import type { Message, MessageId, ModelRef } from '$lib/history/message';
import type { Run } from '$lib/history/run';
import type { AnswerEnd } from '$lib/models/answer';
import { dropRun, finishRun } from '$lib/storage/runs';
import { answer, metadataOf, saysSomething } from './answering';
import { newId } from './ids';
import { holdRunLock, runLockFree } from './lock';
import {
	failureNotice,
	isToolRefusal,
	missingModelNotice,
	staleNotice,
	toolRefusalNotice
} from './notices';
import { recall } from './recalling';
import type { Thread } from './thread.svelte';
import type { RunView } from './view';

/** Opens a run in the database, in the write that makes its question durable. Null when the branch was stale. */
export type BeginRun = (run: {
	readonly runId: string;
	readonly messageId: MessageId;
	readonly model: ModelRef;
}) => Promise<Run | null>;

/** The one run of a conversation: this tab's, another tab's, or one that was interrupted. */
export class Runner {
	#view = $state.raw<RunView | null>(null);
	/** The run that `#view` shows. */
	#shownId: string | null = null;
	#ownId = $state.raw<string | null>(null);
	#foreignId: string | null = null;
	#isUnsaved = false;
	#stop: AbortController | null = null;
	readonly #closed: AbortSignal;
	readonly #thread: Thread;

	constructor(thread: Thread, closed: AbortSignal) {
		this.#thread = thread;
		this.#closed = closed;
		closed.addEventListener('abort', () => this.#stop?.abort(), { once: true });
	}

	get view(): RunView | null {
		return this.#view;
	}

	/** An answer, or its end, could not be stored and is on this screen only. */
	get isUnsaved(): boolean {
		return this.#isUnsaved && this.#view !== null;
	}

	/** An answer of this tab is under way. */
	get isOwn(): boolean {
		return this.#ownId !== null;
	}

	/** An answer is under way, here or in another tab; here until what follows from it is decided. */
	get isOpen(): boolean {
		return this.isOwn || (this.#view !== null && this.#view.state !== 'interrupted');
	}

	/**
	 * Opens a run with `begin` and has it answered in the background. False, with a notice, when the branch was stale or
	 * another tab is answering. `onComplete` is called once the answer has ended by itself and is durable.
	 */
	async ask(begin: BeginRun, onComplete: () => Promise<void>): Promise<boolean> {
		const thread = this.#thread;
		const release = await holdRunLock(thread.session.id);
		const runId = newId.run();
		let run: Run | null = null;
		try {
			if (release) {
				this.#ownId = runId;
				const fresh = { runId, messageId: newId.message(), model: thread.session.model };
				run = await thread.own(() => begin(fresh));
			}
		} finally {
			if (!run && release) {
				this.#ownId = null;
				release();
			}
		}
		if (!run) {
			thread.notice = staleNotice;
			await thread.reload();
			return false;
		}
		const started = run;
		this.#show(started, 'waiting');
		void thread.guard(async () => {
			let isComplete: boolean;
			try {
				isComplete = await this.#answer(started);
				// Before the run counts as over: what follows it is decided with what it taught.
				if (isComplete) await thread.guard(() => this.#learn(started));
			} catch (error) {
				// What came of the answer stays on screen, and can be kept once that is possible again.
				this.#foreignId = started.runId;
				this.#isUnsaved = true;
				this.#show({ ...started, parts: this.#view?.parts ?? [] }, 'interrupted');
				throw error;
			} finally {
				this.#stop = null;
				this.#ownId = null;
				release?.();
			}
			if (isComplete) await onComplete();
		});
		return true;
	}

	#show(run: Run, state: RunView['state']): void {
		this.#shownId = run.runId;
		this.#view = { ...run, state };
	}

	async #learn({ messageId, model }: Run): Promise<void> {
		const thread = this.#thread;
		await thread.calibrate(await thread.branch.ready(), messageId, model);
	}

	/** True when the answer ended by itself and is durable. */
	async #answer(run: Run): Promise<boolean> {
		const thread = this.#thread;
		const { db, models, worker } = thread.deps;
		const stop = new AbortController();
		this.#stop = stop;
		// Closed between the question and here: nobody waits for the answer.
		if (this.#closed.aborted) stop.abort();
		const projection = await thread.branch.ready();
		const { capacity } = thread;
		const provider = await models.provider(run.model);
		if (!provider || !capacity) {
			await thread.own(() => dropRun(db, run));
			await thread.reload();
			this.#view = null;
			thread.notice = missingModelNotice;
			return false;
		}
		const request = thread.request(projection, null, capacity);
		const end = await answer({
			db,
			run,
			provider,
			request,
			executeTool: (name, input, { result }) =>
				recall({ db, worker, leafId: run.parentId, capacity, result }, name, input),
			room: { capacity, factor: models.factor(run.model), estimator: thread.estimator },
			signal: stop.signal,
			onParts: (parts) => {
				this.#show({ ...run, parts }, stop.signal.aborted ? 'stopping' : 'streaming');
			},
			onSaveError: (error) => void thread.guard(() => Promise.reject(error))
		});
		await this.#settle(run, end, thread.fixedTokens(request));
		if (!end.failure) {
			thread.deps.onFirstAnswer();
			return end.finish === 'stop' || end.finish === 'length';
		}
		const { limitTokens } = end.failure;
		if (limitTokens) await models.learn(run.model, { learntWindow: limitTokens });
		if (request.tools.length > 0 && isToolRefusal(end.failure)) {
			await models.learn(run.model, { refusesTools: true });
			thread.notice = toolRefusalNotice(end.failure);
			return false;
		}
		thread.notice = failureNotice(
			end.failure,
			saysSomething(end.parts)
				? 'Your message and what arrived of the answer are saved.'
				: 'Your message is saved.',
			['retry', 'settings', 'dismiss']
		);
		return false;
	}

	/** Makes the answer durable in the transaction that ends its run; an answer that says nothing leaves no message. */
	async #settle(run: Run, end: AnswerEnd, fixedTokens: number): Promise<void> {
		const thread = this.#thread;
		await thread.own(async () => {
			if (saysSomething(end.parts)) {
				await this.#keep(run, {
					parts: end.parts,
					metadata: { ...metadataOf(run, end), fixedTokens }
				});
			} else {
				await dropRun(thread.deps.db, run);
				// After a Retry the leaf has gone back to the answer it came from.
				await thread.reload();
			}
			this.#view = null;
		});
	}

	async #keep(run: Pick<Run, 'sessionId' | 'runId'>, content: Parameters<typeof finishRun>[2]) {
		const thread = this.#thread;
		const finished = await finishRun(thread.deps.db, run, content, Date.now());
		if (!finished) return thread.reload();
		thread.follow(finished.session);
		// The branch was switched meanwhile: the answer stays on its own one.
		if (finished.session.leafId !== finished.message.id) return thread.reload();
		await this.#replace(finished.message);
	}

	/** The durable answer takes the place of the one in progress at once: never both, never neither. */
	#replace(message: Message): Promise<void> {
		const appended = this.#thread.branch.append(message);
		this.#view = null;
		return appended;
	}

	/** Stops the answer; what came of it is kept. */
	stop(): void {
		this.#stop?.abort();
		if (this.#view) this.#view = { ...this.#view, state: 'stopping' };
	}

	/** Keeps an answer whose tab or browser died: it becomes durable, marked as interrupted. */
	async keepInterrupted(): Promise<void> {
		const thread = this.#thread;
		const { db } = thread.deps;
		const shown = this.#view;
		const row = await db.runs.get(thread.session.id);
		if (shown?.state !== 'interrupted' || row?.runId !== this.#shownId) return;
		await thread.own(async () => {
			if (saysSomething(shown.parts)) {
				await this.#keep(row, {
					parts: closed(shown.parts),
					metadata: { model: row.model, finish: 'interrupted' }
				});
			} else await dropRun(db, row);
			this.#view = null;
		});
	}

	/** What the database says of the session's run: another tab's goes on there; one without a tab was interrupted. */
	onRow(run: Run | null): void {
		if (!run) {
			if (this.#foreignId) this.#view = null;
			this.#foreignId = null;
			return;
		}
		if (run.runId === this.#ownId) return;
		const isKnown = this.#foreignId === run.runId;
		if (!(isKnown && this.#view?.state === 'interrupted')) {
			this.#show(run, 'elsewhere');
		}
		if (isKnown) return;
		this.#foreignId = run.runId;
		void this.#awaitTab(run).catch(() => undefined);
	}

	/** The lock is free when the run's tab is gone; a row that is still there then was interrupted. */
	async #awaitTab(run: Run): Promise<void> {
		await runLockFree(run.sessionId, this.#closed);
		const left = await this.#thread.deps.db.runs.get(run.sessionId);
		if (left?.runId === run.runId && this.#foreignId === run.runId) {
			this.#show(left, 'interrupted');
		}
	}
}

/** Tool calls without a result were not finished: said, so that call and result stay a pair. */
function closed(parts: Run['parts']): Run['parts'] {
	return parts.map((part) =>
		part.type === 'dynamic-tool' &&
		(part.state === 'input-streaming' || part.state === 'input-available')
			? { ...part, state: 'output-error', errorText: 'Interrupted before it had a result.' }
			: part
	);
}
