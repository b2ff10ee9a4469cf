import type { CompactOutcome } from '$lib/compaction/compact';
import { planCompaction, type CompactPlan, type NoopReason } from '$lib/compaction/plan';
import type { Capacity } from '$lib/context/capacity';
import type { Projection } from '$lib/context/projection';
import type { ConversationMessage, ModelRef, Trigger } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import type { Failure } from '$lib/models/failure';
import { runCompaction } from './compacting';
import {
	cancelledNotice,
	failureNotice,
	missingModelNotice,
	noRoomNotice,
	rejectionNotice,
	restingNotice,
	staleNotice
} from './notices';
import type { Thread } from './thread.svelte';
import type { CompactionView } from './view';

/** How a compaction ended, as far as whoever waits for it must know. Why it did not commit stands in the notice. */
export type Compacted =
	| { readonly kind: 'committed' }
	| { readonly kind: 'noop'; readonly reason: NoopReason }
	| { readonly kind: 'not-committed' };

/** What a compaction is asked for. */
export interface CompactionWish {
	readonly trigger: Trigger;
	/** The message waiting to be sent, which is never part of the summary. */
	readonly pending?: ConversationMessage | null;
	readonly focus?: string;
	/** No run is open. */
	readonly stable: boolean;
	/** The branch to plan for, where it is not the one on screen. */
	readonly projection?: Projection;
	/** Moves to that branch once there is a plan. False: it changed meanwhile, and a notice says so. */
	readonly arrive?: () => Promise<boolean>;
}

/** After three failures in a row automatic triggers rest, until one succeeds, the user asks, or the model changes. */
const FAILURES_MAX = 3;

/** The one compaction of a conversation: planned, run, cancelled, explained. */
export class Compactor {
	#view = $state.raw<CompactionView | null>(null);
	#current = $state.raw<Promise<Compacted> | null>(null);
	#stop: AbortController | null = null;
	#failures = 0;
	#failedModel: ModelRef | null = null;
	readonly #thread: Thread;

	constructor(thread: Thread) {
		this.#thread = thread;
	}

	get view(): CompactionView | null {
		return this.#view;
	}

	/** The compaction under way, for whoever must wait for it. */
	get current(): Promise<Compacted> | null {
		return this.#current;
	}

	/** Compacts. While one is under way, that one is the answer. */
	async compact(wish: CompactionWish): Promise<Compacted> {
		if (this.#current) return this.#current;
		this.#current = this.#plan(wish);
		try {
			return await this.#current;
		} finally {
			this.#current = null;
			this.#view = null;
			this.#stop = null;
		}
	}

	cancel(): void {
		if (this.#view) this.#view = { ...this.#view, phase: 'cancelling' };
		this.#stop?.abort();
	}

	async #plan(wish: CompactionWish): Promise<Compacted> {
		const thread = this.#thread;
		const { session, branch } = thread;
		if (this.#rests(wish.trigger)) {
			if (wish.trigger === 'preflight') thread.notice = restingNotice;
			return { kind: 'not-committed' };
		}
		const projection = wish.projection ?? (await branch.ready());
		const { capacity } = thread;
		if (!capacity) {
			if (wish.trigger !== 'auto') thread.notice = missingModelNotice;
			return { kind: 'not-committed' };
		}
		const focus = wish.focus?.trim();
		const plan = planCompaction({
			trigger: wish.trigger,
			projection,
			pending: wish.pending ?? null,
			instructions: session.instructions,
			tools: thread.tools(projection),
			toolsAfter: thread.toolsAfter,
			capacity,
			provider: session.model.provider,
			template: session.template,
			stable: wish.stable,
			measure: branch.measure,
			...(focus ? { focus } : {})
		});
		if (plan.kind === 'noop') return plan;
		if (wish.arrive && !(await wish.arrive())) return { kind: 'not-committed' };
		return this.#run(plan, thread.session, capacity);
	}

	async #run(plan: CompactPlan, session: Session, capacity: Capacity): Promise<Compacted> {
		const thread = this.#thread;
		const { db, worker, models } = thread.deps;
		const provider = await models.provider(session.model);
		if (!provider) {
			thread.notice = missingModelNotice;
			return { kind: 'not-committed' };
		}
		const stop = new AbortController();
		this.#stop = stop;
		const view = {
			trigger: plan.trigger,
			coveredMessageCount: plan.boundary.covered.length,
			startedAt: Date.now()
		};
		this.#view = { ...view, phase: 'reading', pass: 0, passes: 0 };
		const { outcome, session: after } = await thread.own(() =>
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
					if (!stop.signal.aborted) this.#view = { ...view, ...progress };
				}
			})
		);
		if (outcome.kind !== 'committed') {
			await this.#explain(outcome, plan.trigger);
			return { kind: 'not-committed' };
		}
		if (after) thread.follow(after);
		this.#failures = 0;
		await thread.branch.append(outcome.message);
		return { kind: 'committed' };
	}

	async #explain(
		outcome: Exclude<CompactOutcome<Failure>, { kind: 'committed' }>,
		trigger: Trigger
	): Promise<void> {
		const thread = this.#thread;
		switch (outcome.kind) {
			case 'stale':
				// The branch moved on by itself: an automatic summary of what it was is nobody's concern.
				if (trigger !== 'auto') thread.notice = staleNotice;
				return thread.reload();
			case 'cancelled':
				thread.notice = cancelledNotice;
				return;
			case 'rejected':
				thread.notice = rejectionNotice(outcome.rejection);
				break;
			case 'failed':
				thread.notice = failureNotice(
					outcome.failure,
					'No checkpoint was written; the conversation is as it was.',
					['compact', 'settings', 'dismiss']
				);
				break;
			case 'no-room':
				thread.notice = noRoomNotice;
		}
		this.#failures++;
		this.#failedModel = thread.session.model;
	}

	#rests(trigger: Trigger): boolean {
		const { provider, model } = this.#thread.session.model;
		const isSame = this.#failedModel?.provider === provider && this.#failedModel.model === model;
		if (trigger === 'manual' || !isSame) this.#failures = 0;
		return this.#failures >= FAILURES_MAX;
	}
}
