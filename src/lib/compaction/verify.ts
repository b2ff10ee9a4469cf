import type { Finish, TemplateName, Usage } from '../history/message';
import { estimateText } from '../context/estimate';
import { uncalibrated, type Estimator } from '../context/measure';
import {
	isOpenReasoning,
	looksLikeEcho,
	looksLikeToolCall,
	saysNothing,
	summaryText
} from './answer';
import type { SummaryRequest } from './prompt';
import { summarySize } from './summary-size';
import { headingOf, missingSections, templates } from './template';

/** What a summariser answered. */
export interface SummaryAnswer {
	readonly text: string;
	readonly finish: Finish;
	readonly usage: Usage | null;
	/** The model only reasoned, or called a tool, instead of writing. */
	readonly hadReasoningOnly: boolean;
	readonly hadToolCall: boolean;
}

/** Why a summary cannot be committed. */
export type RejectionReason =
	| 'unread'
	| 'empty'
	| 'reasoning'
	| 'tool-call'
	| 'length'
	| 'content-filter'
	| 'ended'
	| 'missing-sections'
	| 'echo'
	| 'over-cap'
	| 'over-section'
	| 'no-gain'
	| 'over-limit';

export interface Rejection {
	readonly reason: RejectionReason;
	/** A sentence the user can read; also told to the model in the repair pass, where there is one. */
	readonly sentence: string;
}

/** One section may take at most this share of the cap: a summary that grows, grows in one place (case 17). */
const SECTION_SHARE = 0.6;

/** Below so many tokens a prompt says too little about a server that cuts what is too long. */
const PROMPT_LEAST = 1000;
/** No tokenizer makes less than this share of our estimate (C10). */
const READ_SHARE = 0.5;

/**
 * Checks that the server read what it was asked: some cut a prompt to a window of their own and say nothing. Null where
 * it did, or where no report tells. Rule C67.
 */
export function verifyRead(
	request: Pick<SummaryRequest, 'system' | 'prompt'>,
	usage: Usage | null
): Rejection | null {
	const sent = estimateText(request.system) + estimateText(request.prompt);
	const read = usage ? inputOf(usage) : 0;
	if (read <= 0 || sent < PROMPT_LEAST || read >= READ_SHARE * sent) return null;
	return {
		reason: 'unread',
		sentence: `The server read ${read} tokens of about ${sent}: it cut the rest. Set the window of this model to the one its server gives it.`
	};
}

/** A report's input. More cached than input: it counts them apart (C16). */
function inputOf({ inputTokens, cachedInputTokens = 0 }: Usage): number {
	return cachedInputTokens > inputTokens ? inputTokens + cachedInputTokens : inputTokens;
}

/** Checks one answer by itself: rules C61–C64. Null means that its `summaryText` may be used. */
export function verifyAnswer(
	answer: SummaryAnswer,
	template: TemplateName,
	cap: number,
	estimator: Estimator = uncalibrated
): Rejection | null {
	const text = summaryText(answer.text);
	if (answer.hadToolCall || looksLikeToolCall(text, template)) {
		return { reason: 'tool-call', sentence: 'It was a tool call, not a summary.' };
	}
	if (text === '') {
		return answer.hadReasoningOnly
			? { reason: 'reasoning', sentence: 'It was reasoning without an answer.' }
			: { reason: 'empty', sentence: 'It was empty.' };
	}
	if (isOpenReasoning(text)) {
		return { reason: 'reasoning', sentence: 'It was reasoning, not a summary.' };
	}
	switch (answer.finish) {
		case 'length':
			return { reason: 'length', sentence: 'It was cut at the output limit.' };
		case 'content-filter':
			return { reason: 'content-filter', sentence: 'The provider filtered it.' };
		case 'stop':
			break;
		default:
			return { reason: 'ended', sentence: `It ended early (${answer.finish}).` };
	}
	const missing = missingSections(text, template);
	if (missing.length > 0) {
		const which =
			missing.length === templates[template].length ? 'all sections' : missing.join(', ');
		return { reason: 'missing-sections', sentence: `It lacks ${which}.` };
	}
	if (looksLikeEcho(text)) {
		return { reason: 'echo', sentence: 'It repeats the conversation instead of summarising it.' };
	}
	if (saysNothing(text)) {
		return { reason: 'empty', sentence: 'Nothing stands under its headings.' };
	}
	const tokensOf = (text: string) => summarySize(text, estimator);
	const tokens = tokensOf(text);
	if (tokens > cap) {
		return {
			reason: 'over-cap',
			sentence: `It is about ${tokens} tokens long; at most ${cap} are allowed.`
		};
	}
	const most = Math.floor(SECTION_SHARE * cap);
	const long = sectionsOf(text).find((section) => tokensOf(section.text) > most);
	if (long) {
		return {
			reason: 'over-section',
			sentence: `Its section ${long.heading} is about ${tokensOf(long.text)} tokens long; at most ${most} are allowed.`
		};
	}
	return null;
}

function sectionsOf(summary: string): { heading: string; text: string }[] {
	const sections: { heading: string; lines: string[] }[] = [];
	for (const line of summary.split('\n')) {
		const heading = headingOf(line);
		if (heading !== null) sections.push({ heading, lines: [] });
		else sections.at(-1)?.lines.push(line);
	}
	return sections.map(({ heading, lines }) => ({ heading, text: lines.join('\n') }));
}

/**
 * Checks that the checkpoint frees room: rule C65. Both figures by the same estimator, in tokens.
 * @param refresh the boundary did not advance, so the summary may stay as large as the one it replaces
 */
export function verifyGain(
	before: number,
	after: number,
	safeLimit: number,
	refresh: boolean
): Rejection | null {
	if (after > before || (after === before && !refresh)) {
		return {
			reason: 'no-gain',
			sentence: `The context would be ${after} tokens after it, and is ${before} now.`
		};
	}
	if (after > safeLimit) {
		return {
			reason: 'over-limit',
			sentence: `The context would still be ${after} tokens, over the safe limit of ${safeLimit}.`
		};
	}
	return null;
}
