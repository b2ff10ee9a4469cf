import { shortId, type ConversationMessage, type MessageId, type Part } from '../history/message';
import { estimateText } from '../context/estimate';
import { asText } from '../context/measure';

/** One quotable piece of the transcript: a header line with the message id, then text. */
export interface Block {
	readonly messageId: MessageId;
	/** Whether a user turn starts here. */
	readonly startsTurn: boolean;
	readonly text: string;
	/** Estimated tokens of `text`. */
	readonly tokens: number;
}

/** Limits of the transcript, in tokens. */
export interface SerialiseLimits {
	/** A tool result over this is cut in the middle, with a visible marker. */
	readonly toolResult: number;
	/** A block over this is continued in the next one. */
	readonly block: number;
}

/** Tool results over this many tokens are cut in the middle: enough for a page of text, too much for a whole file. */
export const TOOL_RESULT_TOKENS = 2000;

/**
 * Writes messages as the transcript a summariser reads. Reasoning is left out; files are named, not quoted; errors and
 * denied operations are marked; every block carries its message id so that the summary can cite it. Rules C30–C35.
 */
export function serialise(
	messages: readonly ConversationMessage[],
	limits: SerialiseLimits
): Block[] {
	return messages.flatMap((message) => serialiseMessage(message, limits));
}

function serialiseMessage(message: ConversationMessage, limits: SerialiseLimits): Block[] {
	const id = shortId(message.id);
	const blocks: Block[] = [];
	const add = (label: string, body: string) => {
		splitText(body, limits.block).forEach((piece, index) => {
			const header = `[m:${id} ${label}${index > 0 ? ' continued' : ''}]`;
			const text = `${header}\n${quoted(piece)}`;
			blocks.push({
				messageId: message.id,
				startsTurn: message.role === 'user' && blocks.length === 0,
				text,
				tokens: estimateText(text) + 1
			});
		});
	};
	let prose: string[] = [];
	const flush = () => {
		if (prose.length > 0) add(message.role, prose.join('\n\n'));
		prose = [];
	};
	for (const part of message.parts) {
		if (part.type === 'dynamic-tool') {
			flush();
			add(`tool ${part.toolName}`, toolText(part, id, limits.toolResult));
		} else {
			const text = partText(part);
			if (text !== '') prose.push(text);
		}
	}
	if (message.role === 'assistant') prose.push(...endingOf(message.metadata));
	flush();
	// A message without anything to quote is still covered, and says so.
	if (blocks.length === 0) add(message.role, '(empty message)');
	return blocks;
}

function partText(part: Part): string {
	switch (part.type) {
		case 'text':
			return part.text.trim();
		case 'file':
			return `(file: ${part.filename}, ${part.mediaType}, ${part.size} bytes, sha256 ${part.sha256.slice(0, 12)})`;
		default:
			return '';
	}
}

function toolText(
	part: Extract<Part, { type: 'dynamic-tool' }>,
	id: string,
	limit: number
): string {
	const input = `input: ${cutMiddle(asText(part.input), limit, id)}`;
	switch (part.state) {
		case 'output-available':
			return `${input}\nresult: ${cutMiddle(asText(part.output), limit, id)}`;
		case 'output-error':
			return `${input}\nFAILED: ${cutMiddle(part.errorText ?? 'no reason given', limit, id)}`;
		case 'output-denied':
			return `${input}\nDENIED by the user`;
		default:
			return `${input}\nNO RESULT: the call was not finished`;
	}
}

function endingOf(metadata: { finish?: string; errorText?: string }): string[] {
	switch (metadata.finish) {
		case 'stopped':
			return ['(stopped by the user)'];
		case 'interrupted':
			return ['(interrupted)'];
		case 'error':
			return [`(ended with an error: ${metadata.errorText ?? 'unknown'})`];
		case 'length':
			return ['(cut at the output limit)'];
		default:
			return [];
	}
}

/** Keeps the beginning and the end of a text and says what is missing, so that nobody takes it for the whole. */
export function cutMiddle(text: string, limit: number, id: string): string {
	const tokens = estimateText(text);
	if (tokens <= limit) return text;
	const keep = Math.max(1, Math.floor((text.length * limit) / tokens / 2) - 40);
	const missing = tokens - limit;
	return `${text.slice(0, keep)}\n… [about ${missing} tokens cut here; the whole text is in message m:${id}] …\n${text.slice(-keep)}`;
}

/** Splits a text into pieces of at most `limit` tokens, at a line or a space where there is one near. */
function splitText(text: string, limit: number): string[] {
	const tokens = estimateText(text);
	if (tokens <= limit) return [text];
	const pieces: string[] = [];
	// The densest script costs about one token a character, so a piece of this length can be too big only there.
	let rest = text;
	while (rest !== '') {
		let length = Math.max(1, Math.floor((rest.length * limit) / Math.max(1, estimateText(rest))));
		while (length > 1 && estimateText(rest.slice(0, length)) > limit) {
			length = Math.max(1, Math.floor(length * 0.8));
		}
		if (length < rest.length) length = breakNear(rest, length);
		pieces.push(rest.slice(0, length));
		rest = rest.slice(length);
	}
	return pieces;
}

function breakNear(text: string, length: number): number {
	const earliest = Math.floor(length * 0.7);
	for (const separator of ['\n\n', '\n', ' ']) {
		const at = text.lastIndexOf(separator, length - separator.length);
		if (at >= earliest) return at + separator.length;
	}
	// Never between the two halves of a surrogate pair.
	const code = text.charCodeAt(length - 1);
	return code >= 0xd800 && code < 0xdc00 && length > 1 ? length - 1 : length;
}

/** The transcript is data: a line that looks like one of its own markers is set apart so that it cannot be one. */
function quoted(text: string): string {
	return text
		.replace(/^\[m:/gm, '[ m:')
		.replace(/<(\/?)(transcript|previous-summary|focus|limits)\b/gi, '< $1$2');
}
