import { compact, type CompactOutcome, type Progress } from '$lib/compaction/compact';
import type { CompactPlan } from '$lib/compaction/plan';
import type { Capacity } from '$lib/context/capacity';
import type { ModelRef } from '$lib/history/message';
import type { Session } from '$lib/history/session';
import type { Failure } from '$lib/models/failure';
import type { ProviderConfig } from '$lib/models/provider';
import { commitCheckpoint } from '$lib/storage/commit-checkpoint';
import type { HiloDatabase } from '$lib/storage/database';
import { expectedOf } from '$lib/storage/expected';
import type { Compute } from '$lib/worker/client';
import { newId } from './ids';

export interface CompactingOptions {
	readonly db: HiloDatabase;
	readonly worker: Compute;
	/** The session as it was when the plan was made: the checkpoint commits only onto exactly this branch. */
	readonly session: Session;
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
	const expected = expectedOf(options.session);
	const { summarise } = await import('$lib/models/summarise');
	let session: Session | null = null;
	let isCommitting = false;
	const finished = compact<Failure>(plan, {
		read: (messages, options) => worker.read(messages, options),
		summarise: async (request, signal) => {
			const { failure, ...answer } = await summarise({ provider, model, ...request, signal });
			return failure ? { kind: 'failed', failure } : { kind: 'answer', answer };
		},
		commit: async (checkpoint, signal) => {
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
