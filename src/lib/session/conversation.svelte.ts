import { samePin, type Draft, type Pin } from '$lib/history/session';
import { textOf } from '$lib/history/message';
import type {
	Checkpoint,
	CheckpointMessage,
	FilePart,
	Message,
	MessageId,
	ModelRef,
	PinnedText,
	SessionId,
	TemplateName
} from '$lib/history/message';
import { leafOf } from '$lib/context/projection';
import type { ModelRequest } from '$lib/context/request';
import { isWholeRun, readSession } from '$lib/history/session-shape';
import { newestLeafBelow } from '$lib/storage/branch';
import { forkSession } from '$lib/storage/sessions';
import { repairSession } from '$lib/storage/repair';
import { Compactor } from './compactor.svelte';
import { Composing } from './composing.svelte';
import { brokenRunSentence, damagedBranchNotice, damageView, recordSentence } from './damage';
import { isEmptyDraft, pendingMessage } from './drafting';
import { costOfCheckpoint } from './forecast';
import { newId } from './ids';
import {
	missingModelNotice,
	noopNotice,
	notUndoableNotice,
	storageNotice,
	undoneNotice
} from './notices';
import { pinnedTexts } from './pins';
import { Runner } from './runner.svelte';
import { Sender } from './sender';
import { Transfer } from './transfer.svelte';
import { Thread, type ConversationDeps } from './thread.svelte';
import type { ContextReading, ConversationView, DamageView, Notice, NoticeAction } from './view';

/** The conversation on screen: one session, what is written, its run and its compaction. It joins; the parts decide. */
export class Conversation implements ConversationView {
	readonly #thread: Thread;
	readonly #composing: Composing;
	readonly #compactor: Compactor;
	readonly #runner: Runner;
	readonly #sender: Sender;
	readonly #closed = new AbortController();
	/** An action on the branch is between its click and its end: a second one would disturb it. */
	#isActing = $state(false);

	/** What cannot be read beside the branch. */
	#besides = $state.raw<readonly string[]>([]);

	private constructor(thread: Thread, faults: readonly string[]) {
		this.#thread = thread;
		if (faults.length > 0) this.#besides = [recordSentence(faults)];
		this.#composing = new Composing(thread);
		this.#compactor = new Compactor(thread, this.#closed.signal);
		this.#runner = new Runner(thread, this.#closed.signal);
		this.#sender = new Sender(thread, this.#composing, this.#compactor, this.#runner);
	}

	/** Opens a session. Null when there is none of this id; read errors are thrown, never shown as an empty history. */
	static async open(id: SessionId, deps: ConversationDeps): Promise<Conversation | null> {
		const row = await deps.db.sessions.get(id);
		if (!row || typeof row.discardedAt === 'number') return null;
		const { session, faults } = readSession(row);
		const thread = new Thread(session, deps);
		if (faults.length > 0) thread.branch.declareDamaged(recordSentence(faults));
		await thread.branch.load(session.leafId);
		const conversation = new Conversation(thread, faults);
		const stop = thread.watch((row, run) => {
			conversation.#composing.onStored(row.draft);
			if (run === null || isWholeRun(run)) conversation.#runner.onRow(run);
			else void conversation.#onBrokenRun(row.leafId);
		});
		conversation.#closed.signal.addEventListener('abort', stop);
		return conversation;
	}

	/** Lets go of the session: stops what is under way, stops watching, writes the draft. */
	async close(): Promise<void> {
		this.#closed.abort();
		this.#compactor.cancel();
		await this.#composing.close();
	}

	/** Something on this screen could not be stored: it must not be let go. */
	get isUnsaved(): boolean {
		return this.#runner.isUnsaved || (this.#composing.isUnsaved && this.notice !== null);
	}

	get session() {
		return this.#thread.session;
	}
	get messages() {
		return this.#thread.branch.messages;
	}
	get hasEarlier() {
		return this.#thread.branch.hasEarlier;
	}
	get run() {
		return this.#runner.view;
	}
	get compaction() {
		return this.#compactor.view;
	}
	get waiting() {
		return this.#composing.waiting;
	}
	get notice() {
		return this.#thread.notice;
	}
	get draft() {
		return this.#composing.draft;
	}
	get readOnly(): string | null {
		if (this.#thread.isGone) return 'This session was deleted in another tab.';
		const { damage } = this.#thread.branch;
		return damage === null
			? null
			: `${damage} What can be read is shown; nothing is rewritten, and an export still works.`;
	}
	readonly damage: DamageView | null = $derived.by(() => {
		const { damage, examination } = this.#thread.branch;
		return damage === null || !examination ? null : damageView(damage, examination, this.#besides);
	});
	/** Something of this tab goes on that must not be left. */
	get isBusy(): boolean {
		return (
			this.#isActing ||
			this.#runner.isOwn ||
			this.#compactor.current !== null ||
			this.waiting !== null
		);
	}
	get branchLocked(): boolean {
		return (
			this.#isActing ||
			this.#runner.isOpen ||
			this.#compactor.current !== null ||
			this.waiting !== null ||
			this.readOnly !== null
		);
	}
	get canSend(): boolean {
		return (
			!this.#isActing &&
			!this.#runner.isOpen &&
			!this.#composing.isAttaching &&
			this.waiting === null &&
			this.readOnly === null
		);
	}

	readonly context: ContextReading | null = $derived.by(() => {
		const { capacity, branch } = this.#thread;
		const { projection } = branch;
		if (!projection || !capacity) return null;
		const { tokens, ...rest } = this.#thread.occupancy(projection, this.#pending);
		return { occupancy: tokens, ...rest, capacity };
	});

	get #pending() {
		return pendingMessage(this.waiting ?? this.draft);
	}

	async nextRequest(): Promise<ModelRequest> {
		const projection = await this.#thread.branch.ready();
		const { capacity } = this.#thread;
		if (!capacity) throw new Error(missingModelNotice.title);
		return this.#thread.request(projection, this.#pending, capacity);
	}

	async loadEarlier(): Promise<void> {
		await this.#thread.guard(() => this.#thread.branch.loadEarlier());
	}

	siblings(id: MessageId) {
		return this.#thread.branch.position(id);
	}

	coverage(message: Message): 'sent' | 'covered' {
		const { projection } = this.#thread.branch;
		if (!projection?.checkpoint) return 'sent';
		if (message.role === 'checkpoint') {
			return message.id === projection.checkpoint.id ? 'sent' : 'covered';
		}
		const from = projection.tail[0] ?? projection.checkpoint;
		return message.depth < from.depth ? 'covered' : 'sent';
	}

	async checkpoint(id: MessageId): Promise<CheckpointMessage | null> {
		const message = await this.#thread.deps.db.messages.get(id);
		return message?.role === 'checkpoint' ? message : null;
	}

	setDraft(draft: Draft): void {
		this.#composing.set(draft);
	}
	/** Before the page goes away: what can be stored is, and the last words are put aside. */
	keepDraft(): void {
		this.#composing.keepAside();
		void this.#composing.flush();
	}
	flushDraft(): Promise<void> {
		return this.#composing.flush();
	}
	attachFiles(files: readonly File[]): Promise<void> {
		return this.#composing.attach(files);
	}
	attachText(filename: string, text: string): Promise<void> {
		return this.#composing.attach([new File([text], filename, { type: 'text/plain' })]);
	}
	detach(file: FilePart): void {
		this.#composing.detach(file);
	}

	async send(): Promise<void> {
		if (!this.canSend || isEmptyDraft(this.draft)) return;
		this.#thread.notice = null;
		await this.#sender.send();
	}
	stop(): void {
		this.#runner.stop();
	}
	retry(assistantId?: MessageId): Promise<void> {
		return this.#act(() => this.#sender.retry(assistantId));
	}
	async edit(userId: MessageId, text: string): Promise<boolean> {
		let isTaken = false;
		await this.#act(async () => {
			isTaken = await this.#sender.edit(userId, text).catch((error: unknown) => {
				// The text is in the composer; the failure is told like any other.
				isTaken = true;
				throw error;
			});
		});
		return isTaken;
	}
	keepInterrupted(): Promise<void> {
		return this.#act(() => this.#runner.keepInterrupted());
	}
	async compact(focus?: string): Promise<void> {
		if (this.branchLocked) return;
		this.#thread.notice = null;
		// Not an action that locks the composer: a message can be sent meanwhile, and waits.
		await this.#thread.guard(async () => {
			const compacted = await this.#compactor.compact({
				trigger: 'manual',
				stable: this.run === null,
				...(focus === undefined ? {} : { focus })
			});
			if (compacted.kind === 'noop') this.#thread.notice = noopNotice(compacted);
		});
	}
	cancelCompaction(): void {
		this.#compactor.cancel();
	}
	switchTo(siblingId: MessageId): Promise<void> {
		return this.#act(async () => {
			const leafId = await newestLeafBelow(this.#thread.deps.db, siblingId, this.session.undone);
			// There, everything would be read-only, and no way would lead back.
			const damage = await this.#thread.branch.damageAt(leafId);
			if (damage !== null) {
				this.#thread.notice = damagedBranchNotice(damage);
				return;
			}
			await this.#runner.keepInterrupted();
			await this.#thread.move(leafId);
		});
	}
	fork(assistantId: MessageId): Promise<void> {
		return this.#act(async () => {
			const { db, openSession } = this.#thread.deps;
			const title = this.session.title && `${this.session.title} (fork)`;
			const fresh = { id: newId.session(), now: Date.now(), title };
			const fork = await forkSession(db, this.session.id, assistantId, fresh);
			if (fork) openSession(fork.id);
		});
	}
	get elsewhere() {
		return this.#thread.branch.elsewhere;
	}
	get newestBranching() {
		return this.messages.findLast(({ id }) => this.siblings(id) !== null)?.id ?? null;
	}
	undoCheckpoint(id: MessageId): Promise<void> {
		return this.#act(async () => {
			const leaf = this.messages.at(-1);
			if (leaf?.id !== id) this.#thread.notice = notUndoableNotice;
			else if (await this.#thread.undo(leaf)) this.#thread.notice = undoneNotice;
		});
	}

	/** An action on the branch: off while a run or a compaction would be disturbed; failures become a notice. */
	async #act(action: () => Promise<void>): Promise<void> {
		if (this.branchLocked) return;
		this.#thread.notice = null;
		this.#isActing = true;
		try {
			await this.#thread.guard(action);
		} finally {
			this.#isActing = false;
		}
	}

	isPinned(pin: Pin): boolean {
		return (this.session.pins ?? []).some((other) => samePin(pin, other));
	}
	async togglePin(pin: Pin): Promise<void> {
		if (this.readOnly !== null) return;
		await this.#thread.guard(() => this.#thread.togglePin(pin));
	}
	async pinnedTexts(): Promise<readonly PinnedText[]> {
		const projection = await this.#thread.branch.ready();
		return pinnedTexts(this.#thread.deps.db, this.session, {
			leafId: leafOf(projection),
			previous: projection.checkpoint
		});
	}
	forecast() {
		return this.#compactor.forecast(this.run === null);
	}
	costOf(checkpoint: Checkpoint) {
		const { models } = this.#thread.deps;
		return costOfCheckpoint(checkpoint, this.session.model, (model) => models.price(model));
	}

	async setModel(model: ModelRef): Promise<void> {
		if (this.branchLocked) return;
		await this.#thread.guard(async () => {
			await this.#thread.patch({ model });
			// The next new session begins with the model last chosen.
			await this.#thread.deps.settings.change({ model });
		});
	}
	async setTemplate(template: TemplateName): Promise<void> {
		await this.#thread.guard(() => this.#thread.patch({ template }));
	}
	async setInstructions(instructions: string): Promise<void> {
		await this.#thread.guard(() => this.#thread.patch({ instructions }));
	}
	async rename(title: string): Promise<void> {
		await this.#thread.guard(() => this.#thread.patch({ title }));
	}

	exportCopy(): Promise<Notice | null> {
		const { db, worker, settings } = this.#thread.deps;
		return new Transfer(db, worker, settings).export([this.session.id]);
	}
	async repair(): Promise<SessionId | Notice> {
		const { branch, deps } = this.#thread;
		if (!branch.examination) throw new Error('Only a damaged history is repaired.');
		const birth = { treeId: newId.tree(), sessionId: newId.session(), newId: newId.message };
		try {
			await repairSession(deps.db, this.session, branch.examination, birth, Date.now());
			return birth.sessionId;
		} catch (error) {
			return storageNotice(error);
		}
	}

	/** An answer in progress that cannot be read is not shown, and nothing may be written beside it. */
	async #onBrokenRun(leafId: MessageId | null): Promise<void> {
		if (this.#besides.includes(brokenRunSentence)) return;
		this.#besides = [...this.#besides, brokenRunSentence];
		this.#thread.branch.declareDamaged(brokenRunSentence);
		await this.#thread.guard(() => this.#thread.branch.load(leafId));
	}

	/** Hands over what this tab shows and may not have saved: the draft, a message that waits, an answer on its way. */
	async #downloadUnsaved(): Promise<void> {
		const { download } = await import('./download');
		const parts = [
			...(this.waiting ? [`## Waiting to be sent\n\n${this.waiting.text}`] : []),
			...(this.draft.text ? [`## Draft\n\n${this.draft.text}`] : []),
			...(this.run ? [`## Answer on its way\n\n${textOf({ parts: this.run.parts })}`] : [])
		];
		const title = this.session.title || 'New conversation';
		const text = [`# ${title}`, ...(parts.length > 0 ? parts : ['Nothing here was unsaved.'])];
		download(new Blob([`${text.join('\n\n')}\n`], { type: 'text/markdown' }), 'hilo-unsaved.md');
	}

	act(action: NoticeAction): void {
		// A download saves nothing here: what is wrong stays said.
		if (action !== 'download') this.#thread.notice = null;
		switch (action) {
			case 'retry':
				return void this.retry();
			case 'compact':
				return void this.compact();
			case 'keep-answer':
				return void this.keepInterrupted();
			case 'settings':
				return this.#thread.deps.openSettings();
			case 'download':
				return void this.#downloadUnsaved();
			case 'reload':
				return location.reload();
			case 'dismiss':
		}
	}
}
