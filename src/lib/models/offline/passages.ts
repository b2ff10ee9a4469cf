import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider';
import { isOwnAnswer } from './language';
import { isFurniture, linesOfJson, plainLine, sentencesOf } from './sentences';

/** Where a passage comes from. `turns` counts user messages between it and the question. */
export type Origin =
	| { readonly kind: 'user' | 'model'; readonly turns: number }
	| { readonly kind: 'checkpoint'; readonly section: string; readonly ids: string }
	| { readonly kind: 'attachment'; readonly name: string; readonly at: number }
	/** `fresh`: returned after the last user message, so asked for by this very question. */
	| {
			readonly kind: 'tool';
			readonly name: string;
			readonly detail: string;
			readonly fresh: boolean;
	  };

export interface Passage {
	readonly text: string;
	readonly origin: Origin;
}

/** A prompt, read: the question, what was attached to it, and everything that can be quoted. */
export interface Conversation {
	readonly question: string;
	readonly passages: readonly Passage[];
	/** Attachments of the last user message. */
	readonly attached: readonly { readonly name: string; readonly passages: readonly Passage[] }[];
	/** User messages before the question. */
	readonly earlierTurns: number;
	readonly hasCheckpoint: boolean;
	/** Names of the tools that answered after the question. */
	readonly answeredTools: ReadonlySet<string>;
	/** Tool calls anywhere in the prompt. */
	readonly callCount: number;
}

/** Characters a passage may have before it is split at sentences. */
const passageMax = 420;

/** Reads a prompt. Instructions are not quotable; a system message after them is the checkpoint. */
export function readConversation(prompt: LanguageModelV4Prompt): Conversation {
	const lastUser = prompt.findLastIndex((message) => message.role === 'user');
	const userCount = prompt.filter((message) => message.role === 'user').length;
	const passages: Passage[] = [];
	const attached: { name: string; passages: Passage[] }[] = [];
	const answeredTools = new Set<string>();
	let question = '';
	let usersSeen = 0;
	let hasCheckpoint = false;
	let callCount = 0;

	prompt.forEach((message, index) => {
		const turns = Math.max(0, userCount - Math.max(1, usersSeen));
		switch (message.role) {
			case 'system':
				if (index === 0 && !/\(m:[\w-]{6,}/.test(message.content)) break;
				hasCheckpoint = true;
				passages.push(...checkpointPassages(message.content));
				break;
			case 'user': {
				usersSeen++;
				const text = message.content.map((p) => (p.type === 'text' ? p.text : '')).join('\n\n');
				const { said, files } = withoutAttachments(text);
				for (const { name, body } of files) {
					const quotable = split(body).map((piece, at): Passage => ({
						text: piece,
						origin: { kind: 'attachment', name, at: at + 1 }
					}));
					passages.push(...quotable);
					if (index === lastUser) attached.push({ name, passages: quotable });
				}
				if (index === lastUser) question = said.trim();
				else push(passages, said, { kind: 'user', turns: userCount - usersSeen });
				break;
			}
			case 'assistant':
				for (const part of message.content) {
					if (part.type === 'tool-call') callCount++;
					if (part.type === 'text' && !isOwnAnswer(part.text))
						push(passages, part.text, { kind: 'model', turns });
				}
				break;
			case 'tool':
				for (const part of message.content) {
					if (part.type !== 'tool-result') continue;
					const fresh = index > lastUser;
					if (fresh) answeredTools.add(part.toolName);
					passages.push(...toolPassages(part.toolName, part.output, fresh));
				}
		}
	});
	return {
		question,
		passages,
		attached,
		earlierTurns: Math.max(0, userCount - 1),
		hasCheckpoint,
		answeredTools,
		callCount
	};
}

function push(passages: Passage[], text: string, origin: Origin): void {
	for (const piece of split(text)) passages.push({ text: piece, origin });
}

const attachment = /<attachment name="([^"]*)"[^>]*>\n([\s\S]*?)\n<\/attachment>/g;

function withoutAttachments(text: string): {
	said: string;
	files: { name: string; body: string }[];
} {
	const files: { name: string; body: string }[] = [];
	const said = text.replace(attachment, (_, name: string, body: string) => {
		files.push({ name, body });
		return '';
	});
	return { said, files };
}

/** Paragraphs and list items; long ones in groups of sentences. */
export function split(text: string): string[] {
	const pieces: string[] = [];
	for (const block of text.split(/\n\s*\n|\n(?=\s*(?:[-*+•]|\d{1,3}[.)])\s)|\n(?=#{1,6}\s)/)) {
		const lines = block
			.split('\n')
			.filter((line) => !isFurniture(line))
			.map(plainLine);
		const flat = lines.filter((line) => line !== '').join(' ');
		if (flat === '') continue;
		if (flat.length <= passageMax) {
			pieces.push(flat);
			continue;
		}
		let group = '';
		for (const sentence of sentencesOf(flat)) {
			if (group !== '' && group.length + sentence.length > passageMax) {
				pieces.push(group);
				group = '';
			}
			group = group === '' ? sentence : `${group} ${sentence}`;
		}
		if (group !== '') pieces.push(group);
	}
	return pieces;
}

function checkpointPassages(text: string): Passage[] {
	const passages: Passage[] = [];
	let section = '';
	for (const line of text.split('\n')) {
		const heading = /^#{1,4}\s+(.+?)\s*$/.exec(line)?.[1];
		if (heading) section = heading;
		else if (/^\s*[-*]\s+\S/.test(line)) {
			const ids = [...line.matchAll(/m:[\w-]{6,}/g)].map(([id]) => id).join(', ');
			const claim = plainLine(line)
				.replace(/^\[(?:user|tool|model)\]\s*/, '')
				.replace(/\s*\((?:m:[\w-]+(?:[,;]\s*)?)+\)\s*$/, '');
			if (claim !== '')
				passages.push({ text: claim, origin: { kind: 'checkpoint', section, ids } });
		}
	}
	return passages;
}

type Bag = Readonly<Record<string, unknown>>;
const isBag = (value: unknown): value is Bag => typeof value === 'object' && value !== null;

function toolPassages(
	name: string,
	output: LanguageModelV4ToolResultOutput,
	fresh: boolean
): Passage[] {
	if (output.type === 'execution-denied' || output.type.startsWith('error')) return [];
	const text =
		output.type === 'json'
			? JSON.stringify(output.value)
			: output.type === 'text'
				? output.value
				: output.type === 'content'
					? output.value.map((part) => (part.type === 'text' ? part.text : '')).join('\n\n')
					: '';
	const hits = hitsIn(text);
	if (hits.length > 0)
		return hits.flatMap(({ body, detail }) =>
			split(body).map((piece) => ({ text: piece, origin: { kind: 'tool', name, detail, fresh } }))
		);
	const pieces = linesOfJson(text) ?? split(text);
	return pieces.map((piece) => ({
		text: piece,
		origin: { kind: 'tool', name, detail: '', fresh }
	}));
}

/** Search hits: objects with a passage and the message it stands in. Hits that are answers of this model are left out. */
function hitsIn(text: string): { body: string; detail: string }[] {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return [];
	}
	const hits: { body: string; detail: string }[] = [];
	const walk = (node: unknown): void => {
		if (Array.isArray(node)) node.forEach(walk);
		else if (isBag(node)) {
			const body = [node['snippet'], node['text'], node['excerpt']].find(
				(v) => typeof v === 'string'
			);
			const id = [node['message'], node['messageId'], node['id']].find(
				(v) => typeof v === 'string'
			);
			if (typeof body === 'string' && typeof id === 'string') {
				const role = typeof node['role'] === 'string' ? `${node['role']}, ` : '';
				hits.push({ body: foreign(body), detail: `${role}m:${id.replace(/^m:/, '')}` });
			} else Object.values(node).forEach(walk);
		}
	};
	walk(value);
	return hits;
}

/** A hit without what this model itself said in it: source lines, fixed phrases and its copies of other passages. */
function foreign(body: string): string {
	return isOwnAnswer(body) || /^— .+$/m.test(body)
		? body
				.replace(/^(?:>|— ).*$/gm, '')
				.replace(/^.*$/gm, (line) => (isOwnAnswer(line) ? '' : line))
		: body;
}
