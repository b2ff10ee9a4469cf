import type { PinnedText, TemplateName } from '../history/message';
import { capacityTable, type Capacity } from '../context/capacity';
import { estimateText } from '../context/estimate';
import type { Estimator } from '../context/measure';
import { checkpointBlock } from '../context/request';
import { templates } from './template';

/** Below this a summary has no room for its headings. Tokens. */
export const SUMMARY_TARGET_MIN = 160;
/** What eight sections need to hold more than one bullet each. Tokens. */
const SUMMARY_ROOMY = 800;
/** No summary is less than its headings and a line or two of text. Tokens. */
const LINES_LEAST = 40;

/** A quarter of the cap: a summary of a good length. */
export function quarterOf({ summaryCap }: Capacity): number {
	return Math.floor(capacityTable.summaryTargetShare * summaryCap);
}

/**
 * The length to ask for: a quarter of the cap, and in a small window up to `SUMMARY_ROOMY`, because a quarter there is one
 * bullet a section. A summary of little text must be little: never more than `most`. Rule C53.
 */
export function targetOf(capacity: Capacity, most: number): number {
	const cap = capacity.summaryCap;
	const quarter = capacityTable.summaryTargetShare * cap;
	const wished = Math.max(quarter, Math.min(SUMMARY_ROOMY, cap / 2));
	return Math.floor(Math.min(wished, Math.max(SUMMARY_TARGET_MIN, most)));
}

/** What the shortest summary of a template takes. Tokens. Rule C26. */
export function summaryLeast(template: TemplateName, estimator: Estimator): number {
	const headings = templates[template].map(({ heading }) => `## ${heading}\n\n—`).join('\n\n');
	return estimator.text(headings) + LINES_LEAST;
}

/**
 * A summary as it is held against a cap: by the larger of both measures, because the next request counts it calibrated,
 * and the passes of a summariser with another factor hold it beside a transcript. Tokens. Rules C64, C80.
 */
export function summarySize(summary: string, estimator: Estimator): number {
	return Math.max(estimateText(summary), estimator.text(summary));
}

/** What a request puts around any summary. Tokens. */
export function frameTokens(estimator: Estimator): number {
	return estimator.text(checkpointBlock('').text);
}

/** What pinned texts add to a checkpoint. Tokens. */
export function pinnedTokens(pinned: readonly PinnedText[], estimator: Estimator): number {
	if (pinned.length === 0) return 0;
	return estimator.text(checkpointBlock('', pinned).text) - frameTokens(estimator);
}
