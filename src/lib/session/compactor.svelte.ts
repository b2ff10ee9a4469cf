import type { CompactOutcome, Progress } from '$lib/compaction/compact';
import { planCompaction, type CompactPlan, type Noop, type Plan } from '$lib/compaction/plan';
import type { Projection } from '$lib/context/projection';
import type { ConversationMessage, ModelRef, Trigger } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import type { Failure } from '$lib/models/failure';
import type { ProviderConfig } from '$lib/models/provider';
import { runCompaction } from './compacting';
import { forecastOf } from './forecast';
import {
	cancelledNotice,
	failureNotice,
	missingModelNotice,
	noRoomNotice,
	pinsNotice,
	rejectionNotice,
	restingNotice,
	staleNotice
} from './notices';
import { pinnedTexts } from './pins';
import { summarisersFor, type SummariserChoice } from './summarisers';
import type { Thread } from './thread.svelte';
import type { CompactionForecast, CompactionView } from './view';

/** How a compaction ended, as far as whoever waits for it must know. Why it did not commit stands in the notice. */
export type Compacted = { readonly kind: 'committed' } | Noop | { readonly kind: 'not-committed' };

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
		const { session, branch, deps } = thread;
		const projection = wish.projection ?? (await branch.ready());
		const summarisers = summarisersFor(deps, session.model, projection);
		if (this.#rests(wish.trigger, summarisers)) {
			if (wish.trigger === 'preflight') thread.notice = restingNotice;
			return { kind: 'not-committed' };
		}
		const plan = await this.planFor(wish, projection);
		if (!plan || summarisers.length === 0) {
			if (wish.trigger !== 'auto') thread.notice = missingModelNotice;
			return { kind: 'not-committed' };
		}
		if (plan.kind === 'noop') {
			if (plan.reason === 'pins-do-not-fit' && wish.trigger !== 'manual') {
				thread.notice = pinsNotice(plan);
			}
			return plan;
		}
		if (wish.arrive && !(await wish.arrive())) return { kind: 'not-committed' };
		return this.#run(plan, thread.session, summarisers);
	}

	/** What a compaction would do, without doing it. Null when the session's model is not set up here. */
	async planFor(
		wish: Omit<CompactionWish, 'arrive'>,
		projection: Projection
	): Promise<Plan | null> {
		const thread = this.#thread;
		const { session, capacity, deps } = thread;
		if (!capacity) return null;
		const focus = wish.focus?.trim();
		const messages = [...projection.tail, ...projection.later];
		const leafId = messages.at(-1)?.id ?? projection.checkpoint?.id ?? null;
		return planCompaction({
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
			estimator: thread.estimator,
			pins: await pinnedTexts(deps.db, session, leafId),
			...(focus ? { focus } : {})
		});
	}

	/** What a compaction by hand would do now, for whoever wants to know before. Null without a model. */
	async forecast(stable: boolean): Promise<CompactionForecast | null> {
		const { branch, deps, session } = this.#thread;
		const projection = await branch.ready();
		const plan = await this.planFor({ trigger: 'manual', stable }, projection);
		const summariser = summarisersFor(deps, session.model, projection)[0];
		if (!plan || !summariser) return null;
		if (plan.kind === 'noop') return { kind: 'noop', reason: plan.reason };
		return forecastOf(plan, summariser, session.model, (model) => deps.models.price(model));
	}

	/** Has the plan carried out by the first of `summarisers`; where its provider fails, by the next. */
	async #run(
		plan: CompactPlan,
		session: Session,
		summarisers: readonly SummariserChoice[]
	): Promise<Compacted> {
		const thread = this.#thread;
		const stop = new AbortController();
		this.#stop = stop;
		let outcome: CompactOutcome<Failure> | null = null;
		let asked = session.model;
		for (const summariser of summarisers) {
			if (outcome && (outcome.kind !== 'failed' || stop.signal.aborted)) break;
			const provider = await thread.deps.models.provider(summariser.model);
			if (!provider) continue;
			asked = summariser.model;
			outcome = await this.#runWith(plan, session, summariser, provider, stop.signal);
			// A refusal for length teaches the next attempt, also of a model that only summarises (case 26).
			const limit = outcome.kind === 'failed' ? outcome.failure.limitTokens : undefined;
			if (limit) await thread.deps.models.learn(summariser.model, { learntWindow: limit });
		}
		if (!outcome) {
			thread.notice = missingModelNotice;
			return { kind: 'not-committed' };
		}
		if (outcome.kind !== 'committed') {
			await this.#explain(outcome, plan.trigger, asked);
			return { kind: 'not-committed' };
		}
		if (session.failures) await thread.patch({ failures: null });
		await thread.branch.append(outcome.message);
		return { kind: 'committed' };
	}

	async #runWith(
		plan: CompactPlan,
		session: Session,
		{ model, capacity, factor }: SummariserChoice,
		provider: ProviderConfig,
		signal: AbortSignal
	): Promise<CompactOutcome<Failure>> {
		const thread = this.#thread;
		const { db, worker } = thread.deps;
		const view = {
			trigger: plan.trigger,
			coveredMessageCount: plan.boundary.covered.length,
			startedAt: Date.now(),
			model
		};
		this.#view = { ...view, phase: 'reading', pass: 0, passes: 0 };
		const onProgress = (progress: Progress) => {
			if (!signal.aborted) this.#view = { ...view, ...progress };
		};
		return thread.own(async () => {
			const { outcome, session: after } = await runCompaction({
				db,
				worker,
				session,
				plan,
				provider,
				model,
				capacity,
				factor,
				signal,
				onProgress
			});
			if (after) thread.follow(after);
			return outcome;
		});
	}

	async #explain(
		outcome: Exclude<CompactOutcome<Failure>, { kind: 'committed' }>,
		trigger: Trigger,
		asked: ModelRef
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
					sameModel(asked, thread.session.model)
						? 'No checkpoint was written; the conversation is as it was.'
						: `The summary was asked of ${asked.model}. No checkpoint was written; the conversation is as it was.`,
					['compact', 'settings', 'dismiss']
				);
				break;
			case 'no-room':
				thread.notice = noRoomNotice;
		}
		const before = thread.session.failures;
		const isSame = before && sameModel(before.model, asked);
		await thread.patch({ failures: { count: (isSame ? before.count : 0) + 1, model: asked } });
	}

	/** Kept with the session, so that a reload does not begin the count again. */
	#rests(trigger: Trigger, summarisers: readonly SummariserChoice[]): boolean {
		const { failures } = this.#thread.session;
		if (!failures || trigger === 'manual' || failures.count < FAILURES_MAX) return false;
		const last = summarisers.at(-1);
		return last !== undefined && sameModel(failures.model, last.model);
	}
}

function sameModel(a: ModelRef, b: ModelRef): boolean {
	return a.provider === b.provider && a.model === b.model;
}
