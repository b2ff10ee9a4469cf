import { outputLimit, type Capacity } from '$lib/context/capacity';
import { imageCountOf } from '$lib/context/images';
import { estimatorOf, type Estimator, type Measure } from '$lib/context/measure';
import { fixedTokens, occupancyOf, reportOf, type Occupancy } from '$lib/context/occupancy';
import { verbatim, type Projection } from '$lib/context/projection';
import { toolsFor } from '$lib/context/recall';
import { buildRequest, type ModelRequest, type ToolSpec } from '$lib/context/request';
import { sentMessages, tokensPerResult } from '$lib/context/results';
import type {
	ConversationMessage,
	Message,
	MessageId,
	ModelRef,
	SessionId
} from '$lib/history/message';
import type { Run } from '$lib/history/run';
import type { Pin, Session } from '$lib/history/session';
import type { HiloDatabase } from '$lib/storage/database';
import { expectedOf } from '$lib/storage/expected';
import { watchSession } from '$lib/storage/live';
import { moveLeaf, patchSession, togglePin, type SessionPatch } from '$lib/storage/sessions';
import type { Compute } from '$lib/worker/client';
import { LoadedBranch } from './branch.svelte';
import type { Models } from './models.svelte';
import { staleNotice, storageNotice } from './notices';
import type { Settings } from './settings.svelte';
import type { Notice } from './view';

/** What a conversation needs of the app. */
export interface ConversationDeps {
	readonly db: HiloDatabase;
	readonly worker: Compute;
	readonly models: Models;
	readonly settings: Settings;
	/** Leaves the conversation for the settings page. */
	readonly openSettings: () => void;
	/** Leaves it for another conversation. */
	readonly openSession: (id: SessionId) => void;
	/** Something worth keeping now exists: a moment to ask the browser to keep it. */
	readonly onFirstAnswer: () => void;
}

/**
 * What the parts of one conversation share: the session's row, its loaded branch, the notice in place, and the figures of
 * the next request. The truth is the database; this follows it, also when another tab writes.
 */
export class Thread {
	/** The notice in place, or null. Whoever has something to say sets it. */
	notice = $state.raw<Notice | null>(null);
	readonly branch: LoadedBranch;
	readonly deps: ConversationDeps;
	#session: Session;
	#isGone = $state.raw(false);
	#writes = 0;
	#missed: (() => void) | null = null;

	constructor(session: Session, deps: ConversationDeps) {
		this.#session = $state.raw(session);
		this.deps = deps;
		this.branch = new LoadedBranch(deps.db, deps.worker, () => this.#session);
	}

	get session(): Session {
		return this.#session;
	}

	/** The row as a write of our own left it. */
	follow(session: Session): void {
		this.#session = session;
	}

	get isGone(): boolean {
		return this.#isGone;
	}

	/** The capacity of the session's model, or null when it is not set up in this browser. */
	get capacity(): Capacity | null {
		const { models, settings } = this.deps;
		return models.capacity(this.#session.model, settings.values.autoRatio);
	}

	/** Estimates as usage reports of the session's model have corrected them. */
	get estimator(): Estimator {
		const { model } = this.#session;
		const factor = this.deps.models.factor(model);
		return estimatorOf(factor, this.#measure, imageCountOf(model.model));
	}

	get #measure(): Measure {
		return this.branch.measureWithin(this.#resultLimit);
	}

	/** The most one tool result takes in what is sent. Tokens. */
	get #resultLimit(): number {
		return this.capacity ? tokensPerResult(this.capacity) : Infinity;
	}

	/** Takes in what the provider reported with an answer on the branch. */
	async calibrate(projection: Projection, answerId: MessageId, model: ModelRef): Promise<void> {
		const report = reportOf(
			{
				instructions: this.#session.instructions,
				tools: this.tools(projection),
				projection,
				provider: model.provider,
				model: model.model,
				estimator: estimatorOf(1, this.#measure, imageCountOf(model.model))
			},
			answerId
		);
		if (report) await this.deps.models.calibrate(model, report);
	}

	/** Uncalibrated tokens of the instructions and tools that a request brings. */
	fixedTokens(request: ModelRequest): number {
		const instructions = request.system.find(({ kind }) => kind === 'instructions')?.text ?? '';
		return fixedTokens(instructions, request.tools);
	}

	/** Recall is needed once something is no longer sent whole. */
	tools(projection: Projection): readonly ToolSpec[] {
		if (projection.checkpoint) return this.toolsAfter;
		if (this.deps.models.refusesTools(this.#session.model)) return [];
		const messages = verbatim(projection);
		const sent = sentMessages(messages, this.#resultLimit);
		const hasCutResult = sent.some((message, index) => message !== messages[index]);
		return toolsFor({ hasCheckpoint: false, hasCutResult });
	}

	/** The tools a next request brings once there is a checkpoint. */
	get toolsAfter(): readonly ToolSpec[] {
		if (this.deps.models.refusesTools(this.#session.model)) return [];
		return toolsFor({ hasCheckpoint: true });
	}

	occupancy(projection: Projection, pending: ConversationMessage | null): Occupancy {
		return occupancyOf({
			instructions: this.#session.instructions,
			tools: this.tools(projection),
			projection,
			pending,
			provider: this.#session.model.provider,
			model: this.#session.model.model,
			estimator: this.estimator
		});
	}

	/** The exact next request: what is shown as "What the model sees" and what is sent. */
	request(
		projection: Projection,
		pending: ConversationMessage | null,
		capacity: Capacity
	): ModelRequest {
		return buildRequest({
			instructions: this.#session.instructions,
			tools: this.tools(projection),
			projection,
			pending,
			resultLimit: this.#resultLimit,
			maxOutputTokens: outputLimit(capacity, this.occupancy(projection, pending).tokens)
		});
	}

	/**
	 * Changes what is not the branch: title, model, instructions, template, draft. False when the session is gone for good. One
	 * that was deleted and can be brought back takes it: its row is there, and a draft harms nothing.
	 */
	async patch(patch: SessionPatch): Promise<boolean> {
		const session = await patchSession(this.deps.db, this.#session.id, patch);
		if (session) this.#session = { ...this.#session, ...patch };
		return session !== null;
	}

	/** Pins something, or takes its pin away. */
	async togglePin(pin: Pin): Promise<void> {
		if (this.#isGone) return;
		const session = await togglePin(this.deps.db, this.#session.id, pin);
		if (session) this.#session = { ...this.#session, pins: session.pins ?? [] };
	}

	/** Moves the leaf and shows the branch it ends. False, with a notice, when the branch was stale. */
	async move(leafId: MessageId | null, undone: MessageId | null = null): Promise<boolean> {
		return this.own(async () => {
			const expected = expectedOf(this.#session);
			const moved = await moveLeaf(this.deps.db, expected, leafId, Date.now(), undone);
			if (!moved) {
				this.notice = staleNotice;
				await this.reload();
				return false;
			}
			this.#session = moved;
			await this.branch.load(moved.leafId);
			return true;
		});
	}

	/** Takes the checkpoint that is the leaf off the branch, and remembers that. */
	undo(checkpoint: Message): Promise<boolean> {
		return this.move(checkpoint.parentId, checkpoint.id);
	}

	/** Reads the session and its branch again. */
	async reload(): Promise<void> {
		const session = await this.deps.db.sessions.get(this.#session.id);
		if (!session) {
			this.#isGone = true;
			return;
		}
		this.#session = session;
		await this.branch.load(session.leafId);
	}

	/** Runs a write of our own; what the live query says meanwhile is looked at once it is done. */
	async own<T>(write: () => Promise<T>): Promise<T> {
		this.#writes++;
		try {
			return await write();
		} finally {
			this.#writes--;
			if (this.#writes === 0) {
				const missed = this.#missed;
				this.#missed = null;
				missed?.();
			}
		}
	}

	/** Turns a storage failure into a sentence. What failed wrote nothing. */
	async guard<T>(work: () => Promise<T>): Promise<T | undefined> {
		try {
			return await work();
		} catch (error) {
			this.notice = storageNotice(error);
			return undefined;
		}
	}

	/** Follows the session's row in the database, whoever writes it. Returns how to stop. */
	watch(onChange: (session: Session, run: Run | null) => void): () => void {
		const onRow = (row: Session | null, run: Run | null) => {
			if (this.#writes > 0) {
				this.#missed = () => onRow(row, run);
				return;
			}
			if (!row) {
				this.#isGone = true;
				return;
			}
			const wasGone = this.#isGone;
			this.#isGone = false;
			// A live query can be behind a write of our own.
			if (!wasGone && row.branchRevision < this.#session.branchRevision) return;
			const isForeign = wasGone || row.branchRevision > this.#session.branchRevision;
			this.#session = row;
			if (!isForeign) return onChange(row, run);
			// The branch first: a run shown beside the answer it is to replace would be there twice.
			void this.guard(async () => {
				await this.branch.load(row.leafId);
				if (this.#session.branchRevision === row.branchRevision) onChange(row, run);
			});
		};
		return watchSession(this.deps.db, this.#session.id, onRow, (error) => {
			this.notice = storageNotice(error);
		});
	}
}
