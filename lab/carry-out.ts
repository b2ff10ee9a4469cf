import { createHash } from 'node:crypto';
import { compact, type CompactOutcome, type CompactPorts } from '../src/lib/compaction/compact';
import type { CompactPlan } from '../src/lib/compaction/plan';
import type { SummaryRequest } from '../src/lib/compaction/prompt';
import { inBatches } from '../src/lib/compaction/batches';
import { openTranscript } from '../src/lib/compaction/transcript';
import type { ModelRef } from '../src/lib/history/message';
import { commitTo } from './commit';
import { fileTexts } from './file-texts';
import type { Reply, Workbench } from './workbench';
import type { World } from './world';

export interface Carried<Failure> {
	readonly outcome: CompactOutcome<Failure>;
	/** With the checkpoint, where one was committed; else as it was. */
	readonly bench: Workbench;
}

export interface CarryOptions<Failure> {
	readonly bench: Workbench;
	readonly plan: CompactPlan;
	/** Who writes the summary, by name. Its window is the one the plan was made for. */
	readonly model: ModelRef;
	readonly world: World;
	/** @param pass counts from 1 */
	readonly summarise: (
		request: SummaryRequest,
		pass: number,
		signal: AbortSignal
	) => ReturnType<CompactPorts<Failure>['summarise']>;
	readonly onPasses?: (passes: number) => void;
	/** When the checkpoint is said to be made. Default: now. Epoch milliseconds. */
	readonly at?: number;
}

/** Carries a plan out over the working file: the app's own `compact`, with a file in place of the database. */
export async function carryOut<Failure>(options: CarryOptions<Failure>): Promise<Carried<Failure>> {
	const { plan, world, summarise } = options;
	let bench = options.bench;
	let pass = 0;
	const outcome = await compact<Failure>(plan, {
		read: async (messages, read) => {
			const files = fileTexts(bench);
			if (options.onPasses) {
				const ahead = openTranscript(inBatches(messages, files), read);
				let passes = 0;
				while (await ahead.next()) passes++;
				// A refresh has nothing to read, and is one pass all the same.
				options.onPasses(Math.max(1, passes));
			}
			return openTranscript(inBatches(messages, files), read);
		},
		summarise: (request, signal) => summarise(request, pass, signal),
		commit: async (checkpoint) => {
			const committed = commitTo(bench, checkpoint, world.newId(), options.at ?? world.now());
			bench = committed.bench;
			return { kind: 'committed', message: committed.message };
		},
		sha256: async (text) => createHash('sha256').update(text).digest('hex'),
		now: () => world.now(),
		onProgress: (progress) => (pass = progress.pass),
		signal: new AbortController().signal,
		model: options.model,
		summariser: plan.capacity,
		summariserFactor: 1
	});
	return { outcome, bench };
}

/** Where the answers given so far lead. */
export type Step =
	/** The next pass, which nobody has answered. */
	| {
			readonly kind: 'asks';
			readonly request: SummaryRequest;
			readonly pass: number;
			readonly passes: number;
	  }
	| ({ readonly kind: 'ended'; readonly passes: number } & Carried<never>);

/** Ends a compaction at the pass that nobody has answered. */
class Unanswered extends Error {
	constructor(
		readonly request: SummaryRequest,
		readonly pass: number
	) {
		super('This pass is not answered yet.');
	}
}

/**
 * Plays a compaction again with the answers there are. Nothing of a half-done compaction is kept but those: the code that
 * asked is asked again, so pass by pass and in one go are the same by construction. The core repairs once; where it asks
 * for a pass again it is told the same again, and so says what is wrong with it.
 */
export async function replies(
	options: Omit<CarryOptions<never>, 'summarise' | 'onPasses'>,
	given: readonly Reply[]
): Promise<Step> {
	let passes = 0;
	try {
		const carried = await carryOut<never>({
			...options,
			onPasses: (count) => (passes = count),
			summarise: async (request, pass) => {
				const reply = given[pass - 1];
				if (!reply) throw new Unanswered(request, pass);
				return {
					kind: 'answer',
					answer: { ...reply, usage: null, hadReasoningOnly: false, hadToolCall: false }
				};
			}
		});
		return { kind: 'ended', passes, ...carried };
	} catch (error) {
		if (!(error instanceof Unanswered)) throw error;
		return { kind: 'asks', request: error.request, pass: error.pass, passes };
	}
}
