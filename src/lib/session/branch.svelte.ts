import { cachedMeasure, measureMessage, measureWithin, type Measure } from '$lib/context/measure';
import { BoundaryError, project, type Projection } from '$lib/context/projection';
import type { ConversationMessage, Message, MessageId } from '$lib/history/message';
import { readablePart, type BranchEnd, type Examination } from '$lib/history/integrity';
import {
	countElsewhere,
	readContext,
	readEarlier,
	readSiblings,
	readWindow,
	type BranchRead
} from '$lib/storage/branch';
import type { HiloDatabase } from '$lib/storage/database';
import { checked, examineSession } from '$lib/storage/examine';
import type { Compute } from '$lib/worker/client';
import type { SiblingPosition } from './view';

/** Fewer messages than this are measured on the page: a trip to the worker would cost more. */
const MEASURE_HERE = 40;

/**
 * The loaded part of the active branch: a window to show, and, apart from it, what the projection is built from. The
 * window grows upwards as the reader scrolls; the context reaches back to the newest checkpoint's boundary.
 */
export class LoadedBranch {
	#messages = $state.raw<readonly Message[]>([]);
	#complete = $state.raw(true);
	#context = $state.raw<readonly Message[] | null>(null);
	#siblings = $state.raw<ReadonlyMap<MessageId, readonly MessageId[]>>(new Map());
	#damage = $state.raw<string | null>(null);
	#elsewhere = $state.raw(0);
	#examination = $state.raw<Examination | null>(null);
	#declared: string | null = null;
	#generation = 0;
	#reading: Promise<void> | null = null;
	/** The read that `#context` came from; it may lag behind the window. */
	#contextOf = -1;
	readonly #measured = new Map<MessageId, number>();
	readonly #db: HiloDatabase;
	readonly #worker: Compute;
	readonly #sessionOf: () => Pick<BranchEnd, 'id' | 'treeId'>;

	constructor(
		db: HiloDatabase,
		worker: Compute,
		sessionOf: () => Pick<BranchEnd, 'id' | 'treeId'>
	) {
		this.#db = db;
		this.#worker = worker;
		this.#sessionOf = sessionOf;
	}

	/** The window, oldest first, checkpoints included. */
	get messages(): readonly Message[] {
		return this.#messages;
	}

	get hasEarlier(): boolean {
		return !this.#complete;
	}

	/** What is wrong with the stored history, or null. */
	get damage(): string | null {
		return this.#damage;
	}

	/** All that is wrong, and what can be read: only of a history that is damaged, else null. */
	get examination(): Examination | null {
		return this.#examination;
	}

	/** Messages of the tree that are not on this branch: those of other branches. */
	get elsewhere(): number {
		return this.#elsewhere;
	}

	/** The projection, or null until its messages have been read. */
	readonly projection: Projection | null = $derived(this.#context ? project(this.#context) : null);

	/** Tokens of a whole message, measured once. */
	readonly #whole: Measure = cachedMeasure(
		(message) => this.#measured.get(message.id) ?? measureMessage(message)
	);
	#within: { readonly limit: number; readonly measure: Measure } | null = null;

	/** Measures messages as they are sent, where one tool result may take `limit` tokens. Each once. */
	measureWithin(limit: number): Measure {
		if (this.#within?.limit !== limit) {
			const cut = cachedMeasure(measureWithin(limit));
			// A message within the limit has no result over it.
			const measure: Measure = (message) => {
				const whole = this.#whole(message);
				return whole <= limit ? whole : cut(message);
			};
			this.#within = { limit, measure };
		}
		return this.#within.measure;
	}

	/** Something beside the branch is damaged, so that it must not be written to. To be said before a load. */
	declareDamaged(what: string): void {
		this.#declared = what;
	}

	/** Reads the branch that ends at `leafId`. Resolves with its window; its context is read on behind that. */
	async load(leafId: MessageId | null): Promise<void> {
		const generation = ++this.#generation;
		const window = this.#readWindow(leafId, generation);
		this.#reading = window.then((isSound) =>
			isSound ? this.#readContext(leafId, generation) : undefined
		);
		// A failed read of the context is met again, and told, where the context is needed.
		this.#reading.catch(() => undefined);
		await window;
	}

	/** False when the history is damaged: then all of it that can be read is shown. */
	async #readWindow(leafId: MessageId | null, generation: number): Promise<boolean> {
		const read = await this.#read(leafId, () => readWindow(this.#db, leafId));
		if (generation !== this.#generation) return false;
		const what = read.kind === 'damaged' ? read.what : this.#declared;
		if (what !== null || read.kind === 'damaged') {
			await this.#showDamaged(leafId, what ?? '', generation);
			return false;
		}
		const siblings = await readSiblings(this.#db, read.messages);
		if (generation !== this.#generation) return false;
		void this.#countElsewhere(read.messages.at(-1), generation);
		this.#damage = null;
		this.#examination = null;
		this.#messages = read.messages;
		this.#complete = read.complete;
		this.#siblings = siblings;
		return true;
	}

	/**
	 * Reads and checks. Rows that are not what they should be can make the database refuse: where an examination finds
	 * something, that is damage and no failure.
	 */
	async #read(leafId: MessageId | null, read: () => Promise<BranchRead>): Promise<BranchRead> {
		try {
			return checked(await read(), this.#sessionOf().treeId);
		} catch (error) {
			const { findings } = await this.#examine(leafId).catch(() => ({ findings: [] }));
			if (findings.length === 0) throw error;
			return { kind: 'damaged', what: 'A message of this branch cannot be read.' };
		}
	}

	#examine(leafId: MessageId | null): Promise<Examination> {
		return examineSession(this.#db, { ...this.#sessionOf(), leafId });
	}

	/** Shows what can be read of a damaged branch, all of it: what is above a gap has no window to be read by. Rule H55. */
	async #showDamaged(leafId: MessageId | null, what: string, generation: number): Promise<void> {
		const examination = await this.#examine(leafId);
		if (generation !== this.#generation) return;
		this.#damage = what;
		this.#examination = examination;
		this.#context = null;
		this.#messages = readablePart(examination);
		this.#complete = true;
		this.#siblings = new Map();
	}

	/**
	 * The projection once its messages have been read and measured.
	 * @throws when the history is damaged: an empty projection would send a question without what it is about
	 */
	async ready(): Promise<Projection> {
		let reading: Promise<void> | null = null;
		// A newer read may have begun meanwhile; only the newest is of the present branch.
		while (reading !== this.#reading) {
			reading = this.#reading;
			await reading;
		}
		if (!this.#context) throw new Error(this.#damage ?? 'This branch has not been read.');
		return project(this.#context);
	}

	/** What is wrong with another branch, as far as its window and its context show it; null where nothing is. */
	async damageAt(leafId: MessageId): Promise<string | null> {
		const window = await this.#read(leafId, () => readWindow(this.#db, leafId));
		const context = await this.#read(leafId, () => readContext(this.#db, leafId));
		const damaged = [window, context].find((read) => read.kind === 'damaged');
		return damaged?.kind === 'damaged' ? damaged.what : null;
	}

	/** The projection of another leaf, for an action that would move there first. */
	async projectionAt(leafId: MessageId | null): Promise<Projection> {
		const read = await readContext(this.#db, leafId);
		if (read.kind === 'damaged') throw new Error(read.what);
		return project(read.messages);
	}

	async #readContext(leafId: MessageId | null, generation: number): Promise<void> {
		const read = await this.#read(leafId, () => readContext(this.#db, leafId));
		if (generation !== this.#generation) return;
		if (read.kind === 'damaged') return this.#showDamaged(leafId, read.what, generation);
		try {
			project(read.messages);
		} catch (error) {
			if (!(error instanceof BoundaryError)) throw error;
			return this.#showDamaged(leafId, error.message, generation);
		}
		await this.#measureAll(read.messages);
		if (generation !== this.#generation) return;
		this.#context = read.messages;
		this.#contextOf = generation;
	}

	/** Behind the window: counting keys takes longer than reading it in a very long history. */
	async #countElsewhere(leaf: Message | undefined, generation: number): Promise<void> {
		const count = leaf ? await countElsewhere(this.#db, leaf).catch(() => 0) : 0;
		if (generation === this.#generation) this.#elsewhere = count;
	}

	async #measureAll(messages: readonly Message[]): Promise<void> {
		const fresh = messages.filter(
			(message): message is ConversationMessage =>
				message.role !== 'checkpoint' && !this.#measured.has(message.id)
		);
		if (fresh.length < MEASURE_HERE) return;
		const tokens = await this.#worker.measure(fresh);
		fresh.forEach((message, index) => this.#measured.set(message.id, tokens[index] ?? 0));
	}

	/** Adds the message just written below the leaf. */
	async append(message: Message): Promise<void> {
		if (this.#messages.at(-1)?.id === message.id) return;
		const follows = message.parentId === (this.#messages.at(-1)?.id ?? null);
		// A context still being read would come without this message: read it all again.
		if (!follows || !this.#context || this.#contextOf !== this.#generation) {
			return this.load(message.id);
		}
		this.#messages = [...this.#messages, message];
		this.#context = fromBoundary([...this.#context, message]);
		const siblings = await readSiblings(this.#db, [message]);
		this.#siblings = new Map([...this.#siblings, ...siblings]);
	}

	/** Reads the part of the branch above the window. */
	async loadEarlier(): Promise<void> {
		const first = this.#messages[0];
		const generation = this.#generation;
		if (!first || this.#complete) return;
		const leafId = this.#messages.at(-1)?.id ?? null;
		const read = await this.#read(leafId, () => readEarlier(this.#db, first));
		if (generation !== this.#generation) return;
		if (read.kind === 'damaged') return this.#showDamaged(leafId, read.what, generation);
		const siblings = await readSiblings(this.#db, read.messages);
		if (generation !== this.#generation || this.#messages[0]?.id !== first.id) return;
		this.#messages = [...read.messages, ...this.#messages];
		this.#complete = read.complete;
		this.#siblings = new Map([...siblings, ...this.#siblings]);
	}

	/** Where a message stands among the children of its parent, or null where it has no siblings. */
	position(id: MessageId): SiblingPosition | null {
		const ids = this.#siblings.get(id);
		if (!ids || ids.length < 2) return null;
		const at = ids.indexOf(id);
		return {
			index: at + 1,
			count: ids.length,
			previousId: ids[at - 1] ?? null,
			nextId: ids[at + 1] ?? null
		};
	}
}

/** Drops what a new checkpoint has made unnecessary for the projection. */
function fromBoundary(messages: readonly Message[]): readonly Message[] {
	const last = messages.at(-1);
	if (last?.role !== 'checkpoint') return messages;
	const boundary = last.checkpoint.firstKeptMessageId;
	if (boundary === null) return [last];
	return messages.slice(messages.findIndex((message) => message.id === boundary));
}
