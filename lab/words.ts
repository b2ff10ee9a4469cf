import type { CompactOutcome } from '../src/lib/compaction/compact';
import type { NoopReason } from '../src/lib/compaction/plan';
import type { Failure } from '../src/lib/models/failure';

/** Why nothing is compacted, as a sentence. */
export const noops: Readonly<Record<NoopReason, string>> = {
	empty: 'The session is empty.',
	'one-turn': 'There is one turn only; a checkpoint needs an earlier part.',
	'checkpoint-is-leaf': 'Nothing came after the newest checkpoint.',
	'below-threshold': 'The next request is below the limit at which this trigger compacts.',
	'cannot-advance': 'What must stay verbatim leaves nothing to summarise.',
	'gain-too-small': 'A summary would free too little.',
	unstable: 'A run is open.',
	'cannot-fit': 'Instructions and tools alone are over the safe limit.',
	'pins-do-not-fit': 'What is pinned does not fit beside what must stay.'
};

/** Why a compaction wrote nothing, as a sentence. */
export function whyNot(
	outcome: Exclude<CompactOutcome<Failure>, { readonly kind: 'committed' }>
): string {
	switch (outcome.kind) {
		case 'rejected':
			return `Rejected (${outcome.rejection.reason}): ${outcome.rejection.sentence}`;
		case 'failed':
			return `The model failed: ${outcome.failure.title}`;
		case 'no-room':
			return 'The window holds not even one pass of a summary.';
		case 'stale':
		case 'cancelled':
			return `The compaction was ${outcome.kind}.`;
	}
}

/** 12,345 */
export const figure = (value: number): string => value.toLocaleString('en-GB');

/** One of something, or several. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
	`${figure(count)} ${count === 1 ? one : many}`;

/** Columns set to the right, the first to the left. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const all = [head, ...rows];
	const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
	return all
		.map((row) =>
			widths
				.map((width, column) => {
					const cell = row[column] ?? '';
					return column === 0 ? cell.padEnd(width) : cell.padStart(width);
				})
				.join('  ')
				.trimEnd()
		)
		.join('\n');
}

/** The beginning of a text, on one line and without what would steer a terminal. Characters. */
export function beginning(text: string, length = 60): string {
	const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
	return line.length <= length ? line : `${line.slice(0, length).toWellFormed()}…`;
}
