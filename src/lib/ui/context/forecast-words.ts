import type { NoopReason } from '$lib/compaction/plan';

/** Why a compaction by hand would do nothing now. */
export const noopWords: Record<NoopReason, string> = {
	empty: 'There is nothing to compact yet.',
	'one-turn': 'There is one turn only: a checkpoint covers earlier turns and keeps the last.',
	'checkpoint-is-leaf': 'The newest message is a checkpoint already.',
	'below-threshold': 'The context is well below its limit.',
	'cannot-advance': 'Everything that could be summarised already is.',
	'gain-too-small': 'A checkpoint would free too little to be worth it.',
	'pins-do-not-fit': 'What is pinned does not fit beside what must stay. Unpin something first.',
	unstable: 'An answer is still open. Compact once it has ended.',
	'cannot-fit': 'The instructions and tools alone are larger than this model takes.'
};
