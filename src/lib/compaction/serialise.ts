import { shortId, type ConversationMessage, type MessageId, type Part } from '../history/message';
import { estimateText, prefixWithin } from '../context/estimate';
import { textOfFile, type ReadableFile } from '../context/files';
import { asText } from '../context/measure';
import { quoted } from './quote';

/** One quotable piece of the transcript: a header line with the message id, then text. */
export interface Block {
	readonly messageId: MessageId;
	/** Whether a user turn starts here. */
	readonly startsTurn: boolean;
	readonly text: string;
	/** Estimated tokens of `text` and of the line break after it. */
	readonly tokens: number;
}

/** Limits of the transcript, in tokens. */
export interface SerialiseLimits {
	/** A tool result or a file's text over this is cut in the middle, with a visible marker. */
	readonly toolResult: number;
	/** The most a block may be, header included; more is continued in the next one. */
	readonly block: number;
}

/** Tool results over this many tokens are cut in the middle: enough for a page of text, too much for a whole file. */
export const TOOL_RESULT_TOKENS = 2000;

/**
 * Writes messages as the transcript a summariser reads. Reasoning is left out; files are named, and quoted where their
 * text was read; errors and denied operations are marked; every block carries its message id so that the summary can cite it. Rules C40–C46.
 */
export function* serialise(
	messages: Iterable<ConversationMessage>,
	limits: SerialiseLimits
): Generator<Block> {
	for (const message of messages) yield* serialiseMessage(message, limits);
}

/** A summary as blocks, for a summariser whose window cannot hold it beside a transcript. Rule C82. */
export function serialiseSummary(id: MessageId, summary: string, limit: number): Block[] {
	return [...blocksOf(id, 'assistant earlier checkpoint', summary, limit, true)];
}

/** One text as blocks of at most `limit` tokens, each with its header. */
function* blocksOf(
	messageId: MessageId,
	label: string,
	body: string,
	limit: number,
	startsTurn: boolean
): Generator<Block> {
	const header = `[m:${shortId(messageId)} ${label}`;
	// What a block costs beside its piece of the text: header, mark of continuation, two line breaks.
	const room = limit - estimateText(`${header} continued]`) - 2;
	let isFirst = true;
	for (const piece of split(body, Math.max(1, room))) {
		const text = `${header}${isFirst ? '' : ' continued'}]\n${quoted(piece)}`;
		yield {
			messageId,
			startsTurn: startsTurn && isFirst,
			text,
			tokens: estimateText(text) + 1
		};
		isFirst = false;
	}
}

function* serialiseMessage(
	message: ConversationMessage,
	limits: SerialiseLimits
): Generator<Block> {
	const id = shortId(message.id);
	let isEmpty = true;
	const add = (label: string, body: string) => {
		const startsTurn = message.role === 'user' && isEmpty;
		isEmpty = false;
		return blocksOf(message.id, label, body, limits.block, startsTurn);
	};
	let prose: string[] = [];
	function* flush() {
		if (prose.length > 0) yield* add(message.role, prose.join('\n\n'));
		prose = [];
	}
	for (const part of message.parts) {
		if (part.type === 'dynamic-tool') {
			yield* flush();
			yield* add(`tool ${labelOf(part.toolName)}`, toolText(part, id, limits.toolResult));
		} else {
			const text = partText(part, id, limits.toolResult);
			if (text !== '') prose.push(text);
		}
	}
	if (message.role === 'assistant') prose.push(...endingOf(message.metadata));
	yield* flush();
	// A message without anything to quote is still covered, and says so.
	if (isEmpty) yield* add(message.role, '(empty message)');
}

function partText(part: Part, id: string, limit: number): string {
	switch (part.type) {
		case 'text':
			return part.text.trim();
		case 'file':
			return fileText(part, id, limit);
		default:
			return '';
	}
}

/** A file's name and what it holds, cut as a tool's result is: what follows in the message is the person's own again. */
function fileText(file: ReadableFile, id: string, limit: number): string {
	const { filename, mediaType, size, sha256 } = file;
	const line = `(file: ${filename}, ${mediaType}, ${size} bytes, sha256 ${sha256.slice(0, 12)})`;
	const text = textOfFile(file).trim();
	if (text === '') return line;
	return `${line}\n${cutMiddle(text, limit, id)}\n(end of the file ${filename})`;
}

/** A tool's name as part of a header: models and imports may name a tool anything. */
function labelOf(toolName: string): string {
	return toolName.replace(/[^\w.:/-]+/g, '_').slice(0, 64) || 'unnamed';
}

function toolText(
	part: Extract<Part, { type: 'dynamic-tool' }>,
	id: string,
	limit: number
): string {
	const input = `input: ${asText(part.input)}`;
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

/**
 * Keeps the beginning and the end of a text and says what is missing, so that nobody takes it for the whole. The result
 * is at most `limit` tokens, where that leaves room for the marker.
 */
export function cutMiddle(text: string, limit: number, id: string): string {
	const tokens = estimateText(text);
	if (tokens <= limit) return text;
	const half = Math.max(1, Math.floor((limit - MARKER_TOKENS) / 2));
	const head = text.slice(0, prefixWithin(text, half));
	const tail = endWithin(text.slice(head.length), half);
	const missing = Math.max(1, tokens - estimateText(head) - estimateText(tail));
	return `${head}\n… [about ${missing} tokens cut here; the whole text is in message m:${id}] …\n${tail}`;
}

/** The marker of a cut, with its id and number, and the seams. Tokens. */
const MARKER_TOKENS = 40;

/** An end of `text` of at most `limit` tokens, about as long as can be. Looks at no more than it may need. */
function endWithin(text: string, limit: number): string {
	let length = Math.min(text.length, limit * 8);
	for (;;) {
		const end = text.slice(text.length - length).replace(/^[\udc00-\udfff]/, '');
		const tokens = estimateText(end);
		if (tokens <= limit || length <= 1) return end;
		length = Math.max(1, Math.min(length - 1, Math.floor((length * limit * 0.97) / tokens)));
	}
}

/** Splits a text into pieces of at most `limit` tokens, at a line or a space where there is one near. One pass: C45. */
function* split(text: string, limit: number): Generator<string> {
	for (let from = 0; from < text.length;) {
		const furthest = prefixWithin(text, limit, from);
		const end = furthest < text.length ? breakNear(text, from, furthest) : furthest;
		yield text.slice(from, end);
		from = end;
	}
}

/** The last paragraph, line or word that ends in the last third before `end`, or `end` itself. */
function breakNear(text: string, from: number, end: number): number {
	const piece = text.slice(from, end);
	for (const separator of ['\n\n', '\n', ' ']) {
		const at = piece.lastIndexOf(separator);
		if (at >= piece.length * 0.7) return from + at + separator.length;
	}
	return end;
}
