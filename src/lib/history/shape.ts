import type { Checkpoint, FilePart, Message, MessageId, Part, SessionId, TreeId } from './message';

/**
 * What a stored row says, read without trusting it. A whole row is given back as the same object. One that is broken in
 * places is given back without those places, and `faults` says which they were; what cannot be read at all has a reason.
 */
export type Reading =
	| { readonly message: Message; readonly faults: readonly string[] }
	| { readonly message: null; readonly why: string };

type Fields = Readonly<Record<string, unknown>>;
type Test = (value: unknown) => boolean;

const isText: Test = (value) => typeof value === 'string';
export const isAmount: Test = (value) =>
	typeof value === 'number' && value >= 0 && value < Infinity;
const isBoolean: Test = (value) => typeof value === 'boolean';
const isNullable =
	(test: Test): Test =>
	(value) =>
		value === null || test(value);
const isOneOf =
	(...values: readonly unknown[]): Test =>
	(value) =>
		values.includes(value);
const isList =
	(test: Test): Test =>
	(value) =>
		Array.isArray(value) && value.every(test);

/** A plain record. Dates, maps and bytes can stand in a database too, and are none. */
export function isRecord(value: unknown): value is Fields {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value can be the id of a message. A key of the database may also be a number, a date or a list. */
export function isId(value: unknown): value is MessageId {
	return typeof value === 'string' && value !== '';
}

/** The last millisecond a Date can hold. */
const LAST_MOMENT = 8.64e15;
export function isMoment(value: unknown): value is number {
	return typeof value === 'number' && value >= 0 && value <= LAST_MOMENT;
}

export function isDepth(value: unknown): value is number {
	return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** Fields that must be right where they are there. */
const has = (required: Tests, optional: Tests = {}): Test => {
	const needed = Object.entries(required);
	const possible = Object.entries(optional);
	return (value) =>
		isRecord(value) &&
		needed.every(([name, test]) => test(value[name])) &&
		possible.every(([name, test]) => value[name] === undefined || test(value[name]));
};
type Tests = Readonly<Record<string, Test>>;

export const isModel = has({ provider: isText, model: isText });
const isUsage = has(
	{ inputTokens: isAmount, outputTokens: isAmount },
	{ cachedInputTokens: isAmount, reasoningTokens: isAmount }
);
const isSource = has({ format: isText });

const parts: Readonly<Record<Part['type'], Test>> = {
	text: has({ text: isText }),
	reasoning: has({ text: isText }, { providerMetadata: isRecord }),
	file: has(
		{ mediaType: isText, filename: isText, sha256: isText, size: isAmount, tokens: isAmount },
		{ width: isAmount, height: isAmount }
	),
	'dynamic-tool': has(
		{
			toolName: isText,
			toolCallId: isText,
			state: isOneOf(
				'input-streaming',
				'input-available',
				'approval-requested',
				'output-available',
				'output-error',
				'output-denied'
			)
		},
		{ errorText: isText }
	),
	'step-start': () => true
};

export function isPart(value: unknown): value is Part {
	if (!isRecord(value) || typeof value['type'] !== 'string') return false;
	const test = Object.hasOwn(parts, value['type']) ? parts[value['type'] as Part['type']] : null;
	return test?.(value) ?? false;
}

/** A file as a draft or a message carries it. */
export function isFile(value: unknown): value is FilePart {
	return isPart(value) && value.type === 'file';
}

/** Something that a person pinned. */
export const isPin: Test = (value) =>
	isRecord(value) &&
	(value['kind'] === 'message'
		? isId(value['messageId'])
		: value['kind'] === 'reference' && isText(value['reference']) && isText(value['text']));

const answerMetadata: Tests = {
	model: isModel,
	finish: isOneOf(
		'stop',
		'length',
		'tool-calls',
		'content-filter',
		'stopped',
		'interrupted',
		'error',
		'other'
	),
	usage: isUsage,
	totalUsage: isUsage,
	fixedTokens: isAmount,
	errorText: isText,
	durationMs: isAmount,
	source: isSource
};

/** A checkpoint is its summary and where the tail begins. The rest is what is told about it: absent, it is zero. */
const checkpointRest: readonly (readonly [keyof Checkpoint, Test, unknown])[] = [
	[
		'references',
		isList(
			has({
				kind: isText,
				text: isText,
				messageIds: isList(isId),
				count: isAmount,
				kept: isBoolean
			})
		),
		[]
	],
	['template', isOneOf('research', 'general', 'code'), 'general'],
	['trigger', isOneOf('manual', 'auto', 'preflight'), 'manual'],
	['model', isModel, { provider: '', model: '' }],
	['usage', isNullable(isUsage), null],
	['tokensBefore', isAmount, 0],
	['tokensAfter', isAmount, 0],
	['coveredMessageCount', isAmount, 0],
	['passes', isAmount, 0],
	['digest', isText, ''],
	['durationMs', isAmount, 0]
];
const checkpointOptional: Tests = {
	focus: isText,
	pinned: isList(has({ messageId: isNullable(isId), text: isText }))
};

/** Reads one row of `messages`. Rule H51. Never throws, whatever was stored; takes time in proportion to its parts. */
export function readRow(row: unknown): Reading {
	if (!isRecord(row)) return unreadable('it is not a message');
	const { id, role, parts: stored, metadata } = row;
	if (!isId(id)) return unreadable('it has no id');
	if (role !== 'user' && role !== 'assistant' && role !== 'checkpoint') {
		return unreadable('nobody is named as its author');
	}
	if (!Array.isArray(stored)) return unreadable('it has no content');
	const faults: string[] = [];
	const fixed: Record<string, unknown> = {};
	const replace = (name: string, value: unknown, fault: string) => {
		fixed[name] = value;
		faults.push(fault);
	};

	const sound = stored.filter(isPart);
	const lost = stored.length - sound.length;
	if (lost > 0 && sound.length === 0) return unreadable('its content is of no known kind');
	if (lost > 0) {
		replace(
			'parts',
			sound,
			`${lost === 1 ? 'one' : lost} of its ${stored.length} parts cannot be read`
		);
	}
	if (!isRecord(metadata)) replace('metadata', {}, 'what was noted beside it cannot be read');
	else {
		const tests =
			role === 'assistant' ? answerMetadata : role === 'user' ? { source: isSource } : {};
		const wrong = Object.entries(tests).filter(
			([name, test]) => metadata[name] !== undefined && !test(metadata[name])
		);
		if (wrong.length > 0) {
			const names = wrong.map(([name]) => name);
			replace(
				'metadata',
				Object.fromEntries(Object.entries(metadata).filter(([name]) => !names.includes(name))),
				`of what was noted beside it, this cannot be read: ${names.join(', ')}`
			);
		}
	}
	if (role === 'checkpoint') {
		const read = readCheckpoint(row['checkpoint']);
		if (typeof read === 'string') return unreadable(read);
		if (read.faults.length > 0) {
			replace(
				'checkpoint',
				read.checkpoint,
				`of what it tells, this cannot be read: ${read.faults.join(', ')}`
			);
		}
	}
	if (!isMoment(row['createdAt'])) {
		replace('createdAt', momentOf(id), 'when it was written cannot be read');
	}
	if (typeof row['originSessionId'] !== 'string') {
		replace('originSessionId', '' as SessionId, 'where it was written cannot be read');
	}
	if (typeof row['treeId'] !== 'string') fixed['treeId'] = '' as TreeId;
	if (!isDepth(row['depth'])) fixed['depth'] = 0;
	if (row['parentId'] !== null && !isId(row['parentId'])) fixed['parentId'] = null;
	if (row['checkpointId'] !== null && !isId(row['checkpointId'])) fixed['checkpointId'] = null;
	// All that a message needs has been looked at; what an import brought beside that is kept.
	const message = Object.keys(fixed).length === 0 ? row : { ...row, ...fixed };
	return { message: message as unknown as Message, faults };
}

/** Whether a row can be taken as it is, its place in the tree apart. What a read of a branch asks of each row. */
export function isWhole(row: unknown): row is Message {
	const { message } = readRow(row);
	return message !== null && message === row;
}

function unreadable(why: string): Reading {
	return { message: null, why };
}

function readCheckpoint(value: unknown) {
	if (!isRecord(value)) return 'it is a checkpoint without a summary';
	const { summary, firstKeptMessageId, previousCheckpointId } = value;
	if (typeof summary !== 'string' || summary.trim() === '') {
		return 'it is a checkpoint without a summary';
	}
	if (firstKeptMessageId !== null && !isId(firstKeptMessageId)) {
		return 'it is a checkpoint that does not say where the kept messages begin';
	}
	if (previousCheckpointId !== null && !isId(previousCheckpointId)) {
		return 'it is a checkpoint that does not say which one it follows';
	}
	const fixed: Record<string, unknown> = { ...value };
	const faults: string[] = [];
	for (const [name, test, instead] of checkpointRest) {
		if (test(value[name])) continue;
		fixed[name] = instead;
		faults.push(name);
	}
	for (const [name, test] of Object.entries(checkpointOptional)) {
		if (value[name] === undefined || test(value[name])) continue;
		delete fixed[name];
		faults.push(name);
	}
	return { checkpoint: fixed, faults };
}

/** The clock that a UUIDv7 begins with, in epoch milliseconds; 0 where the id is another. */
export function momentOf(id: string): number {
	const clock = /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id)
		? Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)
		: 0;
	return isMoment(clock) ? clock : 0;
}
