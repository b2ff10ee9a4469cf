import type { Message, Part } from '$lib/history/message';
import { decodePi } from '$lib/transfer/pi';
import type { Kept, PiRaw } from '$lib/transfer/pi-drafts';

export const model = { provider: 'offline', model: 'extractive' };

/** A successful import, or a failed test. */
export function imported(text: string) {
	const result = decodePi(text, { model });
	if (!result.ok) throw new Error(`${result.problem.title} ${result.problem.detail ?? ''}`);
	return result;
}

type Block = Record<string, unknown> & { type?: string };
type Entry = Record<string, unknown> & {
	message?: Record<string, unknown>;
};

/**
 * Makes the lines of a pi file again from imported messages, by line number. It is the importer turned round, written
 * apart from it: what it cannot restore was lost.
 */
export function linesFrom(messages: readonly Message[]): Map<number, unknown> {
	const lines = new Map<number, unknown>();
	const put = ({ line, entry }: Kept) => {
		if (lines.has(line)) throw new Error(`line ${line} stands in two places`);
		lines.set(line, entry);
	};
	for (const message of messages) {
		if (message.role === 'checkpoint') throw new Error('an import makes no checkpoints');
		const raw = message.metadata.source?.raw as PiRaw;
		const parts = [...message.parts];
		const calls = parts.filter((part) => part.type === 'dynamic-tool');
		put({ line: raw.line, entry: refill(raw.entry as Entry, parts) });
		for (const kept of [...(raw.before ?? []), ...(raw.after ?? [])]) put(kept);
		for (const { line, entry } of raw.results ?? []) {
			const { message: result } = entry as Entry;
			const call = calls.find((part) => part.toolCallId === result?.['toolCallId']);
			const text = result?.['isError'] ? call?.errorText : call?.output;
			put({ line, entry: refill(entry as Entry, [{ type: 'text', text: String(text) }]) });
		}
	}
	return lines;
}

function refill(entry: Entry, parts: Part[]): Entry {
	const content = entry.message?.['content'];
	if (Array.isArray(content))
		return {
			...entry,
			message: { ...entry.message, content: content.map((rest: Block) => block(rest, parts)) }
		};
	const [part] = parts;
	return { ...entry, message: { ...entry.message, content: part?.type === 'text' && part.text } };
}

function block(rest: Block, parts: Part[]): Block {
	const wanted = { text: 'text', thinking: 'reasoning', toolCall: 'dynamic-tool' }[rest.type ?? ''];
	// Blocks of other kinds, and those that were kept whole, have no part.
	if (!wanted || 'text' in rest) return rest;
	const part = parts.shift();
	if (part?.type !== wanted) throw new Error(`a ${rest.type} block without its part`);
	if (part.type === 'text') return { ...rest, text: part.text };
	if (part.type === 'reasoning') return { ...rest, thinking: part.text };
	if (part.type !== 'dynamic-tool') return rest;
	return { ...rest, id: part.toolCallId, name: part.toolName, arguments: part.input };
}
