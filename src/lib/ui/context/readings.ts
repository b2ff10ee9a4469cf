import type { Capacity } from '$lib/context/capacity';
import type { ContextParts, ContextReading } from '$lib/session/view';

/** The parts in the order in which the model receives them. */
export const partNames: readonly { readonly key: keyof ContextParts; readonly label: string }[] = [
	{ key: 'instructions', label: 'Instructions' },
	{ key: 'tools', label: 'Tools' },
	{ key: 'checkpoint', label: 'Checkpoint' },
	{ key: 'tail', label: 'Tail, word for word' },
	{ key: 'later', label: 'Later messages' },
	{ key: 'pending', label: 'What you are writing' }
];

export const sourceWords: Record<ContextReading['source'], string> = {
	estimated: 'estimated',
	reported: 'reported + estimated'
};

export const windowWords: Record<Capacity['windowSource'], string> = {
	known: 'known',
	assumed: 'assumed: this model’s window is not known',
	learnt: 'learnt from a refusal of the provider'
};

/** How full it is, in the words of the coil. */
export function stateOf(reading: ContextReading): 'calm' | 'near' | 'over' {
	const { occupancy, capacity } = reading;
	if (occupancy > capacity.safeLimit) return 'over';
	return occupancy > capacity.autoThreshold ? 'near' : 'calm';
}

/** Occupancy as a share of the safe limit, 0..∞. */
export const shareOf = ({ occupancy, capacity }: ContextReading) =>
	capacity.safeLimit > 0 ? occupancy / capacity.safeLimit : 1;
