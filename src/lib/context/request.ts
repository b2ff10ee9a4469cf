import type { ConversationMessage } from '../history/message';

/** A tool as the model sees it. `inputSchema` is JSON Schema. */
export interface ToolSpec {
	readonly name: string;
	readonly description: string;
	readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A system message. The checkpoint is one of its own, right after the instructions. */
export interface SystemBlock {
	readonly kind: 'instructions' | 'checkpoint';
	readonly text: string;
}

/**
 * Everything a model receives, before it is put into a provider's words. "What the model sees" shows exactly this
 * value, and exactly this value is sent.
 */
export interface ModelRequest {
	readonly system: readonly SystemBlock[];
	/** Tail, later messages and the pending message, verbatim, oldest first. */
	readonly messages: readonly ConversationMessage[];
	readonly tools: readonly ToolSpec[];
	/** Tokens. */
	readonly maxOutputTokens: number;
}
