import type { ConversationMessage, Part } from '$lib/history/message';
import type { ModelRequest } from '$lib/context/request';

/** One thing the model receives, as text to read. */
export interface SeenBlock {
	readonly key: string;
	readonly label: string;
	readonly text: string;
	/** Estimated. */
	readonly tokens: number;
}
export interface SeenGroup {
	readonly title: string;
	readonly blocks: readonly SeenBlock[];
	readonly tokens: number;
}

function partText(part: Part): string {
	switch (part.type) {
		case 'text':
			return part.text;
		case 'reasoning':
			return `[reasoning]\n${part.text}`;
		case 'file':
			return `[file ${part.filename}, ${part.mediaType}, ${part.size} bytes]`;
		case 'dynamic-tool':
			return `[${part.toolName}] ${JSON.stringify(part.input)}\n${part.errorText ?? resultText(part.output)}`;
		case 'step-start':
			return '';
	}
}
/** A text as it is, so that the sentence where it was cut can be read; anything else as JSON. */
const resultText = (output: unknown) =>
	typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
const messageText = (message: ConversationMessage) =>
	message.parts.map(partText).filter(Boolean).join('\n\n');
const fileTokens = (message: ConversationMessage) =>
	message.parts.reduce((sum, part) => sum + (part.type === 'file' ? part.tokens : 0), 0);

/**
 * The next request, part by part.
 * @param tokensOf estimated tokens of a text
 */
export function seenGroups(
	request: ModelRequest,
	tokensOf: (text: string) => number
): readonly SeenGroup[] {
	const group = (title: string, blocks: readonly SeenBlock[]): SeenGroup => ({
		title,
		blocks,
		tokens: blocks.reduce((sum, { tokens }) => sum + tokens, 0)
	});
	return [
		group(
			'System',
			request.system.map(({ kind, text }, index) => ({
				key: `system:${index}`,
				label: kind === 'checkpoint' ? 'Checkpoint' : 'Instructions',
				text,
				tokens: tokensOf(text)
			}))
		),
		group(
			'Messages',
			request.messages.map((message, index) => {
				const text = messageText(message);
				return {
					key: `message:${index}`,
					label: message.role === 'user' ? 'You' : 'Answer',
					text,
					tokens: tokensOf(text) + fileTokens(message)
				};
			})
		),
		group(
			'Tools',
			request.tools.map((tool) => {
				const text = `${tool.description}\n\n${JSON.stringify(tool.inputSchema, null, 2)}`;
				return {
					key: `tool:${tool.name}`,
					label: tool.name,
					text,
					tokens: tokensOf(JSON.stringify(tool))
				};
			})
		)
	].filter(({ blocks }) => blocks.length > 0);
}
