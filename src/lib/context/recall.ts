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
 * phrases above all. A plain scan, good for the tens of thousands of messages one branch has.
 */
export function searchMessages(
	messages: readonly ConversationMessage[],
	query: string
): SearchHit[] {
	const phrase = fold(query.trim());
	const words = [...new Set(phrase.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1))];
	if (words.length === 0) return [];
	const texts = messages.map((message) => fold(plainText(message)));
	const weight = words.map((word) => {
		const holding = texts.filter((text) => text.includes(word)).length;
		return Math.log(1 + messages.length / (1 + holding));
	});
	return messages
		.map((message, index) => {
			const text = texts[index] ?? '';
			const words_ = words.reduce(
				(score, word, at) => score + (text.includes(word) ? (weight[at] ?? 0) : 0),
				0
			);
			return { message, score: words_ * (text.includes(phrase) ? 2 : 1) };
		})
		.filter(({ score }) => score > 0)
		.sort((a, b) => b.score - a.score || b.message.depth - a.message.depth)
		.slice(0, HITS)
		.map(({ message }) => ({
			message: shortId(message.id),
			role: message.role,
			createdAt: message.createdAt,
			snippet: snippetOf(plainText(message), words)
		}));
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

/** Case and accents aside. NFD keeps the count of letters, not of code units, so snippets are cut by words. */
function fold(text: string): string {
	return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}

function snippetOf(text: string, words: readonly string[]): string {
	const lower = text.toLowerCase();
	const first = Math.max(0, ...words.map((word) => lower.indexOf(word)));
	const from = Math.max(0, Math.min(first - SNIPPET / 4, text.length - SNIPPET));
	const cut = text.slice(from, from + SNIPPET).trim();
	return `${from > 0 ? '… ' : ''}${cut}${from + SNIPPET < text.length ? ' …' : ''}`;
}
