import { headingOf } from './template';

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

/** How models write tool calls as text: at the very beginning, or unmistakably at the beginning of a line. */
const callAtStart =
	/^(?:```\w*\s*)?(?:\{\s*"(?:name|tool|tool_calls|function)"\s*:|\[\s*\{\s*"name"\s*:)/i;
const callInLine =
	/^[ \t]{0,8}(?:<\/?(?:tool_call|tool_calls|function_call|function_calls|invoke|antml:invoke)\b|<[|｜]tool|\[TOOL_CALLS\])/im;

/** Whether a text is, or holds, the syntax of a tool call. */
export function looksLikeToolCall(text: string): boolean {
	return callAtStart.test(text) || callInLine.test(text);
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
