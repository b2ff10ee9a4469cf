import type { FilePart } from '$lib/history/message';
import { emptyDraft, type Draft } from '$lib/history/session';
import { attach, AttachError, mergeDrafts } from './drafting';
import { storageNotice } from './notices';
import type { Thread } from './thread.svelte';

/** A draft is written this long after the last key, in milliseconds. */
const DRAFT_DELAY = 300;

/**
 * What the user writes, and what they have sent that waits. A waiting message is frozen, and stays part of the stored
 * draft until it is a message: a crash in between brings it back.
 */
export class Composing {
	#draft = $state.raw<Draft>(emptyDraft);
	#waiting = $state.raw<Draft | null>(null);
	#timer: ReturnType<typeof setTimeout> | null = null;
	readonly #thread: Thread;

	constructor(thread: Thread) {
		this.#thread = thread;
		this.#draft = thread.session.draft;
	}

	get draft(): Draft {
		return this.#draft;
	}

	get waiting(): Draft | null {
		return this.#waiting;
	}

	set(draft: Draft): void {
		this.#draft = draft;
		if (this.#timer) clearTimeout(this.#timer);
		this.#timer = setTimeout(() => void this.flush(), DRAFT_DELAY);
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

	/** The frozen message has become durable. */
	sent(): void {
		this.#waiting = null;
	}

	/** The frozen message was not sent: it is a draft again, with what was typed meanwhile. */
	giveBack(): void {
		if (!this.#waiting) return;
		const back = mergeDrafts(this.#waiting, this.#draft);
		this.#waiting = null;
		this.set(back);
	}

	/** Writes the draft now: before the page goes away. */
	async flush(): Promise<void> {
		if (this.#timer) clearTimeout(this.#timer);
		this.#timer = null;
		const draft = this.#waiting ? mergeDrafts(this.#waiting, this.#draft) : this.#draft;
		await this.#thread.guard(() => this.#thread.patch({ draft }));
	}

	/** Attaches files; one that cannot be is named, the others are attached. */
	async attach(files: readonly File[]): Promise<void> {
		const { db, worker } = this.#thread.deps;
		for (const file of files) {
			try {
				this.add({ text: '', files: [await attach(db, worker, file)] });
			} catch (error) {
				this.#thread.notice =
					error instanceof AttachError
						? { tone: 'warning', title: error.message, actions: ['dismiss'] }
						: storageNotice(error);
			}
		}
	}

	detach(file: FilePart): void {
		const files = this.#draft.files.filter((other) => other.sha256 !== file.sha256);
		this.set({ ...this.#draft, files });
	}
}
