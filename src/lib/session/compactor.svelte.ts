import type { CompactOutcome, Progress } from '$lib/compaction/compact';
import {
	planCompaction,
	type CompactPlan,
	type Noop,
	type Plan,
	type PlanInput
} from '$lib/compaction/plan';
import { leafOf, type Projection } from '$lib/context/projection';
import type { ConversationMessage, MessageId, ModelRef, Trigger } from '$lib/history/message';
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

/** A plan, and the branch it was made for. */
interface Planned {
	readonly plan: CompactPlan;
	readonly session: Session;
	readonly leafId: MessageId | null;
}

/** After three failures in a row automatic triggers rest, until one succeeds, the user asks, or the model changes. */
const FAILURES_MAX = 3;

/** The one compaction of a conversation: planned, run, cancelled, explained. */
export class Compactor {
	#view = $state.raw<CompactionView | null>(null);
	#current = $state.raw<Promise<Compacted> | null>(null);
	#stop: AbortController | null = null;
	readonly #thread: Thread;
	readonly #closed: AbortSignal;

	/** @param closed aborted when the conversation is let go */
	constructor(thread: Thread, closed: AbortSignal) {
		this.#thread = thread;
		this.#closed = closed;
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
		this.#stop = new AbortController();
		this.#current = this.#plan(wish, AbortSignal.any([this.#stop.signal, this.#closed]));
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

	async #plan(wish: CompactionWish, signal: AbortSignal): Promise<Compacted> {
		const thread = this.#thread;
		const { session, deps } = thread;
		const projection = wish.projection ?? (await thread.branch.ready());
		const summarisers = summarisersFor(deps, session.model, projection);
		if (this.#rests(wish.trigger, summarisers)) {
			if (wish.trigger === 'preflight') thread.notice = restingNotice;
			return { kind: 'not-committed' };
		}
		const plan = await this.planFor(wish, projection);
		if (signal.aborted) return { kind: 'not-committed' };
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
		const branch = { plan, session: thread.session, leafId: leafOf(projection) };
		return this.#run(branch, summarisers, signal);
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
		const input: PlanInput = {
			trigger: wish.trigger,
			projection,
			pending: wish.pending ?? null,
			instructions: session.instructions,
			tools: thread.tools(projection),
			toolsAfter: thread.toolsAfter,
			capacity,
			provider: session.model.provider,
			model: session.model.model,
			template: session.template,
			stable: wish.stable,
			estimator: thread.estimator,
			...(focus ? { focus } : {})
		};
		// Pins only leave less room: where there is nothing to do without them, they need not be read.
		const plan = planCompaction(input);
		if (plan.kind === 'noop' || !session.pins?.length) return plan;
		return planCompaction({
			...input,
			pins: await pinnedTexts(deps.db, session, {
				leafId: leafOf(projection),
				previous: projection.checkpoint
			})
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

	/** Has a plan carried out by the first of `summarisers`; where that one gives no summary, by the next. */
	async #run(
		planned: Planned,
		summarisers: readonly SummariserChoice[],
		signal: AbortSignal
	): Promise<Compacted> {
		const thread = this.#thread;
		let outcome: CompactOutcome<Failure> | null = null;
		let asked = planned.session.model;
		for (const summariser of summarisers) {
			if (outcome && !isForTheNext(outcome)) break;
			const provider = await thread.deps.models.provider(summariser.model);
			if (!provider) continue;
			asked = summariser.model;
			try {
				outcome = await this.#runWith(planned, summariser, provider, signal);
			} catch (error) {
				await this.#count(asked);
				throw error;
			}
			// A refusal for length teaches the next attempt, also of a model that only summarises (case 26).
			const limit = outcome.kind === 'failed' ? outcome.failure.limitTokens : undefined;
			if (limit) await thread.deps.models.learn(summariser.model, { learntWindow: limit });
		}
		if (!outcome) {
			thread.notice = missingModelNotice;
			return { kind: 'not-committed' };
		}
		if (outcome.kind !== 'committed') {
			await this.#explain(outcome, planned.plan.trigger, asked);
			return { kind: 'not-committed' };
		}
		// First what the next request is made of, then what is only remembered.
		await thread.branch.append(outcome.message);
		if (planned.session.failures) await thread.patch({ failures: null });
		return { kind: 'committed' };
	}

	async #runWith(
		{ plan, session, leafId }: Planned,
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
		const pinsNow = async () => {
			const row = await db.sessions.get(session.id);
			return pinnedTexts(db, row ?? session, { leafId, previous: plan.previous });
		};
		return thread.own(async () => {
			const { outcome, session: after } = await runCompaction({
				db,
				worker,
				session,
				leafId,
				pinsNow,
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
		await this.#count(asked);
	}

	/** One more failure of a model in a row. */
	async #count(asked: ModelRef): Promise<void> {
		const thread = this.#thread;
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

/** Whether another model may do better. */
function isForTheNext({ kind }: CompactOutcome<Failure>): boolean {
	return kind === 'failed' || kind === 'rejected' || kind === 'no-room';
}

function sameModel(a: ModelRef, b: ModelRef): boolean {
	return a.provider === b.provider && a.model === b.model;
}
