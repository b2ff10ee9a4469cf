import { expect, test, vi } from 'vitest';
import { streamAnswer } from '$lib/models/answer';
import { OpenAIServer } from '../../support/openai-server';
import { at, model, request, user } from './build';

vi.setConfig({ testTimeout: 30_000 }); // Loads the SDK, which takes seconds on a busy machine.

vi.mock('$lib/models/messages', () => ({
	toModelMessages: async () => [
		{ role: 'user', content: 'Look.' },
		{
			role: 'assistant',
			content: [{ type: 'tool-call', toolCallId: 'a', toolName: 't', input: {} }]
		},
		{ role: 'user', content: 'And?' }
	]
}));

test('C117 case 37 a context that is not in pairs is not sent, and the answer says so', async () => {
	const server = await OpenAIServer.start();
	const events = [];
	for await (const event of streamAnswer({
		provider: at(server),
		model,
		request: request([user('Look.')]),
		executeTool: async () => '',
		loadFile: async () => ({}),
		signal: new AbortController().signal,
		now: () => 0
	})) {
		events.push(event);
	}
	await server.stop();
	expect(server.requests).toEqual([]);
	expect(events).toMatchObject([
		{ finish: 'error', failure: { detail: 'The tool call a has no result.' } }
	]);
});
