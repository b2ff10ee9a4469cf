import type { FilePart } from '$lib/history/message';
import { emptyDraft, sameDraft, type Draft } from '$lib/history/session';
import { attach, AttachError, mergeDrafts } from './drafting';
import { putAside, takeAside } from './aside';
import { storageNotice } from './notices';
import type { Notice } from './view';
import type { Thread } from './thread.svelte';

/** A draft is written this long after a key, in milliseconds. */
const DRAFT_DELAY = 300;
/** After a draft could not be stored, milliseconds until it is tried again: this long first, at most that long. */
const RETRY_DELAY = 2000;
const RETRY_MOST = 60_000;

/**
 * What the user writes, and what they have sent that waits. A waiting message is frozen, and stays part of the stored
 * draft until it is a message: a crash in between brings it back. Only what was changed here is ever written, so that an
 * idle tab cannot wipe what another one stored.
 */
export class Composing {
	#draft = $state.raw<Draft>(emptyDraft);
	#waiting = $state.raw<Draft | null>(null);
	#attaching = $state(0);
	/** The draft as the database has it, as far as this tab knows. */
	#stored: Draft;
	#isDirty = false;
	#isSending = false;
	#timer: ReturnType<typeof setTimeout> | null = null;
	#delay = RETRY_DELAY;
	#isClosed = false;
	/** What was said when a write of the draft failed. */
	#refusal: Notice | null = null;
	/** The writes of the draft that are under way. */
	#writing: Promise<unknown> = Promise.resolve();
	readonly #thread: Thread;

	constructor(thread: Thread) {
		this.#thread = thread;
		this.#draft = thread.session.draft;
		this.#stored = thread.session.draft;
		const aside = takeAside(thread.session.id);
		if (aside !== null && aside !== this.#draft.text) this.set({ ...this.#draft, text: aside });
	}

	get draft(): Draft {
		return this.#draft;
	}

	get waiting(): Draft | null {
		return this.#waiting;
	}

	/** A file is being read: a message sent now would go without it. */
	get isAttaching(): boolean {
		return this.#attaching > 0;
	}

	/** The stored draft as this tab knows it. */
	get stored(): Draft {
		return this.#stored;
	}

	set(draft: Draft): void {
		this.#draft = draft;
		this.#isDirty = true;
		this.#schedule();
	}

	/** Adds to the draft, losing nothing of it. */
	add(draft: Draft): void {
		this.set(mergeDrafts(this.#draft, draft));
	}

	/** Freezes the draft: it is shown as waiting, and a new one can be written. */
	freeze(): Draft {
		const draft = this.#draft;
		this.#waiting = draft;
		this.#draft = emptyDraft;
		return draft;
	}

	/** Writes the question and what stays of the draft in one go; no draft of before can come after it. */
	async send<T>(write: () => Promise<T>): Promise<T> {
		this.#isSending = true;
		try {
			return await write();
		} finally {
			this.#isSending = false;
			if (this.#isDirty) this.#schedule();
		}
	}

	/** The frozen message has become durable, and `left` is what is stored as the draft. */
	sent(left: Draft): void {
		this.#waiting = null;
		this.#stored = left;
		this.#isDirty = !sameDraft(this.#draft, left);
	}

	/** The frozen message was not sent: it is a draft again, with what was typed meanwhile. */
	giveBack(): void {
		if (!this.#waiting) return;
		const back = mergeDrafts(this.#waiting, this.#draft);
		this.#waiting = null;
		this.set(back);
	}

	/** What another tab stored is shown, unless something is being written here. */
	onStored(draft: Draft): void {
		const isIdle = !this.#isDirty && !this.#waiting && !this.#isSending && !document.hasFocus();
		if (!isIdle || sameDraft(draft, this.#draft)) return;
		this.#draft = draft;
		this.#stored = draft;
	}

	/**
	 * Writes the draft now, if it was changed here: before a send, and before the page goes away. Resolves once no write is
	 * under way any more: a send compares what is stored with what this tab stored last.
	 */
	async flush(): Promise<void> {
		if (this.#timer) clearTimeout(this.#timer);
		this.#timer = null;
		if (this.#isDirty && !this.#isSending) {
			this.#writing = Promise.all([this.#writing, this.#write()]);
		}
		await this.#writing;
	}

	async #write(): Promise<void> {
		const draft = this.#waiting ? mergeDrafts(this.#waiting, this.#draft) : this.#draft;
		this.#isDirty = false;
		const before = this.#thread.notice;
		const isWritten = await this.#thread.guard(() => this.#thread.patch({ draft }));
		if (!isWritten) {
			this.#isDirty = true;
			if (this.#thread.notice !== before) this.#refusal = this.#thread.notice;
			return this.#tryAgain();
		}
		this.#stored = draft;
		takeAside(this.#thread.session.id);
		this.#delay = RETRY_DELAY;
		// What it said is true no more.
		if (this.#refusal && this.#thread.notice === this.#refusal) this.#thread.notice = null;
		this.#refusal = null;
	}

	/** What could not be stored is tried again by itself, less and less often. */
	#tryAgain(): void {
		if (this.#isClosed || this.#timer) return;
		this.#timer = setTimeout(() => void this.flush(), this.#delay);
		this.#delay = Math.min(2 * this.#delay, RETRY_MOST);
	}

	/** Something is written here and not stored. */
	get isUnsaved(): boolean {
		return this.#isDirty;
	}

	/** Writes a last time, and puts aside what could not be written. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await this.flush();
		if (this.#timer) clearTimeout(this.#timer);
		this.keepAside();
	}

	/**
	 * The page is going away, and a transaction begun now may not end: what is not stored yet is put where writing takes no
	 * time. The next opening of the session takes it from there.
	 */
	keepAside(): void {
		// Another tab has erased everything, or a newer app owns it: nothing of it is to stay here.
		if (!this.#isDirty || this.#thread.deps.db.isRetired) return;
		const { text } = this.#waiting ? mergeDrafts(this.#waiting, this.#draft) : this.#draft;
		putAside(this.#thread.session.id, text);
	}

	#schedule(): void {
		// Not put off by the next key: who types on and on is saved all the same.
		this.#timer ??= setTimeout(() => void this.flush(), DRAFT_DELAY);
	}

	/** Attaches files; one that cannot be is named, the others are attached. */
	async attach(files: readonly File[]): Promise<void> {
		const { db, worker } = this.#thread.deps;
		this.#attaching++;
		const refused: string[] = [];
		try {
			for (const file of files) {
				try {
					this.add({ text: '', files: [await attach(db, worker, file)] });
				} catch (error) {
					if (error instanceof AttachError) refused.push(error.message);
					else this.#thread.notice = storageNotice(error);
				}
			}
			if (refused.length > 0) {
				const title = refused.join(' ');
				this.#thread.notice = { tone: 'warning', title, actions: ['dismiss'] };
			}
		} finally {
			this.#attaching--;
		}
	}

	detach(file: FilePart): void {
		const files = this.#draft.files.filter((other) => other.sha256 !== file.sha256);
		this.set({ ...this.#draft, files });
	}
}
