import { limits } from './limits';
import type { ImportSkip } from './result';

/** A list of findings that stays readable: the first ones in full, the rest as a number. */
export interface Findings {
	add(what: string, why: string): void;
	all(): ImportSkip[];
}

export function findings(): Findings {
	const first: ImportSkip[] = [];
	let more = 0;
	return {
		add(what, why) {
			if (first.length < limits.findings) first.push({ what, why });
			else more++;
		},
		all: () => (more ? [...first, { what: `${more} more`, why: 'of the same kinds' }] : first)
	};
}
