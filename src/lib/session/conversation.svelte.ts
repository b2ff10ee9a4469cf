import type { Remote } from 'comlink';
import { planCompaction, type NoopReason } from '$lib/compaction/plan';
import { outputLimit, type Capacity } from '$lib/context/capacity';
import { occupancyOf, type Occupancy } from '$lib/context/occupancy';
import type { Projection } from '$lib/context/projection';
import { recallTools } from '$lib/context/recall';
import { buildRequest, type ModelRequest, type ToolSpec } from '$lib/context/request';
import type {
	CheckpointMessage,
	ConversationMessage,
	FilePart,
	Message,
	MessageId,
	ModelRef,
	SessionId,
	TemplateName,
	Trigger
} from '$lib/history/message';
import type { Run } from '$lib/history/run';
import { emptyDraft, type Draft, type Session } from '$lib/history/session';
import { newestLeafBelow } from '$lib/storage/branch';
import type { HiloDatabase } from '$lib/storage/database';
import { expectedOf } from '$lib/storage/expected';
import { watchSession } from '$lib/storage/live';
import { beginRetry, beginRun, dropRun, finishRun } from '$lib/storage/runs';
import { moveLeaf, patchSession, type SessionPatch } from '$lib/storage/sessions';
import type { AnswerEnd } from '$lib/models/answer';
import type { WorkerApi } from '$lib/worker/api';
import { answer, metadataOf, saysSomething } from './answering';
import { LoadedBranch } from './branch.svelte';
import { runCompaction } from './compacting';
import {
	attach,
	AttachError,
	draftParts,
	isEmptyDraft,
	mergeDrafts,
	pendingMessage
} from './drafting';
import { newId } from './ids';
import { holdRunLock, runLockFree } from './lock';
import type { Models } from './models.svelte';
import {
	cancelledNotice,
	failureNotice,
	missingModelNotice,
	noopNotice,
	refusalAdvice,
	refusalNotice,
	rejectionNotice,
	staleNotice,
	storageNotice
} from './notices';
import { recall } from './recalling';
import type { Settings } from './settings.svelte';
import type {
	CompactionView,
	ContextReading,
	ConversationView,
	Notice,
	NoticeAction,
	RunView
} from './view';

/** What a conversation needs of the app. */
export interface ConversationDeps {
	readonly db: HiloDatabase;
	readonly worker: Remote<WorkerApi>;
	readonly models: Models;
	readonly settings: Settings;
	/** Leaves the conversation for the settings page. */
	readonly openSettings: () => void;
	/** Something worth keeping now exists: a moment to ask the browser to keep it. */
	readonly onFirstAnswer: () => void;
}

/** How a compaction ended, as far as whoever waits for it must know. */
type Compacted =
	| { readonly kind: 'committed' }
	| { readonly kind: 'noop'; readonly reason: NoopReason }
	| { readonly kind: 'not-committed' };

/** Three failures in a row on one revision: automatic triggers rest until something changes. */
const FAILURES_MAX = 3;
/** A draft is written this long after the last key, in milliseconds. */
const DRAFT_DELAY = 300;

/** The active conversation: one session, its branch, its run and its compaction. The truth is the database. */
export class Conversation implements ConversationView {
	#session: Session;
	#run = $state.raw<RunView | null>(null);
	#compaction = $state.raw<CompactionView | null>(null);
	#waiting = $state.raw<Draft | null>(null);
	#notice = $state.raw<Notice | null>(null);
	#draft = $state.raw<Draft>(emptyDraft);
	#gone = $state.raw(false);
	readonly #branch: LoadedBranch;
	readonly #deps: ConversationDeps;
	readonly #closed = new AbortController();
	#stopWatching: () => void = () => undefined;
	#runStop: AbortController | null = null;
	#ownRunId: string | null = null;
	#foreignRunId: string | null = null;
	#compactionStop: AbortController | null = null;
	#compacting: Promise<Compacted> | null = null;
	#failures = { revision: -1, count: 0 };
	#draftTimer: ReturnType<typeof setTimeout> | null = null;
	#writes = 0;
	#missed: (() => void) | null = null;

	private constructor(session: Session, deps: ConversationDeps) {
		this.#session = $state.raw(session);
		this.#draft = session.draft;
		this.#deps = deps;
		this.#branch = new LoadedBranch(deps.db, deps.worker);
	}

	/** Opens a session. Null when there is none of this id; read errors are thrown, never shown as an empty history. */
	static async open(id: SessionId, deps: ConversationDeps): Promise<Conversation | null> {
		const session = await deps.db.sessions.get(id);
		if (!session) return null;
		const conversation = new Conversation(session, deps);
		await conversation.#branch.load(session.leafId);
		conversation.#stopWatching = watchSession(
			deps.db,
			id,
			(row, run) => conversation.#onRow(row, run),
			(error) => (conversation.#notice = storageNotice(error))
		);
		return conversation;
	}

	/** Lets go of the session: writes the draft, stops watching. A run goes on only in an open conversation. */
	async close(): Promise<void> {
		this.#stopWatching();
		this.#closed.abort();
		this.#runStop?.abort();
		this.#compactionStop?.abort();
		await this.flushDraft();
	}

	get session() {
		return this.#session;
	}
	get messages() {
		return this.#branch.messages;
	}
	get hasEarlier() {
		return this.#branch.hasEarlier;
	}
	get run() {
		return this.#run;
	}
	get compaction() {
		return this.#compaction;
	}
	get waiting() {
		return this.#waiting;
	}
	get notice() {
		return this.#notice;
	}
	get draft() {
		return this.#draft;
	}
	get readOnly(): string | null {
		if (this.#gone) return 'This session was deleted in another tab.';
		const { damage } = this.#branch;
		return damage === null
			? null
			: `${damage} What can be read is shown; nothing is rewritten, and an export still works.`;
	}
	get branchLocked(): boolean {
		const isRunning = this.#run !== null && this.#run.state !== 'interrupted';
		return (
			isRunning || this.#compaction !== null || this.#waiting !== null || this.readOnly !== null
		);
	}
	/** Something goes on that must not be left: an answer of this tab, a compaction, a message that waits. */
	get isBusy(): boolean {
		return this.#ownRunId !== null || this.#compaction !== null || this.#waiting !== null;
	}
	get canSend(): boolean {
		const isRunning = this.#run !== null && this.#run.state !== 'interrupted';
		return !isRunning && this.#waiting === null && this.readOnly === null;
	}

	readonly context: ContextReading | null = $derived.by(() => {
		const { projection } = this.#branch;
		const capacity = this.#capacity;
		if (!projection || !capacity) return null;
		const pending = pendingMessage(this.#waiting ?? this.#draft);
		const { tokens, source, parts } = this.#occupancy(projection, pending);
		return { occupancy: tokens, source, parts, capacity };
	});

	get #capacity(): Capacity | null {
		const { models, settings } = this.#deps;
		return models.capacity(this.#session.model, settings.values.autoRatio);
	}

	/** Recall is needed once something is no longer sent. */
	#tools(projection: Projection): readonly ToolSpec[] {
		return projection.checkpoint ? recallTools : [];
	}

	#occupancy(projection: Projection, pending: ConversationMessage | null): Occupancy {
		return occupancyOf({
			instructions: this.#session.instructions,
			tools: this.#tools(projection),
			projection,
			pending,
			provider: this.#session.model.provider,
			measure: this.#branch.measure
		});
	}

	#request(
		projection: Projection,
		pending: ConversationMessage | null,
		capacity: Capacity
	): ModelRequest {
		return buildRequest({
			instructions: this.#session.instructions,
			tools: this.#tools(projection),
			projection,
			pending,
			maxOutputTokens: outputLimit(capacity, this.#occupancy(projection, pending).tokens)
		});
	}

	async nextRequest(): Promise<ModelRequest> {
		const projection = await this.#branch.ready();
		const capacity = this.#capacity;
		if (!capacity) throw new Error(missingModelNotice.title);
		return this.#request(projection, pendingMessage(this.#waiting ?? this.#draft), capacity);
	}

	loadEarlier = (): Promise<void> => this.#guard(() => this.#branch.loadEarlier());

	siblings(id: MessageId) {
		return this.#branch.position(id);
	}

	coverage(message: Message): 'sent' | 'covered' {
		const projection = this.#branch.projection;
		if (!projection?.checkpoint) return 'sent';
		if (message.role === 'checkpoint') {
			return message.id === projection.checkpoint.id ? 'sent' : 'covered';
		}
		const from = projection.tail[0] ?? projection.checkpoint;
		return message.depth < from.depth ? 'covered' : 'sent';
	}

	async checkpoint(id: MessageId): Promise<CheckpointMessage | null> {
		const message = await this.#deps.db.messages.get(id);
		return message?.role === 'checkpoint' ? message : null;
	}

	// Draft ------------------------------------------------------------------------------------------------------------

	setDraft(draft: Draft): void {
		this.#draft = draft;
		if (this.#draftTimer) clearTimeout(this.#draftTimer);
		this.#draftTimer = setTimeout(() => void this.flushDraft(), DRAFT_DELAY);
	}

	/** Writes the draft now: before the page goes away. What waits to be sent is still part of it. */
	async flushDraft(): Promise<void> {
		if (this.#draftTimer) clearTimeout(this.#draftTimer);
		this.#draftTimer = null;
		if (this.#gone) return;
		const draft = this.#waiting ? mergeDrafts(this.#waiting, this.#draft) : this.#draft;
		await this.#guard(() => patchSession(this.#deps.db, this.#session.id, { draft }));
	}

	attachText(filename: string, text: string): Promise<void> {
		return this.attachFiles([new File([text], filename, { type: 'text/plain' })]);
	}

	async attachFiles(files: readonly File[]): Promise<void> {
		for (const file of files) {
			try {
				const part = await attach(this.#deps.db, this.#deps.worker, file);
				this.setDraft(mergeDrafts(this.#draft, { text: '', files: [part] }));
			} catch (error) {
				this.#notice =
					error instanceof AttachError
						? { tone: 'warning', title: error.message, actions: ['dismiss'] }
						: storageNotice(error);
			}
		}
	}

	detach(file: FilePart): void {
		this.setDraft({
			...this.#draft,
			files: this.#draft.files.filter((other) => other.sha256 !== file.sha256)
		});
	}

	// Send, retry, edit ------------------------------------------------------------------------------------------------

	async send(): Promise<void> {
		if (!this.canSend || isEmptyDraft(this.#draft)) return;
		const draft = this.#draft;
		this.#notice = null;
		// Frozen: shown as waiting, still part of the stored draft until it is durable as a message.
		this.#waiting = draft;
		this.#draft = emptyDraft;
		const sent = await this.#guard(() => this.#deliver(draft));
		if (sent !== true) this.#giveBack();
	}

	/** Sends a frozen draft. True once the message is durable; anything else gives the draft back. */
	async #deliver(draft: Draft): Promise<boolean> {
		const pending = pendingMessage(draft);
		if (!pending) return false;
		if (this.#run?.state === 'interrupted') await this.keepInterrupted();
		if (this.#compacting && (await this.#compacting).kind !== 'committed') return false;
		if (!(await this.#fits(pending))) return false;
		return this.#ask(async (run) => {
			const begun = await beginRun(
				this.#deps.db,
				expectedOf(this.#session),
				{
					id: newId.message(),
					parentId: this.#session.leafId,
					draft: { role: 'user', parts: draftParts(draft), metadata: {} },
					draftAfter: this.#draft
				},
				run,
				Date.now()
			);
			if (begun.kind === 'stale') return null;
			this.#waiting = null;
			this.#session = begun.session;
			await this.#branch.append(begun.message);
			if (begun.session.title === '') void this.rename(titleOf(draft));
			return begun.run;
		});
	}

	#giveBack(): void {
		if (!this.#waiting) return;
		this.#draft = mergeDrafts(this.#waiting, this.#draft);
		this.#waiting = null;
	}

	async retry(assistantId?: MessageId): Promise<void> {
		if (this.branchLocked) return;
		this.#notice = null;
		await this.#guard(async () => {
			if (this.#run?.state === 'interrupted') await this.keepInterrupted();
			const userId = this.#questionOf(assistantId);
			if (!userId) return;
			const before = this.#session;
			const projection = await this.#branch.projectionAt(userId);
			if (!(await this.#fits(null, projection, userId))) {
				if (before.leafId !== this.#session.leafId) await this.#move(before.leafId);
				return;
			}
			const at = this.#afterCheckpoint(userId);
			await this.#ask(async (run) => {
				const begun = await beginRetry(
					this.#deps.db,
					expectedOf(this.#session),
					at,
					run,
					Date.now()
				);
				if (begun.kind === 'stale') return null;
				this.#session = begun.session;
				await this.#branch.load(begun.session.leafId);
				return begun.run;
			});
		});
	}

	/** The user message whose turn `assistantId`, or the leaf, belongs to. */
	#questionOf(assistantId: MessageId | undefined): MessageId | null {
		const { messages } = this.#branch;
		const at =
			assistantId === undefined
				? messages.length - 1
				: messages.findIndex((message) => message.id === assistantId);
		return messages.slice(0, at + 1).findLast((message) => message.role === 'user')?.id ?? null;
	}

	/** A preflight may have put a checkpoint below the unanswered question: the answer then hangs below that. */
	#afterCheckpoint(userId: MessageId): MessageId {
		const leaf = this.#branch.messages.at(-1);
		return leaf?.role === 'checkpoint' && leaf.parentId === userId ? leaf.id : userId;
	}

	async edit(userId: MessageId, text: string): Promise<void> {
		const message = this.#branch.messages.find((message) => message.id === userId);
		if (this.branchLocked || message?.role !== 'user') return;
		this.#notice = null;
		await this.#guard(async () => {
			if (this.#run?.state === 'interrupted') await this.keepInterrupted();
			const before = this.#session;
			const files = message.parts.filter((part) => part.type === 'file');
			const draft: Draft = { text, files };
			const pending = pendingMessage(draft);
			const projection = await this.#branch.projectionAt(message.parentId);
			if (!pending || !(await this.#fits(pending, projection, message.parentId))) {
				if (before.leafId !== this.#session.leafId) await this.#move(before.leafId);
				this.#draft = mergeDrafts(this.#draft, draft);
				return;
			}
			const isMoved = before.leafId !== this.#session.leafId;
			const parentId = isMoved ? this.#session.leafId : message.parentId;
			await this.#ask(async (run) => {
				const begun = await beginRun(
					this.#deps.db,
					expectedOf(this.#session),
					{
						id: newId.message(),
						parentId,
						draft: { role: 'user', parts: draftParts(draft), metadata: {} },
						draftAfter: this.#draft
					},
					run,
					Date.now()
				);
				if (begun.kind === 'stale') return null;
				this.#session = begun.session;
				await this.#branch.load(begun.session.leafId);
				return begun.run;
			});
		});
	}

	/**
	 * Preflight: whether the next request fits, after a compaction where it must. For Retry and Edit the leaf first moves
	 * to where the request will hang, because that is the branch a checkpoint has to join.
	 */
	async #fits(
		pending: ConversationMessage | null,
		projection?: Projection,
		leafId: MessageId | null = this.#session.leafId
	): Promise<boolean> {
		const capacity = this.#capacity;
		if (!capacity) {
			this.#notice = missingModelNotice;
			return false;
		}
		const occupancy = this.#occupancy(projection ?? (await this.#branch.ready()), pending);
		if (occupancy.tokens <= capacity.safeLimit) return true;
		if (leafId !== this.#session.leafId && !(await this.#move(leafId))) return false;
		const compacted = await this.#compact('preflight', pending);
		if (compacted.kind === 'noop') {
			this.#notice = refusalNotice(occupancy, capacity, refusalAdvice(compacted.reason));
		}
		if (compacted.kind !== 'committed') return false;
		const after = this.#occupancy(await this.#branch.ready(), pending);
		if (after.tokens <= capacity.safeLimit) return true;
		this.#notice = refusalNotice(after, capacity, refusalAdvice('cannot-advance'));
		return false;
	}

	/** Opens a run with `begin` and, in the background, has it answered. False when the branch was stale. */
	async #ask(
		begin: (run: { runId: string; messageId: MessageId; model: ModelRef }) => Promise<Run | null>
	): Promise<boolean> {
		const release = await holdRunLock(this.#session.id);
		const runId = newId.run();
		this.#ownRunId = runId;
		let run: Run | null = null;
		try {
			if (release) {
				const fresh = { runId, messageId: newId.message(), model: this.#session.model };
				run = await this.#own(() => begin(fresh));
			}
		} finally {
			if (!run) release?.();
		}
		if (!run) {
			this.#ownRunId = null;
			this.#notice = staleNotice;
			await this.#reload();
			return false;
		}
		const started = run;
		this.#run = { ...started, state: 'waiting' };
		void this.#guard(async () => {
			const isComplete = await this.#answer(started).finally(() => {
				release?.();
				this.#ownRunId = null;
			});
			if (isComplete) await this.#compact('auto', null);
		});
		return true;
	}

	/** True when the answer ended by itself and is durable: the moment for an automatic compaction. */
	async #answer(run: Run): Promise<boolean> {
		const { db, models, worker } = this.#deps;
		const stop = new AbortController();
		this.#runStop = stop;
		const projection = await this.#branch.ready();
		const capacity = this.#capacity;
		const provider = await models.provider(run.model);
		if (!provider || !capacity) {
			await dropRun(db, run);
			this.#run = null;
			this.#notice = missingModelNotice;
			return false;
		}
		const end = await answer({
			db,
			run,
			provider,
			request: this.#request(projection, null, capacity),
			executeTool: (name, input) =>
				recall({ db, worker, leafId: run.parentId, capacity }, name, input),
			signal: stop.signal,
			onParts: (parts) => {
				const state = stop.signal.aborted ? 'stopping' : 'streaming';
				this.#run = { ...run, parts, state };
			},
			onSaveError: (error) => (this.#notice = storageNotice(error))
		});
		this.#runStop = null;
		if (end.failure?.limitTokens) await models.learn(run.model, end.failure.limitTokens);
		try {
			await this.#settle(run, end);
			this.#run = null;
		} catch (error) {
			// The answer stays on screen and can be kept once the database takes it.
			this.#run = { ...run, parts: end.parts, state: 'interrupted' };
			throw error;
		}
		if (end.failure) {
			this.#notice = failureNotice(
				end.failure,
				saysSomething(end.parts)
					? 'Your message and what arrived of the answer are saved.'
					: 'Your message is saved.',
				['retry', 'settings', 'dismiss']
			);
			return false;
		}
		this.#deps.onFirstAnswer();
		return end.finish === 'stop';
	}

	/** Makes the answer durable in the transaction that ends its run; an answer that says nothing leaves no message. */
	async #settle(run: Run, end: AnswerEnd): Promise<void> {
		await this.#own(async () => {
			if (!saysSomething(end.parts)) return dropRun(this.#deps.db, run);
			const content = { parts: end.parts, metadata: metadataOf(run, end) };
			const finished = await finishRun(this.#deps.db, run, content, Date.now());
			if (!finished) return this.#reload();
			this.#session = finished.session;
			await this.#replaceRun(finished.message);
		});
	}

	/** The durable answer takes the place of the one in progress at once: never both, never neither. */
	#replaceRun(message: Message): Promise<void> {
		const appended = this.#branch.append(message);
		this.#run = null;
		return appended;
	}

	stop(): void {
		this.#runStop?.abort();
		if (this.#run) this.#run = { ...this.#run, state: 'stopping' };
	}

	/** Keeps an answer whose tab or browser died: it becomes durable, marked as interrupted. */
	async keepInterrupted(): Promise<void> {
		const run = this.#run;
		const row = await this.#deps.db.runs.get(this.#session.id);
		if (run?.state !== 'interrupted' || !row) return;
		await this.#guard(() =>
			this.#own(async () => {
				if (!saysSomething(run.parts)) {
					await dropRun(this.#deps.db, row);
				} else {
					const metadata = { model: row.model, finish: 'interrupted' as const };
					const kept = await finishRun(
						this.#deps.db,
						row,
						{ parts: closed(run.parts), metadata },
						Date.now()
					);
					if (kept) {
						this.#session = kept.session;
						await this.#replaceRun(kept.message);
					}
				}
				this.#run = null;
			})
		);
	}

	// Compaction -------------------------------------------------------------------------------------------------------

	async compact(focus?: string): Promise<void> {
		if (this.branchLocked) return;
		this.#notice = null;
		await this.#guard(async () => {
			const compacted = await this.#compact('manual', null, focus);
			if (compacted.kind === 'noop') this.#notice = noopNotice(compacted.reason);
		});
	}

	cancelCompaction(): void {
		if (this.#compaction) this.#compaction = { ...this.#compaction, phase: 'cancelling' };
		this.#compactionStop?.abort();
	}

	async #compact(
		trigger: Trigger,
		pending: ConversationMessage | null,
		focus?: string
	): Promise<Compacted> {
		if (this.#compacting) return this.#compacting;
		const work = this.#runPlan(trigger, pending, focus);
		this.#compacting = work;
		try {
			return await work;
		} finally {
			this.#compacting = null;
			this.#compaction = null;
			this.#compactionStop = null;
		}
	}

	async #runPlan(
		trigger: Trigger,
		pending: ConversationMessage | null,
		focus: string | undefined
	): Promise<Compacted> {
		const { models, db, worker } = this.#deps;
		const session = this.#session;
		const rests =
			this.#failures.revision === session.branchRevision && this.#failures.count >= FAILURES_MAX;
		if (trigger === 'auto' && rests) return { kind: 'not-committed' };
		const projection = await this.#branch.ready();
		const capacity = this.#capacity;
		if (!capacity) {
			if (trigger !== 'auto') this.#notice = missingModelNotice;
			return { kind: 'not-committed' };
		}
		const plan = planCompaction({
			trigger,
			projection,
			pending,
			instructions: session.instructions,
			tools: this.#tools(projection),
			capacity,
			provider: session.model.provider,
			template: session.template,
			stable: this.#run === null,
			measure: this.#branch.measure,
			...(focus === undefined || focus.trim() === '' ? {} : { focus: focus.trim() })
		});
		if (plan.kind === 'noop') return plan;
		const provider = await models.provider(session.model);
		if (!provider) {
			this.#notice = missingModelNotice;
			return { kind: 'not-committed' };
		}
		const stop = new AbortController();
		this.#compactionStop = stop;
		const view = {
			trigger,
			coveredMessageCount: plan.boundary.covered.length,
			startedAt: Date.now()
		};
		this.#compaction = { ...view, phase: 'reading', pass: 0, passes: 0 };
		const { outcome, session: after } = await this.#own(() =>
			runCompaction({
				db,
				worker,
				session,
				plan,
				provider,
				model: session.model,
				capacity,
				signal: stop.signal,
				onProgress: (progress) => {
					if (!stop.signal.aborted) this.#compaction = { ...view, ...progress };
				}
			})
		);
		if (outcome.kind === 'committed') {
			if (after) this.#session = after;
			this.#failures = { revision: -1, count: 0 };
			await this.#branch.append(outcome.message);
			return { kind: 'committed' };
		}
		await this.#explain(outcome.kind === 'stale' ? null : outcome, trigger, session.branchRevision);
		return { kind: 'not-committed' };
	}

	async #explain(
		outcome: Exclude<
			Awaited<ReturnType<typeof runCompaction>>['outcome'],
			{ kind: 'committed' } | { kind: 'stale' }
		> | null,
		trigger: Trigger,
		revision: number
	): Promise<void> {
		if (!outcome) {
			if (trigger !== 'auto') this.#notice = staleNotice;
			return this.#reload();
		}
		if (outcome.kind === 'cancelled') {
			this.#notice = cancelledNotice;
			return;
		}
		const count = this.#failures.revision === revision ? this.#failures.count + 1 : 1;
		this.#failures = { revision, count };
		switch (outcome.kind) {
			case 'rejected':
				this.#notice = rejectionNotice(outcome.rejection);
				return;
			case 'failed':
				this.#notice = failureNotice(
					outcome.failure,
					'No checkpoint was written; the conversation is as it was.',
					['compact', 'settings', 'dismiss']
				);
				return;
			case 'no-room':
				this.#notice = {
					tone: 'warning',
					title: 'This model’s window is too small to summarise with.',
					safe: 'The conversation is as it was.',
					advice: 'Shorten the instructions, or choose a model with a larger window.',
					actions: ['dismiss']
				};
		}
	}

	// Branches, settings of the session --------------------------------------------------------------------------------

	async switchTo(siblingId: MessageId): Promise<void> {
		if (this.branchLocked) return;
		this.#notice = null;
		await this.#guard(async () => {
			if (this.#run?.state === 'interrupted') await this.keepInterrupted();
			await this.#move(await newestLeafBelow(this.#deps.db, siblingId));
		});
	}

	async undoCheckpoint(id: MessageId): Promise<void> {
		if (this.branchLocked) return;
		const leaf = this.#branch.messages.at(-1);
		if (leaf?.id !== id) {
			this.#notice = {
				tone: 'info',
				title: 'Messages follow this checkpoint, so it cannot be undone here.',
				advice: 'Everything before it is kept in full and readable above.',
				actions: ['dismiss']
			};
			return;
		}
		await this.#guard(() => this.#move(leaf.parentId));
	}

	/** Moves the leaf and shows the branch it ends. False, with a notice, when the branch was stale. */
	async #move(leafId: MessageId | null): Promise<boolean> {
		return this.#own(async () => {
			const moved = await moveLeaf(this.#deps.db, expectedOf(this.#session), leafId, Date.now());
			if (!moved) {
				this.#notice = staleNotice;
				await this.#reload();
				return false;
			}
			this.#session = moved;
			await this.#branch.load(moved.leafId);
			return true;
		});
	}

	setModel = (model: ModelRef): Promise<void> =>
		this.branchLocked ? Promise.resolve() : this.#patch({ model });
	setTemplate = (template: TemplateName): Promise<void> => this.#patch({ template });
	setInstructions = (instructions: string): Promise<void> => this.#patch({ instructions });
	rename = (title: string): Promise<void> => this.#patch({ title });

	async #patch(patch: SessionPatch): Promise<void> {
		await this.#guard(async () => {
			const session = await patchSession(this.#deps.db, this.#session.id, patch);
			if (session) this.#session = { ...this.#session, ...patch };
		});
	}

	act(action: NoticeAction): void {
		this.#notice = null;
		switch (action) {
			case 'retry':
				return void this.retry();
			case 'compact':
				return void this.compact();
			case 'keep-answer':
				return void this.keepInterrupted();
			case 'settings':
				return this.#deps.openSettings();
			case 'reload':
				return location.reload();
			case 'dismiss':
		}
	}

	// The database and other tabs --------------------------------------------------------------------------------------

	/** Runs a write of our own; what the live query says meanwhile is looked at once it is done. */
	async #own<T>(write: () => Promise<T>): Promise<T> {
		this.#writes++;
		try {
			return await write();
		} finally {
			this.#writes--;
			const missed = this.#missed;
			this.#missed = null;
			if (this.#writes === 0) missed?.();
		}
	}

	/** Turns a storage failure into a sentence. What failed wrote nothing. */
	async #guard<T>(work: () => Promise<T>): Promise<T | undefined> {
		try {
			return await work();
		} catch (error) {
			this.#notice = storageNotice(error);
			return undefined;
		}
	}

	async #reload(): Promise<void> {
		const session = await this.#deps.db.sessions.get(this.#session.id);
		if (!session) {
			this.#gone = true;
			return;
		}
		this.#session = session;
		await this.#branch.load(session.leafId);
	}

	#onRow(row: Session | null, run: Run | null): void {
		if (this.#writes > 0) {
			this.#missed = () => this.#onRow(row, run);
			return;
		}
		if (!row) {
			this.#gone = true;
			return;
		}
		if (row.branchRevision < this.#session.branchRevision) return;
		const isForeign = row.branchRevision > this.#session.branchRevision;
		this.#session = row;
		if (isForeign) void this.#guard(() => this.#branch.load(row.leafId));
		this.#onRun(run);
	}

	#onRun(run: Run | null): void {
		if (!run) {
			if (this.#foreignRunId) this.#run = null;
			this.#foreignRunId = null;
			return;
		}
		if (run.runId === this.#ownRunId) return;
		const isInterrupted = this.#run?.state === 'interrupted' && this.#foreignRunId === run.runId;
		if (!isInterrupted) this.#run = { ...run, state: 'elsewhere' };
		if (this.#foreignRunId === run.runId) return;
		this.#foreignRunId = run.runId;
		// The lock is free when the run's tab is gone; a row that is still there then was interrupted.
		void runLockFree(run.sessionId, this.#closed.signal)
			.then(() => this.#deps.db.runs.get(run.sessionId))
			.then((left) => {
				if (left?.runId === run.runId && this.#foreignRunId === run.runId) {
					this.#run = { ...left, state: 'interrupted' };
				}
			})
			.catch(() => undefined);
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

function titleOf(draft: Draft): string {
	const line = draft.text.trim().split('\n')[0] ?? '';
	const title = line || draft.files[0]?.filename || 'Untitled';
	return title.length > 60 ? `${title.slice(0, 57).trimEnd()}…` : title;
}
