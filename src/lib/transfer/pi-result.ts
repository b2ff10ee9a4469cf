import type { ToolPart } from '../history/message';
import { isObject } from './json';

const NO_RESULT = 'The imported file holds no result for this call';

type Json = Readonly<Record<string, unknown>>;

/**
 * Joins a tool result to its call, so that the two can never be parted. One text becomes the output itself; several
 * blocks stay a list, with pictures as a note: their bytes stay in `rest`, which is never sent to a model.
 * @returns the finished call, and what of the result's entry is not in it
 */
export function joinResult(call: ToolPart, entry: Json): { part: ToolPart; rest: Json } {
	const message = isObject(entry['message']) ? entry['message'] : {};
	const { content, ...others } = message;
	const blocks: readonly unknown[] = Array.isArray(content) ? content : [content];
	const isOnly = blocks.length === 1;
	const text = isOnly ? textOfBlock(blocks[0]) : null;
	const part: ToolPart =
		message['isError'] === true
			? {
					...call,
					state: 'output-error',
					errorText: text ?? blocks.map((block) => textOfBlock(block) ?? '').join('\n')
				}
			: { ...call, state: 'output-available', output: text ?? blocks.map(withoutBytes) };
	if (text === null) return { part, rest: entry };
	const rest = Array.isArray(content) ? { content: [withoutText(content[0])] } : {};
	return { part, rest: { ...entry, message: { ...others, ...rest } } };
}

/** What a call without a result says for itself. */
export function unanswered(call: ToolPart, stopReason: unknown): ToolPart {
	const why =
		stopReason === 'aborted'
			? 'the answer was aborted'
			: stopReason === 'error'
				? 'the answer ended in an error'
				: 'the session ends before it';
	return {
		...call,
		state: 'output-error',
		errorText: `${NO_RESULT}: ${why}.`
	};
}

export function isUnanswered(call: ToolPart): boolean {
	return call.state === 'output-error' && call.errorText?.startsWith(NO_RESULT) === true;
}

function textOfBlock(block: unknown): string | null {
	if (typeof block === 'string') return block;
	return isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string'
		? block['text']
		: null;
}

function withoutText(block: unknown): unknown {
	if (!isObject(block)) return block;
	const { text: _, ...rest } = block;
	return rest;
}

function withoutBytes(block: unknown): unknown {
	if (!isObject(block) || block['type'] !== 'image') return block ?? null;
	const { data, ...rest } = block;
	return {
		...rest,
		note: `picture, ${String(data ?? '').length} characters of base64, kept in the source`
	};
}
