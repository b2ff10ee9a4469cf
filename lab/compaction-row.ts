import { estimateText } from '../src/lib/context/estimate';
import type { CheckpointMessage, Trigger } from '../src/lib/history/message';
import { figure, table } from './words';

/** One compaction as a line of a table. Tokens, milliseconds. */
export interface CompactionRow {
	readonly compaction: number;
	readonly trigger: Trigger;
	readonly turn: number;
	readonly covered: number;
	readonly passes: number;
	readonly before: number;
	readonly after: number;
	readonly summary: number;
	readonly kept: number;
	readonly found: number;
	readonly ms: number;
}

/** @param turn turns of the branch at that time */
export function rowOf(
	compaction: number,
	turn: number,
	passes: number,
	message: CheckpointMessage
): CompactionRow {
	const { checkpoint } = message;
	return {
		compaction,
		trigger: checkpoint.trigger,
		turn,
		covered: checkpoint.coveredMessageCount,
		passes,
		before: checkpoint.tokensBefore,
		after: checkpoint.tokensAfter,
		summary: estimateText(checkpoint.summary),
		kept: checkpoint.references.filter((reference) => reference.kept).length,
		found: checkpoint.references.length,
		ms: checkpoint.durationMs
	};
}

export function rowsAsTable(rows: readonly CompactionRow[]): string {
	return table(
		[
			'compaction',
			'after turn',
			'covered',
			'passes',
			'before → after',
			'summary',
			'kept/found',
			'ms'
		],
		rows.map((row) => [
			`${row.compaction} ${row.trigger}`,
			figure(row.turn),
			figure(row.covered),
			figure(row.passes),
			`${figure(row.before)} → ${figure(row.after)}`,
			figure(row.summary),
			`${figure(row.kept)}/${figure(row.found)}`,
			figure(row.ms)
		])
	);
}
