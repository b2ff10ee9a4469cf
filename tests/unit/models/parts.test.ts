import { describe, expect, test } from 'vitest';
import type { ToolPart } from '$lib/history/message';
import { PartsCollector } from '$lib/models/parts';

type Event = readonly [id: string, state: ToolPart['state'], input?: unknown, output?: unknown];

/** What is stored of one step in which these events came. */
function after(...events: readonly Event[]) {
	const collector = new PartsCollector();
	collector.startStep();
	for (const [toolCallId, state, input, output] of events) {
		const outcome = output === undefined ? {} : { output };
		collector.tool({
			type: 'dynamic-tool',
			toolName: 'find',
			toolCallId,
			state,
			input,
			...outcome
		});
	}
	return collector;
}
const stored = (collector: PartsCollector) =>
	collector.parts.map((part) =>
		part.type === 'dynamic-tool'
			? [part.toolCallId, part.state, part.input, part.output]
			: [part.type]
	);

describe('C117 case 37: parallel calls of one id', () => {
	const both = [
		['call_0', 'output-available', 1, 'one'],
		['call_0-2', 'output-available', 2, 'two']
	];

	test.each<[string, Event[]]>([
		[
			'in turn',
			[
				['call_0', 'input-streaming'],
				['call_0', 'input-available', 1],
				['call_0', 'output-available', 1, 'one'],
				['call_0', 'input-streaming'],
				['call_0', 'input-available', 2],
				['call_0', 'output-available', 2, 'two']
			]
		],
		[
			'at once',
			[
				['call_0', 'input-available', 1],
				['call_0', 'input-available', 2],
				['call_0', 'output-available', 1, 'one'],
				['call_0', 'output-available', 2, 'two']
			]
		],
		[
			'with the second answered first',
			[
				['call_0', 'input-streaming'],
				['call_0', 'input-available', 1],
				['call_0', 'input-streaming'],
				['call_0', 'input-available', 2],
				['call_0', 'output-available', 2, 'two'],
				['call_0', 'output-available', 1, 'one']
			]
		],
		[
			'whose inputs arrive together',
			[
				['call_0', 'input-streaming'],
				['call_0', 'input-streaming'],
				['call_0', 'input-available', 1],
				['call_0', 'input-available', 2],
				['call_0', 'output-available', 1, 'one'],
				['call_0', 'output-available', 2, 'two']
			]
		]
	])('C117 case 37 two calls %s are two parts, each with its own result', (_, events) => {
		expect(stored(after(...events))).toEqual(both);
	});

	test('C117 case 37 two calls of one id and one input have a result each', () => {
		const collector = after(
			['a', 'input-available', 1],
			['a', 'input-available', 1],
			['a', 'output-available', 1, 'one'],
			['a', 'output-error', 1]
		);
		expect(stored(collector)).toEqual([
			['a', 'output-available', 1, 'one'],
			['a-2', 'output-error', 1, undefined]
		]);
	});

	test('C117 case 37 an id that a server makes like ours is told apart too', () => {
		const collector = after(
			['a', 'input-available', 1],
			['a', 'input-available', 2],
			['a-2', 'input-available', 3],
			['a-2', 'output-available', 3, 'three']
		);
		expect(stored(collector).map(([id]) => id)).toEqual(['a', 'a-2', 'a-2-2']);
		expect(stored(collector)[2]).toEqual(['a-2-2', 'output-available', 3, 'three']);
	});

	test('C117 case 37 an id used again in a later step is that step’s own', () => {
		const collector = after(['a', 'input-available', 1], ['a', 'output-available', 1, 'one']);
		collector.startStep();
		collector.tool({
			type: 'dynamic-tool',
			toolName: 'find',
			toolCallId: 'a',
			state: 'input-available',
			input: 2
		});
		collector.settle('It ended.');
		expect(collector.parts).toMatchObject([
			{ toolCallId: 'a', output: 'one' },
			{ type: 'step-start' },
			{ toolCallId: 'a', state: 'output-error', errorText: 'It ended.' }
		]);
	});

	test('C117 case 37 a call that is settled in the end keeps its place and input', () => {
		const collector = after(['a', 'input-streaming'], ['a', 'input-available', 1]);
		collector.settle('It ended.');
		expect(stored(collector)).toEqual([['a', 'output-error', 1, undefined]]);
	});
});
