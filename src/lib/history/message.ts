/** Ids are UUIDv7 strings; the brands keep one kind from standing in for another. */
export type MessageId = string & { readonly __brand: 'MessageId' };
export type SessionId = string & { readonly __brand: 'SessionId' };
export type TreeId = string & { readonly __brand: 'TreeId' };

/** Verbatim text of a user or a model. */
export interface TextPart {
	readonly type: 'text';
	readonly text: string;
}

/** A model's reasoning as the provider sent it. Never summarised, replayed only where the provider wants it. */
export interface ReasoningPart {
	readonly type: 'reasoning';
	readonly text: string;
	readonly providerMetadata?: Readonly<Record<string, unknown>>;
}

/** A file whose bytes live in `attachments` under their SHA-256, so that a message row stays small. */
export interface FilePart {
	readonly type: 'file';
	readonly mediaType: string;
	readonly filename: string;
	readonly sha256: string;
	/** Bytes. */
	readonly size: number;
	/** Estimated tokens of the file as it is sent, measured once when it was attached. */
	readonly tokens: number;
	/** Pixels, for images. */
	readonly width?: number;
	readonly height?: number;
}

/** One tool call and what became of it. The shape follows the AI SDK's dynamic tool part. */
export interface ToolPart {
	readonly type: 'dynamic-tool';
	readonly toolName: string;
	readonly toolCallId: string;
	readonly state:
		| 'input-streaming'
		| 'input-available'
		| 'approval-requested'
		| 'output-available'
		| 'output-error'
		| 'output-denied';
	readonly input: unknown;
	readonly output?: unknown;
	readonly errorText?: string;
}

/** The beginning of one model call inside an answer that needed several. */
export interface StepStartPart {
	readonly type: 'step-start';
}

/** One piece of a message, shaped like the AI SDK's UIMessage parts. */
export type Part = TextPart | ReasoningPart | FilePart | ToolPart | StepStartPart;

/** Tokens the provider reported for the **last step** of an answer. Input includes cached tokens, counted once. */
export interface Usage {
	readonly inputTokens: number;
	readonly outputTokens: number;
	readonly cachedInputTokens?: number;
	readonly reasoningTokens?: number;
}

/** Which model answered, as `provider` (the configured provider's id) and `model` (the provider's name for it). */
export interface ModelRef {
	readonly provider: string;
	readonly model: string;
}

/**
 * Why an answer ended. `stopped`: the user pressed Stop. `interrupted`: the tab or the browser died. `error`: the
 * provider or the network failed. The others are the provider's own words.
 */
export type Finish =
	| 'stop'
	| 'length'
	| 'tool-calls'
	| 'content-filter'
	| 'stopped'
	| 'interrupted'
	| 'error'
	| 'other';

/** Where an imported message came from, and what of the original has no place of its own here. */
export interface Source {
	readonly format: string;
	readonly raw?: unknown;
}

export interface UserMetadata {
	readonly source?: Source;
}

export interface AssistantMetadata {
	readonly model?: ModelRef;
	readonly finish?: Finish;
	/** The last step's usage: the size of the context. Absent where the provider reported none. */
	readonly usage?: Usage;
	/** The sum over all steps: what was billed. Never read as occupancy. */
	readonly totalUsage?: Usage;
	/** Uncalibrated tokens of the instructions and tools it was asked with: those may change later. */
	readonly fixedTokens?: number;
	/** Tool results were left out in the last step's request: `usage` is then no measure of the next one. */
	readonly hasLeftOut?: boolean;
	readonly errorText?: string;
	readonly durationMs?: number;
	readonly source?: Source;
}

/** `manual`: the user asked; `auto`: after a turn; `preflight`: before a send. */
export type Trigger = 'manual' | 'auto' | 'preflight';

export type TemplateName = 'research' | 'general' | 'code';

/** Something concrete that a summary must not lose, found by code in the covered messages. */
export interface Reference {
	readonly kind: ReferenceKind;
	/** The exact text. */
	readonly text: string;
	readonly messageIds: readonly MessageId[];
	/** Times a person or a model said it in the covered messages; 0 where only tools returned it. */
	readonly count: number;
	/** Whether the summary carries it verbatim (in its prose or under "Preserved references"). */
	readonly kept: boolean;
}

export type ReferenceKind =
	| 'url'
	| 'doi'
	| 'arxiv'
	| 'isbn'
	| 'zotero-key'
	| 'citekey'
	| 'path'
	| 'command'
	| 'identifier'
	| 'page'
	| 'quantity'
	| 'date'
	| 'quotation'
	| 'decision'
	| 'file';

/** A text that a person pinned: carried verbatim in every later checkpoint. */
export interface PinnedText {
	/** The message it is of, or null for a pinned reference. */
	readonly messageId: MessageId | null;
	readonly text: string;
}

/** A checkpoint's own fields. See `compaction/SPEC.md`. */
export interface Checkpoint {
	/** Markdown in the template's fixed sections. */
	readonly summary: string;
	/** The user message where verbatim text resumes, or null when nothing before the checkpoint stays verbatim. */
	readonly firstKeptMessageId: MessageId | null;
	readonly previousCheckpointId: MessageId | null;
	readonly references: readonly Reference[];
	readonly template: TemplateName;
	readonly trigger: Trigger;
	readonly model: ModelRef;
	readonly usage: Usage | null;
	/** Occupancy in tokens before and after, by the same estimator. */
	readonly tokensBefore: number;
	readonly tokensAfter: number;
	/** Messages folded in by this checkpoint (not those of earlier ones). */
	readonly coveredMessageCount: number;
	/** Model calls the summary took. */
	readonly passes: number;
	/** SHA-256 of the covered message ids and the previous summary. */
	readonly digest: string;
	readonly durationMs: number;
	/** What the user asked to keep, if anything. */
	readonly focus?: string;
	/** Pinned texts no longer sent in their place. They stand in the request under the summary. Absent where none are. */
	readonly pinned?: readonly PinnedText[];
}

interface Entry {
	readonly id: MessageId;
	readonly treeId: TreeId;
	readonly parentId: MessageId | null;
	/** Distance from the root; the root has 0. Derived from the parent at insertion, never changed. */
	readonly depth: number;
	/** The newest checkpoint at or above this message, or null. Derived from the parent at insertion, never changed. */
	readonly checkpointId: MessageId | null;
	readonly originSessionId: SessionId;
	/** Epoch milliseconds. */
	readonly createdAt: number;
	readonly parts: readonly Part[];
}

export interface UserMessage extends Entry {
	readonly role: 'user';
	readonly metadata: UserMetadata;
}

export interface AssistantMessage extends Entry {
	readonly role: 'assistant';
	readonly metadata: AssistantMetadata;
}

export interface CheckpointMessage extends Entry {
	readonly role: 'checkpoint';
	readonly metadata: Readonly<Record<string, never>>;
	readonly checkpoint: Checkpoint;
}

/** A message a person or a model wrote. Ordinary persistence writes only these. */
export type ConversationMessage = UserMessage | AssistantMessage;

/** One durable entry of the history tree. Immutable once written. */
export type Message = ConversationMessage | CheckpointMessage;

/** A conversation message before the tree has given it its place: id, depth and checkpoint come at insertion. */
export type MessageDraft =
	| { readonly role: 'user'; readonly parts: readonly Part[]; readonly metadata: UserMetadata }
	| {
			readonly role: 'assistant';
			readonly parts: readonly Part[];
			readonly metadata: AssistantMetadata;
	  };

/** The text parts of a message, joined by blank lines. */
export function textOf(message: { readonly parts: readonly Part[] }): string {
	return message.parts
		.filter((part) => part.type === 'text')
		.map((part) => part.text)
		.join('\n\n');
}

/**
 * The short form of an id, as summaries cite it: `(m:0123456789)`. The last ten hex digits, because a UUIDv7 begins
 * with the clock and messages of one minute would share their first digits.
 */
export function shortId(id: MessageId): string {
	return id.replaceAll('-', '').slice(-10);
}
