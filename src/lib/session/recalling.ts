import type { Capacity } from '$lib/context/capacity';
import { withFileTexts } from '$lib/context/files';
import { pageOf, searchAnswer } from '$lib/context/paging';
import { plainText } from '$lib/context/recall';
import { nameOf, readHandle, resultAt, tokensPerResult } from '$lib/context/results';
import { shortId, type MessageId } from '$lib/history/message';
import { findAncestor } from '$lib/storage/ancestor';
import type { HiloDatabase } from '$lib/storage/database';
import type { Compute } from '$lib/worker/client';
import { fileTexts } from './file-texts';
import { searchBranch } from './searching';

export interface RecallingOptions {
	readonly db: HiloDatabase;
	readonly worker: Compute;
	/** The end of the branch that may be read: never another branch. */
	readonly leafId: MessageId;
	readonly capacity: Capacity;
	/** A whole result of the answer in progress, by its handle. */
	readonly result?: (handle: string) => string | null;
}

/**
 * Runs the recall tools over the whole branch, covered messages too. Input is the model's and is checked; what is wrong
 * with it is thrown as a sentence, which becomes the tool's error. No answer is over the share of one tool result. Rule C98.
 */
export async function recall(
	options: RecallingOptions,
	name: string,
	input: unknown
): Promise<unknown> {
	const { db, worker, leafId } = options;
	const limit = tokensPerResult(options.capacity);
	switch (name) {
		case 'search_history': {
			const found = await searchBranch(db, worker, leafId, stringField(input, 'query'));
			return searchAnswer(found, limit);
		}
		case 'read_message':
			return readMessage(options, input, limit);
		case 'read_tool_result':
			return readResult(options, input, limit);
		default:
			throw new Error(`There is no tool named ${name}.`);
	}
}

async function readMessage({ db, leafId }: RecallingOptions, input: unknown, limit: number) {
	const id = stringField(input, 'id');
	const short = id
		.trim()
		.replace(/^[[(]?(?:m:)?|[\])]$/g, '')
		.replaceAll('-', '')
		.toLowerCase();
	if (!/^(?:[0-9a-f]{22})?[0-9a-f]{10}$/.test(short)) {
		throw new Error(`"${id}" is not a message id. One looks like m:0123456789.`);
	}
	const message = await findAncestor(db, leafId, short.slice(-10));
	if (!message || message.role === 'checkpoint') {
		throw new Error(`This conversation has no message ${id}.`);
	}
	const fields = { message: shortId(message.id), role: message.role };
	const [read = message] = await withFileTexts([message], fileTexts(db));
	return pageOf(fields, plainText(read), numberField(input, 'offset'), limit);
}

async function readResult(options: RecallingOptions, input: unknown, limit: number) {
	const written = stringField(input, 'handle');
	const handle = readHandle(written);
	if (!handle) {
		throw new Error(
			`"${written}" is not a handle. One looks like r:0123456789.1 and stands where a result was cut.`
		);
	}
	const name = nameOf(handle);
	const text = options.result?.(name) ?? (await storedResult(options, handle));
	if (text === null) throw new Error(`This conversation has no tool result ${name}.`);
	return pageOf({ handle: name }, text, numberField(input, 'offset'), limit);
}

async function storedResult(
	{ db, leafId }: RecallingOptions,
	{ message: short, place }: { readonly message: string; readonly place: number }
): Promise<string | null> {
	const message = await findAncestor(db, leafId, short);
	return message ? resultAt(message.parts, place) : null;
}

function field(input: unknown, name: string): unknown {
	if (typeof input !== 'object' || input === null) throw new Error('The input must be an object.');
	return Object.entries(input).find(([key]) => key === name)?.[1];
}

function stringField(input: unknown, name: string): string {
	const value = field(input, name);
	if (typeof value !== 'string' || value.trim() === '') {
		throw new Error(`"${name}" must be a text.`);
	}
	return value;
}

function numberField(input: unknown, name: string): number {
	const value = field(input, name) ?? 0;
	if (typeof value !== 'number' || !Number.isInteger(value) || value < 0) {
		throw new Error(`"${name}" must be a whole number, zero or more.`);
	}
	return value;
}
