import { z } from 'zod';
import type {
	Checkpoint,
	Message,
	MessageId,
	Part,
	ReferenceKind,
	SessionId,
	TreeId
} from '../history/message';
import type { Draft, Pin, Session } from '../history/session';
import { limits } from './limits';
import type { AttachmentRow } from './result';

// zod compiles its checks with `new Function` unless told not to; the app's content security policy forbids that.
z.config({ jitless: true });

/**
 * The version of Hilo JSON these schemas describe. It rises only when an older Hilo would misread a newer file; a new
 * field does not raise it.
 */
export const HILO_VERSION = 1;

/** Ids stand in addresses and in the page, so only harmless characters. Hilo writes UUIDs; others may be shorter. */
const ID = /^[A-Za-z0-9][\w-]{0,63}$/;
const id = <T extends string>() =>
	z.custom<T>((value) => typeof value === 'string' && ID.test(value), 'is not an id');
const messageId = id<MessageId>();

/** The last millisecond a Date can hold. */
const time = z.number().min(0).max(8.64e15);
const count = z.number().int().nonnegative();
const amount = z.number().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'is not a SHA-256');

// Objects are loose: a field that this version does not know is kept as it is, so that an export loses nothing. Each
// schema is annotated with the contract's type: where they drift apart, it does not compile.

const modelRef = z.looseObject({ provider: z.string(), model: z.string() });
const usage = z.looseObject({
	inputTokens: amount,
	outputTokens: amount,
	cachedInputTokens: amount.optional(),
	reasoningTokens: amount.optional()
});
const source = z.looseObject({ format: z.string(), raw: z.unknown().optional() });

const filePart = z.looseObject({
	type: z.literal('file'),
	mediaType: z.string(),
	filename: z.string(),
	sha256: hash,
	size: count,
	tokens: amount,
	width: amount.optional(),
	height: amount.optional()
});

/**
 * Any JSON value, or none: JSON cannot write `undefined`, so a call whose input has not arrived has no `input` there.
 * The cast tells the compiler so; for the contract a missing input and one of `undefined` are the same.
 */
const anything = z.unknown().optional() as unknown as z.ZodUnknown;

const toolPart = z.looseObject({
	type: z.literal('dynamic-tool'),
	toolName: z.string(),
	toolCallId: z.string(),
	state: z.enum([
		'input-streaming',
		'input-available',
		'approval-requested',
		'output-available',
		'output-error',
		'output-denied'
	]),
	input: anything,
	output: z.unknown().optional(),
	errorText: z.string().optional()
});

const part: z.ZodType<Part> = z.discriminatedUnion('type', [
	z.looseObject({ type: z.literal('text'), text: z.string() }),
	z.looseObject({
		type: z.literal('reasoning'),
		text: z.string(),
		providerMetadata: z.record(z.string(), z.unknown()).optional()
	}),
	filePart,
	toolPart,
	z.looseObject({ type: z.literal('step-start') })
]);

const entry = {
	id: messageId,
	treeId: id<TreeId>(),
	parentId: messageId.nullable(),
	depth: count,
	checkpointId: messageId.nullable(),
	originSessionId: id<SessionId>(),
	createdAt: time,
	parts: z.array(part).max(limits.partsPerMessage)
};

const userMessage = z.looseObject({
	...entry,
	role: z.literal('user'),
	metadata: z.looseObject({ source: source.optional() })
});

const assistantMessage = z.looseObject({
	...entry,
	role: z.literal('assistant'),
	metadata: z.looseObject({
		model: modelRef.optional(),
		finish: z
			.enum([
				'stop',
				'length',
				'tool-calls',
				'content-filter',
				'stopped',
				'interrupted',
				'error',
				'other'
			])
			.optional(),
		usage: usage.optional(),
		totalUsage: usage.optional(),
		fixedTokens: amount.optional(),
		hasLeftOut: z.boolean().optional(),
		errorText: z.string().optional(),
		durationMs: amount.optional(),
		source: source.optional()
	})
});

const template = z.enum(['research', 'general', 'code']);
const referenceKind: z.ZodType<ReferenceKind> = z.enum([
	'url',
	'doi',
	'arxiv',
	'isbn',
	'zotero-key',
	'citekey',
	'path',
	'command',
	'identifier',
	'page',
	'quantity',
	'date',
	'quotation',
	'decision',
	'file'
]);

const checkpoint: z.ZodType<Checkpoint> = z.looseObject({
	summary: z.string(),
	firstKeptMessageId: messageId.nullable(),
	previousCheckpointId: messageId.nullable(),
	references: z.array(
		z.looseObject({
			kind: referenceKind,
			text: z.string(),
			messageIds: z.array(messageId),
			count,
			kept: z.boolean()
		})
	),
	template,
	trigger: z.enum(['manual', 'auto', 'preflight']),
	model: modelRef,
	usage: usage.nullable(),
	tokensBefore: amount,
	tokensAfter: amount,
	coveredMessageCount: count,
	passes: count,
	digest: z.string(),
	durationMs: amount,
	focus: z.string().optional(),
	pinned: z.array(z.looseObject({ messageId: messageId.nullable(), text: z.string() })).optional()
});

const checkpointMessage = z.looseObject({
	...entry,
	role: z.literal('checkpoint'),
	parts: z.array(part).max(0),
	metadata: z.record(z.string(), z.never()),
	checkpoint
});

export const messageSchema: z.ZodType<Message> = z.discriminatedUnion('role', [
	userMessage,
	assistantMessage,
	checkpointMessage
]);

const pin: z.ZodType<Pin> = z.discriminatedUnion('kind', [
	z.looseObject({ kind: z.literal('message'), messageId }),
	z.looseObject({ kind: z.literal('reference'), reference: referenceKind, text: z.string() })
]);

const draft: z.ZodType<Draft> = z.looseObject({ text: z.string(), files: z.array(filePart) });

export const sessionSchema: z.ZodType<Session> = z.looseObject({
	id: id<SessionId>(),
	treeId: id<TreeId>(),
	leafId: messageId.nullable(),
	branchRevision: count,
	title: z.string(),
	createdAt: time,
	updatedAt: time,
	model: modelRef,
	instructions: z.string(),
	template,
	draft,
	pinned: z.boolean(),
	pins: z.array(pin).optional(),
	failures: z.looseObject({ count, model: modelRef }).nullable().optional(),
	undone: z.array(messageId).optional(),
	discardedAt: time.nullable().optional()
});

export const attachmentSchema: z.ZodType<AttachmentRow> = z.looseObject({
	sha256: hash,
	mediaType: z.string(),
	filename: z.string().optional(),
	base64: z.string()
});

/** A row that matches its schema, or the sentence that says where it does not. */
export type Checked<T> =
	{ readonly ok: true; readonly row: T } | { readonly ok: false; readonly why: string };

/** Checks one row. The row itself comes back, not a copy: what was written is what is stored, to the last field. */
export function check<T>(schema: z.ZodType<T>, row: unknown): Checked<T> {
	const found = schema.safeParse(row);
	// The schema has just said that the row is one; zod's own copy would be the same with its keys in another order.
	if (found.success) return { ok: true, row: row as T };
	const issue = found.error.issues[0];
	const path = (issue?.path ?? []).reduce<string>(
		(text, key) =>
			typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key),
		''
	);
	const words = issue?.message ?? 'not valid';
	return { ok: false, why: path ? `"${path}": ${words}` : words };
}
