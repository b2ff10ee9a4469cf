import type { TemplateName } from '../history/message';
import { unfencedLines } from './fences';
import { headingOf, templates } from './template';

/**
 * What of a summariser's answer is the summary: without a leading, closed reasoning block, as models without a reasoning
 * channel write it, and without one Markdown fence around the whole. Rule C60.
 */
export function summaryText(answer: string): string {
	return withoutFence(withoutReasoning(answer.trim()));
}

const reasoningTag = /^<(think|thinking|reasoning)>/i;

function withoutReasoning(text: string): string {
	const tag = reasoningTag.exec(text)?.[1];
	if (!tag) return text;
	const close = `</${tag.toLowerCase()}>`;
	const at = text.toLowerCase().indexOf(close);
	return at === -1 ? text : text.slice(at + close.length).trim();
}

function withoutFence(text: string): string {
	const first = text.indexOf('\n');
	const last = text.lastIndexOf('\n');
	const opens = /^(`{3,})(?:markdown|md)?\s*$/i.exec(text.slice(0, Math.max(0, first)));
	if (!opens || last <= first || text.slice(last + 1).trim() !== opens[1]) return text;
	return text.slice(first + 1, last).trim();
}

/** Whether a text is reasoning whose end never came. */
export function isOpenReasoning(text: string): boolean {
	return reasoningTag.test(text);
}

/** How models write tool calls as text: as the whole of it, or unmistakably at the beginning of a line. */
const callTag =
	'<\\/?(?:tool_call|tool_calls|function_call|function_calls|invoke|antml:invoke)\\b|<[|｜]tool|\\[TOOL_CALLS\\]';
const callAtStart = new RegExp(
	`^(?:\`\`\`\\w*\\s*)?(?:${callTag}|\\{\\s*"(?:name|tool|tool_calls|function)"\\s*:|\\[\\s*\\{\\s*"name"\\s*:)`,
	'i'
);
const callInLine = new RegExp(`^(?:${callTag})`, 'i');

/**
 * Whether a text is a tool call, or one in place of a summary. What stands in a fence is quoted; and so is, once the
 * summary has begun, what is set in below a bullet. Rule C61.
 */
export function looksLikeToolCall(text: string, template: TemplateName): boolean {
	if (callAtStart.test(text)) return true;
	const headings = new Set(templates[template].map(({ heading }) => heading.toLowerCase()));
	let hasBegun = false;
	return unfencedLines(text).some((line) => {
		hasBegun ||= headings.has(headingOf(line)?.toLowerCase() ?? '');
		return callInLine.test(hasBegun ? line : line.trimStart());
	});
}

/** Whether a text repeats the request: a header of the transcript, or a tag of the prompt. Rule C63. */
export function looksLikeEcho(text: string): boolean {
	return (
		/^\[m:[0-9a-f]{10} (?:user|assistant|tool)\b/m.test(text) ||
		/<\/?(?:transcript|previous-summary)>/.test(text)
	);
}

/** Whether anything is said under the headings. */
export function saysNothing(summary: string): boolean {
	return summary
		.split('\n')
		.every((line) => headingOf(line) !== null || !/[\p{L}\p{N}]/u.test(line));
}
