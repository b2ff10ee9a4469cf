import { convertToModelMessages, type ModelMessage } from 'ai';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import type { Part, ToolPart } from '$lib/history/message';
import { toModelMessages } from '$lib/models/messages';
import { assertPairs, PairError } from '$lib/models/pairs';
import { assistant, call, user } from './build';

vi.setConfig({ testTimeout: 30_000 }); // The first test loads the SDK, which takes seconds on a busy machine.

const called = (...ids: string[]): ModelMessage => ({
	role: 'assistant',
	content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 't', input: {} }))
});
const told = (...ids: string[]): ModelMessage => ({
	role: 'tool',
	content: ids.map((toolCallId) => ({
		type: 'tool-result',
		toolCallId,
		toolName: 't',
		output: { type: 'text', value: 'x' }
	}))
});
const question: ModelMessage = { role: 'user', content: 'And?' };

describe('C117 case 37', () => {
	test.each<[string, ModelMessage[]]>([
		['no tools', [question]],
		['a pair', [question, called('a'), told('a')]],
		['results in another order, in two messages', [called('a', 'b'), told('b'), told('a')]],
		['an id used again in a later step', [called('a'), told('a'), called('a'), told('a'), question]]
	])('C117 case 37 %s is whole', (_name, messages) => {
		expect(() => assertPairs(messages)).not.toThrow();
	});

	test.each<[string, ModelMessage[]]>([
		['a call without a result at the end', [question, called('a')]],
		['a call without a result before a question', [called('a'), question]],
		['one of two results missing', [called('a', 'b'), told('a'), question]],
		['a result without a call', [question, told('a')]],
		['a result told twice', [called('a'), told('a'), told('a')]],
		['a result after something else was said', [called('a'), question, told('a')]],
		['one result for two calls of one id', [called('a', 'a'), told('a')]]
	])('C117 case 37 %s is not', (_name, messages) => {
		expect(() => assertPairs(messages)).toThrow(PairError);
	});

	test('C117 case 37 whatever is stored, what is sent is in pairs', async () => {
		const state = fc.constantFrom<ToolPart['state']>(
			'input-streaming',
			'input-available',
			'approval-requested',
			'output-available',
			'output-error',
			'output-denied'
		);
		const part = fc.oneof(fc.constant('text' as const), fc.constant('step' as const), state);
		await fc.assert(
			fc.asyncProperty(
				fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 4 }),
				async (all) => {
					const messages = all.flatMap((parts) => [
						user('Go on.'),
						assistant(
							parts.flatMap((kind, index): Part[] => {
								if (kind === 'text') return [{ type: 'text' as const, text: 'So.' }];
								if (kind === 'step') return [{ type: 'step-start' as const }];
								return [call(kind, { toolCallId: `call_${index % 2}`, output: 'x' })];
							})
						)
					]);
					const sent = await toModelMessages(messages, async () => ({}), convertToModelMessages);
					expect(() => assertPairs(sent)).not.toThrow();
				}
			),
			{ numRuns: 60 }
		);
	});
});
