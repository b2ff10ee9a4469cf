import type { SessionId } from '$lib/history/message';
import type { DataView, DiscardedLine, ImportOutcome } from './data-view';
import { forgetAsides, rememberData } from './aside';
import { countRows, eraseDatabase } from '$lib/storage/everything';
import type { Hilo } from './app.svelte';
import { storageNotice } from './notices';
import type { Notice } from './view';

/** The data page's figures and verbs. */
export class DataDesk implements DataView {
	#used = $state.raw<number | null>(null);
	#quota = $state.raw<number | null>(null);
	#persisted = $state.raw<boolean | null>(null);
	#sessions = $state.raw<number | null>(null);

	constructor(private readonly hilo: Hilo) {
		// Figures that cannot be had stay blank; the page's actions do not need them.
		this.#measure().catch(() => undefined);
	}

	get used() {
		return this.#used;
	}
	get quota() {
		return this.#quota;
	}
	get persisted() {
		return this.#persisted;
	}
	get sessions() {
		return this.#sessions;
	}
	get lastBackup() {
		return this.hilo.settings.values.lastBackup;
	}

	get discarded(): readonly DiscardedLine[] {
		return this.hilo.discarded.map(({ id, title, discardedAt }) => ({
			id,
			title: title || 'New conversation',
			at: discardedAt ?? 0
		}));
	}
	restore(id: SessionId): Promise<void> {
		return this.hilo.restore(id);
	}
	async deleteForGood(id: SessionId): Promise<void> {
		await this.hilo.deleteForGood(id);
		await this.#measure().catch(() => undefined);
	}

	async #measure(): Promise<void> {
		const { sessions } = await countRows(this.hilo.db);
		this.#sessions = sessions - this.hilo.discarded.length;
		const { usage, quota } = await navigator.storage.estimate();
		this.#used = usage ?? null;
		this.#quota = quota ?? null;
		this.#persisted = await navigator.storage.persisted();
	}

	async persist(): Promise<Notice | null> {
		this.#persisted = await navigator.storage.persist();
		if (this.#persisted) return null;
		return {
			tone: 'info',
			title: 'The browser did not promise to keep the data.',
			safe: 'Nothing is removed now.',
			advice:
				'Browsers promise it once you have used or installed an app for a while. Export from time to time.'
		};
	}

	exportAll(): Promise<Notice | null> {
		return this.hilo.transfer.export(null);
	}

	async importFiles(files: readonly File[]): Promise<ImportOutcome> {
		const counts = [];
		const skipped = [];
		const notes = [];
		const refusals = [];
		const sessions = [];
		for (const file of files) {
			const outcome = await this.hilo.transfer.import(file);
			if (outcome.kind === 'refused') refusals.push(outcome.notice);
			else {
				counts.push(...outcome.counts);
				skipped.push(...outcome.skipped);
				notes.push(...outcome.notes);
				sessions.push(...outcome.added);
				if (outcome.same > 0) {
					notes.push(
						outcome.same === 1
							? 'One session was already here, the same; nothing was changed.'
							: `${outcome.same} sessions were already here, the same; nothing was changed.`
					);
				}
			}
		}
		await this.#measure();
		return { counts, skipped, notes, refusals, sessions };
	}

	async eraseEverything(): Promise<Notice | null> {
		try {
			this.hilo.hide();
			await eraseDatabase(this.hilo.db);
			rememberData(false);
			forgetAsides();
			location.replace('/');
			return null;
		} catch (error) {
			return storageNotice(error);
		}
	}
}
