import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateText } from '../../../src/lib/context/estimate';
import { measureMessage, measureWithin } from '../../../src/lib/context/measure';
import {
	handleOf,
	MARKER_TOKENS,
	nameOf,
	readHandle,
	resultAt,
	sentMessages,
	shownResult
} from '../../../src/lib/context/results';
import { shortId, type ConversationMessage } from '../../../src/lib/history/message';
import { grow, messageId, text, tool, words } from '../../support/tree';

const LIMIT = 200;
const long = words(900);

function answered(...outputs: readonly unknown[]): ConversationMessage {
	const tree = grow();
	tree.user('look');
	return tree.answer([text('Looking.'), ...outputs.map((output) => tool('lookup', {}, output))]);
}
const outputs = (message: ConversationMessage | undefined) =>
	(message?.parts ?? []).flatMap((part) => (part.type === 'dynamic-tool' ? [part.output] : []));

describe('C110', () => {
	test('C110 a result over the limit is cut, says so, and names the handle and offset that read on', () => {
		const message = answered('short', { rows: long });
		const [sent] = sentMessages([message], LIMIT);
		const [first, second] = outputs(sent);
		expect(first).toBe('short');
		expect(estimateText(String(second))).toBeLessThanOrEqual(LIMIT);
		const whole = JSON.stringify({ rows: long });
		const offset = Number(/offset (\d+)\.\]$/.exec(String(second))?.[1]);
		expect(second).toContain(`handle r:${shortId(message.id)}.2,`);
		expect(String(second).startsWith(whole.slice(0, offset))).toBe(true);
		expect(second).toContain(`${offset} of ${whole.length} characters`);
	});

	test('C110 what is stored stays whole', () => {
		const message = answered({ rows: long });
		const before = JSON.stringify(message);
		sentMessages([message], LIMIT);
		expect(JSON.stringify(message)).toBe(before);
	});

	test('C110 the same objects where nothing is over, one and the same copy where something is', () => {
		const [small, large] = [answered('short'), answered(long)];
		const sent = sentMessages([small, large], LIMIT);
		expect(sent[0]).toBe(small);
		expect(sent[1]).not.toBe(large);
		expect(sentMessages([small, large], LIMIT)[1]).toBe(sent[1]);
		// Another model has another limit.
		expect(outputs(sentMessages([large], 10_000)[0])).toEqual([long]);
	});

	test('C110 an error is cut too, and stays an error', () => {
		const tree = grow();
		const message = tree.answer([
			{ ...tool('lookup', {}, undefined), state: 'output-error', errorText: long } as never
		]);
		const [sent] = sentMessages([message], LIMIT);
		const [part] = sent?.parts ?? [];
		expect(part).toMatchObject({
			state: 'output-error',
			errorText: expect.stringMatching(/\[Cut: /)
		});
	});

	test('C110 a cut message is measured as it is sent: never less, and at most the limit for a result', () => {
		const message = answered('short', { rows: long });
		const [sent = message] = sentMessages([message], LIMIT);
		const measured = measureWithin(LIMIT)(message);
		expect(measured).toBeGreaterThanOrEqual(measureMessage(sent));
		expect(measured - measureMessage(sent)).toBeLessThan(MARKER_TOKENS);
		expect(measureMessage(message)).toBeGreaterThan(900);
		expect(measureWithin(10_000)(message)).toBe(measureMessage(message));
	});

	test('C110 whatever the text: at most the limit, never half a character', () => {
		fc.assert(
			fc.property(
				fc.string({ unit: 'binary', maxLength: 3000 }),
				fc.integer({ min: MARKER_TOKENS * 2, max: 600 }),
				(value, limit) => {
					const shown = shownResult(value, handleOf(messageId(1), 1), limit);
					expect(estimateText(shown)).toBeLessThanOrEqual(limit);
					if (value.isWellFormed()) expect(shown.isWellFormed()).toBe(true);
				}
			)
		);
	});
});

describe('C98', () => {
	test('C98 a handle is short, stable, and read back', () => {
		const handle = handleOf(messageId(0xabc), 12);
		expect(handle).toBe('r:0000000abc.12');
		for (const written of [handle, ` ${handle} `, `[${handle}]`, '0000000ABC.12']) {
			const read = readHandle(written);
			expect(read && nameOf(read)).toBe(handle);
		}
	});

	test.each(['', 'r:', 'r:0000000abc', 'r:0000000abc.0', 'r:0000000abc.-1', 'm:0000000abc', 'x.1'])(
		'C98 %j is no handle',
		(written) => expect(readHandle(written)).toBeNull()
	);

	test('C98 a handle counts the tool calls of a message only', () => {
		const { parts } = answered('one', { two: 2 });
		expect([1, 2, 3].map((place) => resultAt(parts, place))).toEqual(['one', '{"two":2}', null]);
	});
});
