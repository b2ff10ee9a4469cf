import { getContext, setContext } from 'svelte';
import type { SessionId } from '$lib/history/message';
import { emptyDraft, type Session } from '$lib/history/session';
import { openDatabase, type HiloDatabase, type Outdated } from '$lib/storage/database';
import { watchSessions } from '$lib/storage/live';
import {
	addSession,
	deleteDiscarded,
	deleteSession,
	discardSession,
	duplicateSession,
	patchSession
} from '$lib/storage/sessions';
import { startWorker, type Compute } from '$lib/worker/client';
import type { Conversation } from './conversation.svelte';
import { isEmptyDraft } from './drafting';
import { newId } from './ids';
import { Models } from './models.svelte';
import { hadData, rememberData } from './aside';
import { discardedNotice, evictedNotice, lostNotice, storageNotice } from './notices';
import { answeringNow } from './lock';
import { Settings, type SettingValues } from './settings.svelte';
import { Transfer } from './transfer.svelte';
import type { Notice, NoticeAction, SessionLine } from './view';

const KEY = Symbol('hilo');
/** How long a deleted session can be brought back, in milliseconds. */
const DISCARDED_FOR = 24 * 60 * 60 * 1000;

/** The composition root: the database, the worker, and everything that lives as long as the page. */
export class Hilo {
	readonly models: Models;
	readonly settings: Settings;
	readonly transfer: Transfer;
	readonly db: HiloDatabase;
	readonly worker: Compute;
	readonly #goto: (path: string) => void;
	#sessions = $state.raw<readonly Session[] | null>(null);
	#discarded = $state.raw<readonly Session[]>([]);
	/** The session that the notice's Undo brings back. */
	#undoable: SessionId | null = null;
	#busy = $state.raw<ReadonlySet<SessionId>>(new Set());
	#notice = $state.raw<Notice | null>(null);
	#outdated = $state.raw<Outdated | null>(null);
	#active = $state.raw<Conversation | null>(null);
	#wanted: SessionId | null = null;
	/** Conversations of this page: the shown one, and those whose answer or compaction goes on behind it. */
	readonly #open = new Map<SessionId, Conversation>();

	private constructor(db: HiloDatabase, worker: Compute, goto: (path: string) => void) {
		this.db = db;
		this.worker = worker;
		this.#goto = goto;
		this.models = new Models(db);
		this.settings = new Settings(db);
		this.transfer = new Transfer(db, worker, this.settings);
	}

	/**
	 * Opens the app.
	 * @param goto navigation, given in so that this room does not know the router
	 * @param onBlocked called when another tab keeps an older version open, and this one waits for it
	 * @throws when the database cannot be opened; nothing is created instead
	 */
	static async start(goto: (path: string) => void, onBlocked: () => void): Promise<Hilo> {
		let app: Hilo | null = null;
		const db = await openDatabase({
			onOutdated: (why) => app?.whenOutdated(why),
			onLost: (error) => app?.say(lostNotice(error)),
			onBlocked: () => onBlocked()
		});
		app = new Hilo(db, startWorker(), goto);
		return app.#begin();
	}

	/** A newer app, or another tab, has taken the database. */
	private whenOutdated(why: Outdated): void {
		this.#outdated = why;
	}

	async #begin(): Promise<Hilo> {
		const { db } = this;
		await Promise.all([this.models.load(), this.settings.load()]);
		await new Promise<void>((resolve) => {
			watchSessions(
				db,
				(all, busy) => {
					this.#sessions = all.filter((session) => !isDiscarded(session));
					this.#discarded = all.filter(isDiscarded);
					resolve();
					// A run without its tab was interrupted: nothing is busy there.
					void answeringNow(busy).then((ids) => (this.#busy = ids));
				},
				(error) => {
					this.#notice = storageNotice(error);
					resolve();
				}
			);
		});
		const isEmpty = this.#sessions?.length === 0 && this.#discarded.length === 0;
		// Only a database that was read can be called empty.
		const isEvicted = isEmpty && this.#notice === null && hadData();
		if (isEvicted) this.#notice = evictedNotice;
		// Nobody waits for it; what fails is tried again with the next start.
		void deleteDiscarded(db, Date.now() - DISCARDED_FOR)
			.then(async () => {
				// Until the notice is answered it is true.
				if (!isEvicted) rememberData((await db.sessions.count()) > 0);
			})
			.catch(() => undefined);
		return this;
	}

	/** The sessions for the sidebar, newest first; null until they have been read. */
	get sessions(): readonly SessionLine[] | null {
		return (
			this.#sessions?.map((session) => ({
				id: session.id,
				title: session.title || 'New conversation',
				updatedAt: session.updatedAt,
				pinned: session.pinned,
				busy: this.#busy.has(session.id),
				hasDraft: !isEmptyDraft(session.draft)
			})) ?? null
		);
	}

	/** Deleted sessions that can still be brought back, newest first. */
	get discarded(): readonly Session[] {
		return this.#discarded;
	}

	get notice(): Notice | null {
		return this.#notice;
	}

	/** Why this tab may read its screen but not write, or null. */
	get outdated(): Outdated | null {
		return this.#outdated;
	}

	/** An answer or a compaction is under way, here or in another tab: no moment for an update. */
	get isBusy(): boolean {
		return this.#busy.size > 0 || [...this.#open.values()].some(({ isBusy }) => isBusy);
	}

	/** A sentence above the page. */
	say(notice: Notice | null): void {
		this.#notice = notice;
	}

	/** Remembers a choice made in passing; a failure is said and changes nothing on screen. */
	async remember(patch: Partial<SettingValues>): Promise<void> {
		await this.#write(() => this.settings.change(patch));
	}

	act(action: NoticeAction): void {
		if (this.#notice === evictedNotice) rememberData(false);
		this.#notice = null;
		if (action === 'reload') location.reload();
		if (action === 'undo' && this.#undoable) void this.restore(this.#undoable);
	}

	/** Writes sessions to a file. */
	async export(ids: readonly SessionId[] | null): Promise<void> {
		this.#notice = await this.transfer.export(ids);
	}

	/** Opens a new conversation; an empty one that is already there is used again. */
	async newSession(): Promise<void> {
		const empty = this.#sessions?.find(
			(session) => session.leafId === null && isEmptyDraft(session.draft)
		);
		if (empty) return this.#goto(`/s/${empty.id}`);
		const { values } = this.settings;
		const now = Date.now();
		const session: Session = {
			id: newId.session(),
			treeId: newId.tree(),
			leafId: null,
			branchRevision: 0,
			title: '',
			createdAt: now,
			updatedAt: now,
			model: values.model,
			instructions: values.instructions,
			template: values.template,
			draft: emptyDraft,
			pinned: false
		};
		if (!(await this.#write(() => addSession(this.db, session)))) return;
		rememberData(true);
		this.#goto(`/s/${session.id}`);
	}

	/** Opens the sample research session, made anew with ids of its own each time. */
	async openSample(): Promise<void> {
		const { sampleResearch } = await import('./sample');
		const { session, messages } = sampleResearch(
			newId.run,
			Date.now(),
			this.models.choices[0]?.ref ?? this.settings.values.model
		);
		if (await this.#write(() => addSession(this.db, session, messages))) {
			rememberData(true);
			this.#goto(`/s/${session.id}`);
		}
	}

	async rename(id: SessionId, title: string): Promise<void> {
		await this.#write(() => patchSession(this.db, id, { title: title.trim() }));
	}

	async pin(id: SessionId, pinned: boolean): Promise<void> {
		await this.#write(() => patchSession(this.db, id, { pinned }));
	}

	/** Opens a second session on the same branch. */
	async duplicate(id: SessionId): Promise<void> {
		await this.#write(async () => {
			const title = this.#sessions?.find((session) => session.id === id)?.title;
			const copy = await duplicateSession(this.db, id, {
				id: newId.session(),
				now: Date.now(),
				title: title ? `${title} (copy)` : ''
			});
			if (copy) this.#goto(`/s/${copy.id}`);
		});
	}

	/**
	 * Deletes a session: out of sight at once, and for a day it can be brought back. What it was answering is stopped first:
	 * nobody would read it.
	 */
	async remove(id: SessionId): Promise<void> {
		const conversation = this.#open.get(id);
		this.#open.delete(id);
		if (this.#active === conversation) this.hide();
		await conversation?.close();
		const title = this.#sessions?.find((session) => session.id === id)?.title;
		const isGone = await this.#write(() => discardSession(this.db, id, Date.now()));
		// The live query comes a moment later, and the page that follows must not open what is gone.
		if (!isGone) return;
		this.#sessions = this.#sessions?.filter((session) => session.id !== id) ?? null;
		this.#undoable = id;
		this.#notice = discardedNotice(title ?? '');
	}

	/** Brings a deleted session back, with all its branches. */
	async restore(id: SessionId): Promise<void> {
		const write = async () => {
			if (await discardSession(this.db, id, null)) this.#goto(`/s/${id}`);
		};
		await this.#write(write);
	}

	/** Deletes a discarded session for good. */
	async deleteForGood(id: SessionId): Promise<void> {
		await this.#write(async () => {
			await deleteSession(this.db, id);
			rememberData((await this.db.sessions.count()) > 0);
		});
	}

	/** The conversation on screen, or null. */
	get active(): Conversation | null {
		return this.#active;
	}

	/**
	 * Shows a conversation. One that is left goes on answering behind it, and is let go when it is idle.
	 * False when there is no session of this id.
	 */
	async show(id: SessionId): Promise<boolean> {
		this.#wanted = id;
		if (this.#active?.session.id !== id) this.#active = null;
		const conversation = this.#open.get(id) ?? (await this.#read(id));
		if (!conversation) return false;
		// Two clicks may have read the same one; the first to arrive is kept.
		const kept = this.#open.get(id) ?? conversation;
		if (kept !== conversation) void conversation.close();
		this.#open.set(id, kept);
		// Slower than the next click: it is not the one that is wanted any more.
		if (this.#wanted === id) this.#active = kept;
		this.#letGo();
		return true;
	}

	/** No conversation is on screen. */
	hide(): void {
		this.#wanted = null;
		this.#active = null;
		this.#letGo();
	}

	#letGo(): void {
		for (const [id, conversation] of this.#open) {
			if (id === this.#wanted || conversation.isBusy || conversation.isUnsaved) continue;
			this.#open.delete(id);
			void conversation.close();
		}
	}

	/** Loads the conversation room with the first conversation, not with the app. */
	async #read(id: SessionId): Promise<Conversation | null> {
		const { Conversation } = await import('./conversation.svelte');
		return Conversation.open(id, {
			db: this.db,
			worker: this.worker,
			models: this.models,
			settings: this.settings,
			openSettings: () => this.#goto('/settings'),
			openSession: (id) => this.#goto(`/s/${id}`),
			onFirstAnswer: () => void askToPersist()
		});
	}

	/** True when the write happened; otherwise the notice says why not. */
	async #write(write: () => Promise<unknown>): Promise<boolean> {
		try {
			await write();
			return true;
		} catch (error) {
			this.#notice = storageNotice(error);
			return false;
		}
	}
}

function isDiscarded(session: Session): boolean {
	return typeof session.discardedAt === 'number';
}

let hasAsked = false;

/** Asks the browser to keep the data, once there is some worth keeping. It must be asked from the page. */
async function askToPersist(): Promise<void> {
	if (hasAsked) return;
	hasAsked = true;
	if (!(await navigator.storage.persisted())) await navigator.storage.persist();
}

/** Gives the app to the components below. */
export function provideHilo(hilo: () => Hilo): void {
	setContext(KEY, hilo);
}

/** The app, from any component below the layout. */
export function useHilo(): Hilo {
	return getContext<() => Hilo>(KEY)();
}
