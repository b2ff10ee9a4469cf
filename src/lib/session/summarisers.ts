import type { Capacity } from '$lib/context/capacity';
import type { Projection } from '$lib/context/projection';
import type { ModelRef } from '$lib/history/message';

/** A model that may write a summary. */
export interface SummariserChoice {
	readonly model: ModelRef;
	readonly capacity: Capacity;
	/** Its calibration. */
	readonly factor: number;
}

interface Deps {
	readonly models: {
		capacity(model: ModelRef, autoRatio: number): Capacity | null;
		factor(model: ModelRef): number;
	};
	readonly settings: {
		readonly values: { readonly summariser: ModelRef | null; readonly autoRatio: number };
	};
}

/**
 * Who writes the summary, first choice first: the model chosen for it in the settings; else, after a switch to a smaller
 * window, the model that gave the last answer, whose window holds what has to be read in one piece; else the session's
 * own. The second is asked only where the first is set up here, and the third also where the second failed.
 */
export function summarisersFor(
	deps: Deps,
	session: ModelRef,
	projection: Projection
): readonly SummariserChoice[] {
	const { summariser, autoRatio } = deps.settings.values;
	const choice = (model: ModelRef): SummariserChoice | null => {
		const capacity = deps.models.capacity(model, autoRatio);
		return capacity && { model, capacity, factor: deps.models.factor(model) };
	};
	const chosen = summariser && choice(summariser);
	if (chosen) return [chosen];
	const own = choice(session);
	if (!own) return [];
	const last = [...projection.tail, ...projection.later].findLast(
		(message) => message.role === 'assistant'
	)?.metadata.model;
	const isOther = last && (last.provider !== session.provider || last.model !== session.model);
	const old = isOther ? choice(last) : null;
	return old && old.capacity.window > own.capacity.window ? [old, own] : [own];
}
