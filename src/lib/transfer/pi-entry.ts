import type { AssistantMetadata, Finish, ModelRef, Part, Usage } from '../history/message';
import { fromBase64 } from './base64';
import { isObject } from './json';
import type { AttachmentRow } from './result';
import { sha256 } from './sha256';

type Json = Readonly<Record<string, unknown>>;

/** What a pi message becomes, and what of its entry found no place: both together are the whole entry. */
export interface Mapped {
	readonly parts: Part[];
	/** The entry without the texts, inputs and bytes that stand in `parts`. */
	readonly rest: Json;
	readonly attachments: readonly AttachmentRow[];
}

/** Tokens of a picture whose size in pixels is unknown: about what the largest one costs that providers do not scale down. */
const IMAGE_TOKENS = 1600;

/** Maps the content of a user or assistant entry, block by block. A block of a kind we do not know stays in `rest` whole. */
export function mapContent(entry: Json, line: number): Mapped {
	const message = isObject(entry['message']) ? entry['message'] : {};
	const { content, ...others } = message;
	const parts: Part[] = [];
	const attachments: AttachmentRow[] = [];
	if (typeof content === 'string') {
		parts.push({ type: 'text', text: content });
		return { parts, rest: { ...entry, message: others }, attachments };
	}
	if (!Array.isArray(content)) return { parts, rest: entry, attachments };

	const restContent = content.map((block: unknown, index) => {
		const { part, rest, attachment } = mapBlock(block, message['role'], `pi-${line}-${index + 1}`);
		if (part) parts.push(part);
		if (attachment) attachments.push(attachment);
		return rest;
	});
	return { parts, rest: { ...entry, message: { ...others, content: restContent } }, attachments };
}

function mapBlock(
	block: unknown,
	role: unknown,
	filename: string
): { part?: Part; rest: unknown; attachment?: AttachmentRow } {
	if (!isObject(block)) return { rest: block };
	if (block['type'] === 'text' && typeof block['text'] === 'string') {
		const { text, ...rest } = block;
		return { part: { type: 'text', text: String(text) }, rest };
	}
	// A user neither reasons nor calls: in a damaged entry such a block stays in the source.
	if (
		role === 'assistant' &&
		block['type'] === 'thinking' &&
		typeof block['thinking'] === 'string'
	) {
		const { thinking, ...rest } = block;
		return { part: { type: 'reasoning', text: String(thinking) }, rest };
	}
	if (role === 'assistant' && block['type'] === 'toolCall') {
		const { id, name, arguments: input, ...rest } = block;
		return {
			part: {
				type: 'dynamic-tool',
				toolName: typeof name === 'string' ? name : 'unknown',
				toolCallId: typeof id === 'string' ? id : filename,
				state: 'input-available',
				input: input ?? {}
			},
			// A damaged call is still a call; what it had for an id or a name stays here.
			rest: {
				...rest,
				...(typeof id === 'string' ? {} : { id }),
				...(typeof name === 'string' ? {} : { name })
			}
		};
	}
	if (block['type'] === 'image' && typeof block['data'] === 'string') {
		const { data, ...rest } = block;
		const base64 = String(data);
		const bytes = fromBase64(base64);
		if (!bytes) return { rest: block };
		const mediaType = typeof rest['mimeType'] === 'string' ? rest['mimeType'] : 'image/png';
		const hash = sha256(bytes);
		const part: Part = {
			type: 'file',
			mediaType,
			filename,
			sha256: hash,
			size: bytes.length,
			tokens: IMAGE_TOKENS
		};
		return { part, rest, attachment: { sha256: hash, mediaType, filename, base64 } };
	}
	return { rest: block };
}

const FINISH: Readonly<Record<string, Finish>> = {
	stop: 'stop',
	length: 'length',
	toolUse: 'tool-calls',
	aborted: 'stopped',
	error: 'error'
};

/** Model, end and usage of an assistant entry. pi makes one entry for each model call, so its usage is a step's. */
export function assistantMetadata(entry: Json): AssistantMetadata {
	const message = isObject(entry['message']) ? entry['message'] : {};
	const { provider, model, stopReason, errorMessage } = message;
	const ref: ModelRef | null =
		typeof provider === 'string' && typeof model === 'string' ? { provider, model } : null;
	const finish =
		typeof stopReason !== 'string'
			? null
			: Object.hasOwn(FINISH, stopReason)
				? (FINISH[stopReason] ?? null)
				: 'other';
	const usage = usageOf(message['usage']);
	const errorText =
		finish !== 'error'
			? null
			: typeof errorMessage === 'string'
				? errorMessage
				: 'No reason given.';
	return {
		...(ref && { model: ref }),
		...(finish && { finish }),
		...(usage && { usage }),
		...(errorText !== null && { errorText })
	};
}

function usageOf(value: unknown): Usage | null {
	if (!isObject(value)) return null;
	const tokens = (key: string) => {
		const amount = value[key];
		return typeof amount === 'number' && amount > 0 ? amount : 0;
	};
	// pi counts cached and newly cached tokens beside `input`; ours includes both.
	const inputTokens = tokens('input') + tokens('cacheRead') + tokens('cacheWrite');
	const outputTokens = tokens('output');
	if (inputTokens + outputTokens === 0) return null;
	return { inputTokens, outputTokens, cachedInputTokens: tokens('cacheRead') };
}
