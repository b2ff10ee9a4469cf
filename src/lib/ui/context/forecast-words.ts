import type { CompactionForecast } from '$lib/session/view';

type Reason = Extract<CompactionForecast, { kind: 'noop' }>['reason'];

/** Why a compaction by hand would do nothing now. */
export const noopWords: Record<Reason, string> = {
	empty: 'There is nothing to compact yet.',
	'one-turn': 'There is one turn only: a checkpoint covers earlier turns and keeps the last.',
	'checkpoint-is-leaf': 'The newest message is a checkpoint already.',
	'below-threshold': 'The context is well below its limit.',
	'cannot-advance': 'Everything that could be summarised already is.',
	'gain-too-small': 'A checkpoint would free too little to be worth it.',
	'pins-do-not-fit': 'What is pinned does not fit beside what must stay. Unpin something first.',
	unstable: 'An answer is still open. Compact once it has ended.',
	'cannot-fit': 'The instructions and tools alone are larger than this model takes.',
	'no-room':
		'The window of the model that would write the summary is too small for it. Choose another in Settings, or correct its window there.'
};
