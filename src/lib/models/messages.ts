import type { ModelMessage, UIMessage } from 'ai';
import type { ConversationMessage, FilePart, Part, ToolPart } from '../history/message';
import { isSettled } from './parts';
import type { Sdk } from './sdk';

/** What the loader gives for an attachment: its text, or a data URL of its bytes, or neither when they are gone. */
export interface LoadedFile {
	readonly text?: string;
	readonly dataUrl?: string;
}

export type FilePartLoader = (part: FilePart) => Promise<LoadedFile>;

type UIPart = UIMessage['parts'][number];

/**
 * Hilo's messages in the SDK's words. Reasoning is left out; a call without a result gets an error for one, so that
 * the pair is always whole; messages with nothing in them are skipped; neighbours of one role are joined, because
 * models with a strict chat template refuse two in a row.
 */
export async function toModelMessages(
	messages: readonly ConversationMessage[],
	loadFile: FilePartLoader,
	convert: Sdk['convertToModelMessages']
): Promise<ModelMessage[]> {
	const converted: { role: 'user' | 'assistant'; parts: UIPart[] }[] = [];
	for (const message of messages) {
		const parts: UIPart[] = [];
		for (const part of message.parts) {
			const ui = await toUIPart(part, loadFile);
			if (!ui) continue;
			// Text after a call belongs to the next model call, even where an import did not mark it.
			if (
				ui.type !== 'step-start' &&
				ui.type !== 'dynamic-tool' &&
				parts.at(-1)?.type === 'dynamic-tool'
			)
				parts.push({ type: 'step-start' });
			parts.push(ui);
		}
		if (parts.some((part) => part.type !== 'step-start'))
			converted.push({ role: message.role, parts });
	}
	return joinNeighbours(await convert(converted));
}

async function toUIPart(part: Part, loadFile: FilePartLoader): Promise<UIPart | null> {
	switch (part.type) {
		case 'text':
			return part.text.trim() === '' ? null : { type: 'text', text: part.text };
		case 'reasoning':
			return null;
		case 'step-start':
			return { type: 'step-start' };
		case 'file':
			return filePart(part, loadFile);
		case 'dynamic-tool':
			return toolPart(part);
	}
}

async function filePart(part: FilePart, loadFile: FilePartLoader): Promise<UIPart> {
	const { text, dataUrl } = await loadFile(part);
	const name = part.filename.replaceAll('"', "'");
	if (text !== undefined)
		return {
			type: 'text',
			text: `<attachment name="${name}" type="${part.mediaType}">\n${text}\n</attachment>`
		};
	// Other kinds of file are refused by most servers, and one refused part would refuse the whole conversation.
	if (dataUrl !== undefined && part.mediaType.startsWith('image/'))
		return { type: 'file', mediaType: part.mediaType, filename: part.filename, url: dataUrl };
	return {
		type: 'text',
		text: `<attachment name="${name}" type="${part.mediaType}" bytes="${part.size}">Its content cannot be sent.</attachment>`
	};
}

function toolPart(part: ToolPart): UIPart {
	const { toolName, toolCallId } = part;
	const input = part.input ?? {};
	const base = { type: 'dynamic-tool' as const, toolName, toolCallId, input };
	if (part.state === 'output-available')
		return { ...base, state: part.state, output: part.output ?? null };
	const errorText =
		part.state === 'output-denied'
			? 'The user did not allow this call.'
			: isSettled(part)
				? (part.errorText ?? 'The tool failed.')
				: 'The call was interrupted before it had a result.';
	return { ...base, state: 'output-error', errorText };
}

function joinNeighbours(messages: readonly ModelMessage[]): ModelMessage[] {
	const joined: ModelMessage[] = [];
	for (const message of messages) {
		const last = joined.at(-1);
		if (message.role === 'user' && last?.role === 'user')
			last.content = joinText([...asParts(last.content), ...asParts(message.content)]);
		else if (message.role === 'user')
			joined.push({ ...message, content: joinText(asParts(message.content)) });
		else if (message.role === 'assistant' && last?.role === 'assistant')
			last.content = joinText([...asParts(last.content), ...asParts(message.content)]);
		else
			joined.push(
				message.role === 'assistant'
					? { ...message, content: joinText(asParts(message.content)) }
					: message
			);
	}
	return joined;
}

type TextContent = { type: 'text'; text: string };
const asParts = <P>(content: string | P[]): (P | TextContent)[] =>
	typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Joins neighbouring texts: older servers take a plain string only, and a lone text is sent as one. */
function joinText<P extends { type: string }>(
	parts: readonly (P | TextContent)[]
): (P | TextContent)[] {
	const joined: (P | TextContent)[] = [];
	for (const part of parts) {
		const last = joined.at(-1);
		if (isText(part) && last && isText(last))
			joined[joined.length - 1] = { type: 'text', text: `${last.text}\n\n${part.text}` };
		else joined.push(part);
	}
	return joined;
}

const isText = (part: { type: string }): part is TextContent => part.type === 'text';
