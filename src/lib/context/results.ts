import {
	shortId,
	type ConversationMessage,
	type MessageId,
	type Part,
	type ToolPart
} from '../history/message';
import type { Capacity } from './capacity';
import { prefixWithin } from './estimate';
import { asText } from './measure';

/** One tool result may take at most this share of the safe limit. */
const RESULT_SHARE = 0.25;
/** Tokens kept for the sentence that stands where a result was cut; it names numbers of up to nine digits. */
export const MARKER_TOKENS = 64;

/**
 * The most one tool result may take in what is sent, in tokens by `estimateText`. Not calibrated: a factor that changes
 * with each report would cut old results anew each time, and no provider's cache would hold. Rule C7.
 */
export function tokensPerResult(capacity: Pick<Capacity, 'safeLimit'>): number {
	return Math.floor(RESULT_SHARE * capacity.safeLimit);
}

/** The longest beginning of a text that is at most `limit` tokens. Rule C7. */
export function cutAt(text: string, limit: number): string {
	return text.slice(0, prefixWithin(text, limit));
}

/** The name by which a model asks for a stored result: its message, and its place among the tool calls there. Rule C98. */
export interface Handle {
	/** The short form of the message's id. */
	readonly message: string;
	/** 1 for the first tool call of the message. */
	readonly place: number;
}

export function handleOf(messageId: MessageId, place: number): string {
	return nameOf({ message: shortId(messageId), place });
}

export function nameOf({ message, place }: Handle): string {
	return `r:${message}.${place}`;
}

/** Reads a handle as a model writes it, with or without `r:` and brackets. Null when it is none. */
export function readHandle(text: string): Handle | null {
	const match = /^\s*[[(]?\s*(?:r:)?([0-9a-f]{10})\.([1-9]\d{0,5})\s*[\])]?\s*$/i.exec(text);
	return match?.[1] ? { message: match[1].toLowerCase(), place: Number(match[2]) } : null;
}

/** The stored result a handle names, as the text a model reads. Null where there is none. */
export function resultAt(parts: readonly Part[], place: number): string | null {
	const part = parts.filter((part) => part.type === 'dynamic-tool')[place - 1];
	return part && (part.state === 'output-available' || part.state === 'output-error')
		? resultText(part)
		: null;
}

/** What a tool answered, or why it failed, as the text a model reads. */
export function resultText(part: Pick<ToolPart, 'output' | 'errorText'>): string {
	return part.errorText ?? asText(part.output);
}

/**
 * A result as it is sent where it may take `limit` tokens: whole, or its beginning and a sentence that says how to read
 * on. With a limit of 0 only its handle is left. At most `limit` tokens, where that is room for the sentence. Rule C110.
 */
export function shownResult(text: string, handle: string, limit: number): string {
	if (limit === 0) {
		return `[Left out to save room: ${text.length} characters. read_tool_result reads them, handle ${handle}.]`;
	}
	if (prefixWithin(text, limit) === text.length) return text;
	const head = cutAt(text, Math.max(1, limit - MARKER_TOKENS));
	return `${head}\n[Cut: ${head.length} of ${text.length} characters shown. read_tool_result reads on, handle ${handle}, offset ${head.length}.]`;
}

interface Cut {
	readonly limit: number;
	readonly message: ConversationMessage;
}
/** A message is cut once for a limit, so that it is the same object, and the same bytes, in each request. */
const cuts = new WeakMap<ConversationMessage, Cut>();

/**
 * Messages as they are sent: the same objects, but for those with a tool result over `limit` tokens, which come as
 * copies with that result cut. What is stored stays whole. Rule C110.
 */
export function sentMessages(
	messages: readonly ConversationMessage[],
	limit: number
): readonly ConversationMessage[] {
	return messages.map((message) => {
		if (!message.parts.some((part) => part.type === 'dynamic-tool')) return message;
		const known = cuts.get(message);
		if (known?.limit === limit) return known.message;
		const cut = cutResults(message, limit);
		cuts.set(message, { limit, message: cut });
		return cut;
	});
}

function cutResults<M extends ConversationMessage>(message: M, limit: number): M {
	let place = 0;
	let isCut = false;
	const parts = message.parts.map((part) => {
		if (part.type !== 'dynamic-tool') return part;
		const text = resultText(part);
		const shown = shownResult(text, handleOf(message.id, ++place), limit);
		if (shown === text) return part;
		isCut = true;
		return part.errorText === undefined
			? { ...part, output: shown }
			: { ...part, errorText: shown };
	});
	return isCut ? { ...message, parts } : message;
}
