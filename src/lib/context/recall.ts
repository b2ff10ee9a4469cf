import { shortId, textOf, type ConversationMessage, type Part } from '../history/message';
import { textOfFile } from './files';
import { asText } from './measure';
import type { ToolSpec } from './request';
import { fold, isSearchable } from './search-terms';

/** A passage found on the branch. */
export interface SearchHit {
	/** The short form of the message's id, as summaries cite it. */
	readonly message: string;
	readonly role: 'user' | 'assistant';
	/** Epoch milliseconds. */
	readonly createdAt: number;
	readonly snippet: string;
}

/** The best passages, and how many messages hold a word of the query in all. */
export interface SearchResult {
	readonly hits: readonly SearchHit[];
	readonly total: number;
}

/** Reads on where a result was cut, or reads one that was left out. It belongs to every request that may hold such. */
export const readToolResult: ToolSpec = {
	name: 'read_tool_result',
	description: 'Read a tool result that was cut or left out.',
	inputSchema: {
		type: 'object',
		properties: {
			handle: { type: 'string' },
			offset: { type: 'integer' }
		},
		required: ['handle'],
		additionalProperties: false
	}
};

/**
 * The recall tools: compaction is lossy for the context, not for the work. They read the branch only, covered messages
 * too, never another branch.
 */
export const recallTools: readonly ToolSpec[] = [
	{
		name: 'search_history',
		description:
			'Search the whole conversation, also the part before the checkpoint. Returns passages with message ids.',
		inputSchema: {
			type: 'object',
			properties: { query: { type: 'string' } },
			required: ['query'],
			additionalProperties: false
		}
	},
	{
		name: 'read_message',
		description:
			'Read one earlier message in full, by the id a checkpoint or a search cites (m:…).',
		inputSchema: {
			type: 'object',
			properties: {
				id: { type: 'string' },
				offset: { type: 'integer', description: 'Characters to skip.' }
			},
			required: ['id'],
			additionalProperties: false
		}
	},
	readToolResult
];

/**
 * The tools of a request. Recall is needed once something is no longer sent; reading results on, wherever one can be cut:
 * beside any tool, and where the branch brings a cut one along.
 */
export function toolsFor(input: {
	readonly hasCheckpoint: boolean;
	/** Whether a result of the branch is cut in what is sent. */
	readonly hasCutResult?: boolean;
	/** The session's tools besides recall. */
	readonly others?: readonly ToolSpec[];
}): readonly ToolSpec[] {
	const others = input.others ?? [];
	if (input.hasCheckpoint) return [...others, ...recallTools];
	return others.length > 0 || input.hasCutResult ? [...others, readToolResult] : [];
}

const HITS = 8;
const SNIPPET = 320;

/**
 * Ranks the messages of a branch against a query: how many of its words a message holds, rarer words first, whole
 * phrases above all. A plain scan, for branches too short to be worth an index. Rule C97.
 */
export function searchMessages(
	messages: readonly ConversationMessage[],
	query: string
): SearchResult {
	const phrase = fold(query.trim());
	const words = [...new Set(phrase.split(/[^\p{L}\p{N}]+/u).filter(isSearchable))];
	if (words.length === 0) return { hits: [], total: 0 };
	const texts = messages.map((message) => fold(plainText(message)));
	const weighed = words
		.map((word) => {
			const holding = texts.filter((text) => text.includes(word)).length;
			return { word, weight: Math.log(1 + messages.length / (1 + holding)) };
		})
		.sort((a, b) => b.weight - a.weight);
	const found = messages
		.map((message, index) => {
			const text = texts[index] ?? '';
			const score = weighed.reduce(
				(sum, { word, weight }) => sum + (text.includes(word) ? weight : 0),
				0
			);
			return { message, score, folded: text };
		})
		.filter(({ score }) => score > 0);
	return {
		hits: bestPassages(
			found,
			query,
			weighed.map(({ word }) => word)
		),
		total: found.length
	};
}

/** A message that a search found. */
export interface Found {
	readonly message: ConversationMessage;
	readonly score: number;
	/** Its plain text folded, where that is known. */
	readonly folded?: string;
}

/**
 * The passages to show of what a search found: whole phrases above all, newest where all else is equal. Rule C97.
 * @param words what to show the passage around, the most telling first
 */
export function bestPassages(
	found: readonly Found[],
	query: string,
	words: readonly string[]
): SearchHit[] {
	const phrase = fold(query.trim());
	return found
		.map(({ message, score, folded = fold(plainText(message)) }) => ({
			message,
			folded,
			score: score * (folded.includes(phrase) ? 2 : 1)
		}))
		.sort((a, b) => b.score - a.score || b.message.depth - a.message.depth)
		.slice(0, HITS)
		.map(({ message, folded }) => ({
			message: shortId(message.id),
			role: message.role,
			createdAt: message.createdAt,
			snippet: snippetOf(plainText(message), folded, [phrase, ...words.map(fold)])
		}));
}

/**
 * A message as plain text: what was said, what its tools were asked and answered, and last, each behind its name, the texts
 * of its files, where they were read.
 */
export function plainText(message: ConversationMessage): string {
	const files = message.parts.flatMap((part) => {
		const text = part.type === 'file' ? textOfFile(part).trim() : '';
		return part.type === 'file' && text !== '' ? [`(file: ${part.filename})\n${text}`] : [];
	});
	return [...message.parts.map(plainPart), ...files].filter((text) => text !== '').join('\n\n');
}

/** What a pin carries of a message: what was said, word for word, and its files' names; of bare tool calls, those. */
export function pinnedText(message: ConversationMessage): string {
	const said = textOf(message);
	if (said === '') return plainText(message);
	const names = message.parts.flatMap((part) =>
		part.type === 'file' ? [`(file: ${part.filename})`] : []
	);
	return [said, ...names].join('\n\n');
}

function plainPart(part: Part): string {
	switch (part.type) {
		case 'text':
			return part.text;
		case 'file':
			return part.filename;
		case 'dynamic-tool':
			return `${part.toolName} ${asText(part.input)}\n${part.errorText ?? asText(part.output)}`;
		default:
			return '';
	}
}

/** The passage around the first of `words` that stands in the text; they come with the most telling first. */
function snippetOf(text: string, folded: string, words: readonly string[]): string {
	const at = words.map((word) => folded.indexOf(word)).find((index) => index !== -1) ?? 0;
	const first = placeIn(text, at);
	const from = Math.max(0, Math.min(first - SNIPPET / 4, text.length - SNIPPET));
	const cut = text
		.slice(from, from + SNIPPET)
		.toWellFormed()
		.trim();
	return `${from > 0 ? '… ' : ''}${cut}${from + SNIPPET < text.length ? ' …' : ''}`;
}

/** Characters folded at once. */
const PIECE = 8192;

/**
 * Where in a text stands what is at `at` of its folded form. Folding changes lengths, so the text is folded again up to
 * there: in pieces, and only the last of them character by character.
 */
function placeIn(text: string, at: number): number {
	let left = at;
	for (let from = 0; from < text.length;) {
		const end = from + PIECE;
		const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end;
		const piece = text.slice(from, to);
		const { length } = fold(piece);
		if (left < length) return from + placeInPiece(piece, left);
		left -= length;
		from = to;
	}
	return 0;
}

function placeInPiece(piece: string, at: number): number {
	let index = 0;
	let length = 0;
	for (const char of piece) {
		length += fold(char).length;
		if (length > at) return index;
		index += char.length;
	}
	return index;
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00;
