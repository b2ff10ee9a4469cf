import { cutAt, tokensPerResult } from '$lib/context/results';
import { plainText } from '$lib/context/recall';
import type { Capacity } from '$lib/context/capacity';
import { shortId, type ConversationMessage, type MessageId } from '$lib/history/message';
import { readWhole } from '$lib/storage/branch';
import type { HiloDatabase } from '$lib/storage/database';
import type { Compute } from '$lib/worker/client';

export interface RecallingOptions {
	readonly db: HiloDatabase;
	readonly worker: Compute;
	/** The end of the branch that may be read: never another branch. */
	readonly leafId: MessageId;
	readonly capacity: Capacity;
}

/**
 * Runs the recall tools over the whole branch, covered messages too. Input is the model's and is checked; what is wrong
 * with it is thrown as a sentence, which becomes the tool's error.
 */
export async function recall(
	options: RecallingOptions,
	name: string,
	input: unknown
): Promise<unknown> {
	const branch = await readWhole(options.db, options.leafId);
	if (branch.kind === 'damaged') throw new Error(branch.what);
	const messages = branch.messages.filter((message) => message.role !== 'checkpoint');
	switch (name) {
		case 'search_history':
			return { hits: await options.worker.search(messages, stringField(input, 'query')) };
		case 'read_message':
			return readMessage(messages, input, tokensPerResult(options.capacity));
		default:
			throw new Error(`There is no tool named ${name}.`);
	}
}

function readMessage(messages: readonly ConversationMessage[], input: unknown, limit: number) {
	const id = stringField(input, 'id').replace(/^m:/, '').replaceAll('-', '');
	const message = messages.find((message) => shortId(message.id) === id.slice(-10));
	if (!message) throw new Error(`No message ${id} on this branch.`);
	const offset = numberField(input, 'offset');
	const text = plainText(message);
	const piece = cutAt(text.slice(offset), limit);
	const nextOffset = offset + piece.length;
	return {
		message: shortId(message.id),
		role: message.role,
		text: piece,
		...(nextOffset < text.length
			? { nextOffset, remainingCharacters: text.length - nextOffset }
			: {})
	};
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
