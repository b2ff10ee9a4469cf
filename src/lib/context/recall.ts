import { shortId, type ConversationMessage } from '../history/message';
import { asText } from './measure';
import type { ToolSpec } from './request';

/** A passage found on the branch. */
export interface SearchHit {
	/** The short form of the message's id, as summaries cite it. */
	readonly message: string;
	readonly role: 'user' | 'assistant';
	/** Epoch milliseconds. */
	readonly createdAt: number;
	readonly snippet: string;
}

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
	}
];

const HITS = 8;
const SNIPPET = 320;

/**
 * Ranks the messages of a branch against a query: how many of its words a message holds, rarer words first, whole
 * phrases above all. A plain scan, good for the tens of thousands of messages one branch has. Rule C97.
 */
export function searchMessages(
	messages: readonly ConversationMessage[],
	query: string
): SearchHit[] {
	const phrase = fold(query.trim());
	const words = [...new Set(phrase.split(/[^\p{L}\p{N}]+/u).filter(isSearchable))];
	if (words.length === 0) return [];
	const texts = messages.map((message) => fold(plainText(message)));
	const weighed = words
		.map((word) => {
			const holding = texts.filter((text) => text.includes(word)).length;
			return { word, weight: Math.log(1 + messages.length / (1 + holding)) };
		})
		.sort((a, b) => b.weight - a.weight);
	return messages
		.map((message, index) => {
			const text = texts[index] ?? '';
			const sum = weighed.reduce(
				(score, { word, weight }) => score + (text.includes(word) ? weight : 0),
				0
			);
			return { message, score: sum * (text.includes(phrase) ? 2 : 1) };
		})
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score || b.message.depth - a.message.depth)
		.slice(0, HITS)
		.map(({ message }) => ({
			message: shortId(message.id),
			role: message.role,
			createdAt: message.createdAt,
			snippet: snippetOf(plainText(message), [phrase, ...weighed.map(({ word }) => word)])
		}));
}

/** One Latin letter stands in every message; one ideograph is a word. */
function isSearchable(word: string): boolean {
	return word.length > 1 || word > '\u2e80';
}

/** A message as plain text: what was said, and what its tools were asked and answered. */
export function plainText(message: ConversationMessage): string {
	return message.parts
		.map((part) => {
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
		})
		.filter((text) => text !== '')
		.join('\n\n');
}

/** Case and the accents of Latin, Greek, Cyrillic, Hebrew and Arabic aside. Plain ASCII is most of what is folded. */
function fold(text: string): string {
	const lower = text.toLowerCase();
	return isAscii.test(lower) ? lower : lower.normalize('NFD').replace(accents, '');
}

const isAscii = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g;

/** The passage around the first of `words` that stands in the text; they come with the most telling first. */
function snippetOf(text: string, words: readonly string[]): string {
	const { folded, places } = foldedPlaces(text);
	const at = words.map((word) => folded.indexOf(word)).find((index) => index !== -1) ?? 0;
	const first = places[at] ?? 0;
	const from = Math.max(0, Math.min(first - SNIPPET / 4, text.length - SNIPPET));
	const cut = text
		.slice(from, from + SNIPPET)
		.toWellFormed()
		.trim();
	return `${from > 0 ? '… ' : ''}${cut}${from + SNIPPET < text.length ? ' …' : ''}`;
}

/** A text folded, and for each code unit of that where it stands in the text: folding changes lengths. */
function foldedPlaces(text: string): { folded: string; places: number[] } {
	const places: number[] = [];
	let folded = '';
	let index = 0;
	for (const char of text) {
		const piece = fold(char);
		for (let unit = 0; unit < piece.length; unit++) places.push(index);
		folded += piece;
		index += char.length;
	}
	return { folded, places };
}
