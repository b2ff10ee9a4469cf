import { compact, type CompactOutcome, type Progress } from '$lib/compaction/compact';
import { pinnedBeside, type CompactPlan } from '$lib/compaction/plan';
import { pinnedTokens } from '$lib/compaction/summary-size';
import type { Capacity } from '$lib/context/capacity';
import type { Checkpoint, MessageId, ModelRef, PinnedText } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import type { Failure } from '$lib/models/failure';
import type { ProviderConfig } from '$lib/models/provider';
import { commitCheckpoint } from '$lib/storage/commit-checkpoint';
import type { HiloDatabase } from '$lib/storage/database';
import { expectedOf } from '$lib/storage/expected';
import type { Compute } from '$lib/worker/client';
import { fileTexts } from './file-texts';
import { newId } from './ids';

export interface CompactingOptions {
	readonly db: HiloDatabase;
	readonly worker: Compute;
	readonly session: Session;
	/** The leaf of the branch that was planned for: the checkpoint commits only onto exactly this one (case 42). */
	readonly leafId: MessageId | null;
	/** What is pinned on that branch when the summary is there: pins may have come or gone meanwhile. */
	readonly pinsNow: () => Promise<readonly PinnedText[]>;
	readonly plan: CompactPlan;
	readonly provider: ProviderConfig;
	readonly model: ModelRef;
	/** Of the model that writes the summary. */
	readonly capacity: Capacity;
	readonly factor: number;
	readonly signal: AbortSignal;
	readonly onProgress: (progress: Progress) => void;
}

/** Runs a plan with the real ports. `session` is the row after a commit. */
export async function runCompaction(
	options: CompactingOptions
): Promise<{ readonly outcome: CompactOutcome<Failure>; readonly session: Session | null }> {
	const { db, worker, plan, provider, model, signal } = options;
	const expected = { ...expectedOf(options.session), leafId: options.leafId };
	const { summarise } = await import('$lib/models/summarise');
	let session: Session | null = null;
	let isCommitting = false;
	const finished = compact<Failure>(plan, {
		read: (messages, options) => worker.read(messages, options, fileTexts(db)),
		summarise: async (request, signal) => {
			const { failure, ...answer } = await summarise({ provider, model, ...request, signal });
			return failure ? { kind: 'failed', failure } : { kind: 'answer', answer };
		},
		commit: async (written, signal) => {
			const checkpoint = withPins(written, plan, await options.pinsNow());
			if (!checkpoint) return { kind: 'stale' };
			isCommitting = true;
			const id = newId.message();
			const committed = await commitCheckpoint(db, expected, checkpoint, id, Date.now(), signal);
			if (committed.kind === 'committed') session = committed.session;
			return committed;
		},
		sha256,
		now: Date.now,
		onProgress: options.onProgress,
		signal,
		model,
		summariser: options.capacity,
		summariserFactor: options.factor
	});
	// Cancel is at once: what is still under way cannot commit, because the commit asks the same signal. Only a commit that
	// has begun is waited for: whether it was in time is the transaction's to say.
	finished.catch(() => undefined);
	const first = await Promise.race([finished, cancelled(signal)]);
	const outcome = first.kind === 'cancelled' && isCommitting ? await finished : first;
	return { outcome, session };
}

/** The checkpoint with what is pinned now. Null where that does not fit beside its summary any more. Rule C120. */
function withPins(
	checkpoint: Checkpoint,
	plan: CompactPlan,
	pins: readonly PinnedText[]
): Checkpoint | null {
	const pinned = pinnedBeside(plan.boundary, pins);
	const tokens = pinnedTokens(pinned, plan.estimator) - plan.pinnedTokens;
	const tokensAfter = checkpoint.tokensAfter + tokens;
	if (tokens > 0 && tokensAfter > plan.capacity.safeLimit) return null;
	const { pinned: _, ...rest } = checkpoint;
	return { ...rest, tokensAfter, ...(pinned.length === 0 ? {} : { pinned }) };
}

function cancelled(signal: AbortSignal): Promise<{ readonly kind: 'cancelled' }> {
	return new Promise((resolve) => {
		if (signal.aborted) return resolve({ kind: 'cancelled' });
		signal.addEventListener('abort', () => resolve({ kind: 'cancelled' }), { once: true });
	});
}

async function sha256(text: string): Promise<string> {
	const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
	return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
