import type {
	AssistantMessage,
	AssistantMetadata,
	Checkpoint,
	CheckpointMessage,
	Message,
	MessageId,
	Part,
	SessionId,
	TreeId,
	UserMessage
} from '../../src/lib/history/message';
import { emptyDraft, type Session } from '../../src/lib/history/session';
import { attach, attachCheckpoint, pathTo } from '../../src/lib/history/tree';

/** Builds a tree by growing it at `leaf`: `const [u1, a1] = grow().talk('hello', 'hi')`. Ids and clock are counters. */
export function grow(tree = 1): Grower {
	return new Grower(tree);
}

export const messageId = (n: number, tree = 1) =>
	`0190${hex(tree, 4)}-0000-7000-8000-${hex(n, 12)}` as MessageId;
export const treeId = (n = 1) => `tree-${n}` as TreeId;
export const sessionId = (n = 1) => `session-${n}` as SessionId;

const hex = (n: number, width: number) => n.toString(16).padStart(width, '0');

export const text = (value: string): Part => ({ type: 'text', text: value });
export const tool = (toolName: string, input: unknown, output: unknown): Part => ({
	type: 'dynamic-tool',
	toolName,
	toolCallId: `call-${toolName}`,
	state: 'output-available',
	input,
	output
});
export const file = (filename: string, tokens = 100): Part & { type: 'file' } => ({
	type: 'file',
	mediaType: 'text/plain',
	filename,
	sha256: 'ab'.repeat(32),
	size: 1000,
	tokens
});

/** A checkpoint's fields, all but what the test is about. */
export function checkpointFields(fields: Partial<Checkpoint> = {}): Checkpoint {
	return {
		summary: '## Key Decisions\n\n- [user] one (m:0000000001)',
		firstKeptMessageId: null,
		previousCheckpointId: null,
		references: [],
		template: 'general',
		trigger: 'manual',
		model: { provider: 'p', model: 'm' },
		usage: null,
		tokensBefore: 1000,
		tokensAfter: 100,
		coveredMessageCount: 2,
		passes: 1,
		digest: '00',
		durationMs: 1,
		...fields
	};
}

export class Grower {
	readonly rows = new Map<MessageId, Message>();
	leaf: Message | null = null;
	#next = 0;

	constructor(readonly tree: number) {}

	/** Moves to a message, as Retry, Edit and a switch of branch do. */
	at(message: Message | null): this {
		this.leaf = message;
		return this;
	}

	user(content: string | readonly Part[], under = this.leaf): UserMessage {
		const parts = typeof content === 'string' ? [text(content)] : content;
		return this.#put(
			attach({ role: 'user', parts, metadata: {} }, this.#place(under)) as UserMessage
		);
	}

	answer(
		content: string | readonly Part[],
		metadata: AssistantMetadata = {},
		under = this.leaf
	): AssistantMessage {
		const parts = typeof content === 'string' ? [text(content)] : content;
		const full = { model: { provider: 'p', model: 'm' }, finish: 'stop' as const, ...metadata };
		return this.#put(
			attach({ role: 'assistant', parts, metadata: full }, this.#place(under)) as AssistantMessage
		);
	}

	/** Alternates user and assistant, one message a text. */
	talk(...texts: readonly string[]): Message[] {
		return texts.map((content, index) =>
			index % 2 === 0 ? this.user(content) : this.answer(content)
		);
	}

	checkpoint(kept: Message | null, fields: Partial<Checkpoint> = {}): CheckpointMessage {
		const checkpoint = checkpointFields({
			firstKeptMessageId: kept?.id ?? null,
			previousCheckpointId: this.leaf?.checkpointId ?? null,
			...fields
		});
		return this.#put(attachCheckpoint(checkpoint, this.#place(this.leaf)));
	}

	/** The path from the root to the leaf, or to another message. */
	branch(to = this.leaf): Message[] {
		const path = to ? pathTo(to.id, this.rows.values()) : [];
		if (!path) throw new Error('The grown tree is damaged.');
		return path;
	}

	/** A session whose leaf is where the tree grows now. */
	session(fields: Partial<Session> = {}): Session {
		return {
			id: sessionId(),
			treeId: treeId(this.tree),
			leafId: this.leaf?.id ?? null,
			branchRevision: 0,
			title: 'A session',
			createdAt: 0,
			updatedAt: 0,
			model: { provider: 'p', model: 'm' },
			instructions: '',
			template: 'general',
			draft: emptyDraft,
			pinned: false,
			...fields
		};
	}

	#place(parent: Message | null) {
		const n = ++this.#next;
		return {
			id: messageId(n, this.tree),
			treeId: treeId(this.tree),
			sessionId: sessionId(),
			now: n,
			parent
		};
	}

	#put<M extends Message>(message: M): M {
		this.rows.set(message.id, message);
		this.leaf = message;
		return message;
	}
}

/** About `tokens` tokens of English that no two messages share. */
export function words(tokens: number, seed = 1): string {
	const out: string[] = [];
	for (let index = 0; index < tokens; index++) {
		const word = vocabulary[(index * 7 + seed * 13) % vocabulary.length] ?? 'word';
		out.push(word);
	}
	return out.join(' ');
}

const vocabulary =
	'gap test delay study week recall memory effect sample group review control method figure table result answer order learn year'.split(
		' '
	);
