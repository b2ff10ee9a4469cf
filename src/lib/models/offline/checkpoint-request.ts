import { recallTools } from '../../context/recall';
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';

export type Speaker = 'user' | 'assistant' | 'tool';

/** One quoted piece of the transcript. */
export interface TranscriptBlock {
	/** Short form of the message id, as it is to be cited. */
	readonly id: string;
	readonly speaker: Speaker;
	/** The tool's name, for tool blocks. */
	readonly tool: string;
	readonly text: string;
}

/** A request of Hilo's core to write a checkpoint, as `compaction/prompt.ts` builds it. */
export interface CheckpointRequest {
	/** In the order they must be written in. */
	readonly headings: readonly string[];
	readonly previous: string;
	readonly blocks: readonly TranscriptBlock[];
	readonly focus: string;
	/** Tokens; null where the request names none. */
	readonly target: number | null;
	readonly cap: number | null;
}

/** Reads a prompt as a checkpoint request: a transcript in the user's text and headings in the system's. Else null. */
export function readCheckpointRequest(prompt: LanguageModelV4Prompt): CheckpointRequest | null {
	const system = prompt.map((m) => (m.role === 'system' ? m.content : '')).join('\n');
	const headings = [
		...new Set([...system.matchAll(/^##[ \t]+(.+?)[ \t]*$/gm)].map(([, heading = '']) => heading))
	];
	const users = prompt.filter((message) => message.role === 'user');
	const text = users
		.flatMap((message) => message.content.map((part) => (part.type === 'text' ? part.text : '')))
		.join('\n');
	// The last closing mark counts: what stands before it is data, whatever it looks like.
	const start = text.search(/^<transcript>\s*$/m);
	const end = text.lastIndexOf('</transcript>');
	if (users.length !== 1 || headings.length === 0 || start === -1 || end < start) return null;

	const before = text.slice(0, start);
	const after = text.slice(end);
	const limits = /<limits target="(\d+)" cap="(\d+)"\s*\/>/.exec(after);
	return {
		headings,
		previous: between(before, 'previous-summary'),
		blocks: blocksIn(text.slice(start + '<transcript>'.length, end)),
		focus: between(after, 'focus'),
		target: limits ? Number(limits[1]) : null,
		cap: limits ? Number(limits[2]) : null
	};
}

function between(text: string, tag: string): string {
	const open = text.indexOf(`<${tag}>`);
	const close = text.lastIndexOf(`</${tag}>`);
	return open === -1 || close < open ? '' : text.slice(open + tag.length + 2, close).trim();
}

/** What these return was said before, and stands there: it is no source of its own. */
const recallNames: ReadonlySet<string> = new Set(recallTools.map(({ name }) => name));

const header = /^\[m:(\S{8,}) (user|assistant|tool)(?: ([^\]\n]*))?\]$/;

function blocksIn(transcript: string): TranscriptBlock[] {
	const blocks: { id: string; speaker: Speaker; tool: string; lines: string[] }[] = [];
	for (const line of transcript.split('\n')) {
		const match = header.exec(line);
		if (match) {
			const [, id = '', speaker, rest = ''] = match;
			const isTool = speaker === 'tool';
			blocks.push({
				id,
				speaker: speaker === 'user' ? 'user' : isTool ? 'tool' : 'assistant',
				tool: isTool ? (rest.split(' ')[0] ?? '') : '',
				lines: []
			});
		} else blocks.at(-1)?.lines.push(line);
	}
	return blocks
		.filter(({ tool }) => !recallNames.has(tool))
		.map(({ lines, ...block }) => ({ ...block, text: lines.join('\n').trim() }));
}
