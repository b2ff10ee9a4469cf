import { expect, test } from 'vitest';
import { estimated } from '../../src/lib/context/occupancy';
import { tokensPerResult } from '../../src/lib/context/results';
import { estimateText } from '../../src/lib/context/estimate';
import { ask, Desk, must, say, settled, turns } from '../support/conversation';
import { wireText } from '../support/openai-server';
import { grow, text, tool, words } from '../support/tree';

test('a model that refuses tools is told of, and asked without them from then on', async () => {
	const desk = await Desk.of({ tree: turns(3, 900) });
	const tab = await desk.open();
	await tab.compact();
	desk.server.enqueue({
		kind: 'status',
		status: 400,
		body: { error: { message: 'registry.ollama.ai/library/m does not support tools' } }
	});
	await say(tab, 'And then?');
	await settled(tab);
	expect(desk.asked.at(-1)?.body?.tools).toHaveLength(3);
	expect(tab.notice).toMatchObject({ title: expect.stringContaining('takes no tools') });

	await tab.retry();
	await settled(tab);
	expect(desk.asked.at(-1)?.body).not.toHaveProperty('tools');
	expect(tab.messages.at(-1)).toMatchObject({ role: 'assistant', metadata: { finish: 'stop' } });
	expect(tab.notice).toBeNull();

	// Another tab, and a later question, know it too.
	const later = await desk.open();
	await ask(later, 'And after that?');
	expect(desk.asked.at(-1)?.body).not.toHaveProperty('tools');
});

test('an ordinary refusal of a request with tools takes none away', async () => {
	const desk = await Desk.of({ tree: turns(3, 900) });
	const tab = await desk.open();
	await tab.compact();
	desk.server.enqueue({
		kind: 'status',
		status: 400,
		body: { error: { message: 'Invalid value for temperature.' } }
	});
	await say(tab, 'And then?');
	await settled(tab);
	await tab.retry();
	await settled(tab);
	expect(desk.asked.at(-1)?.body?.tools).toHaveLength(3);
});

test('C110 a stored result over a quarter of S is cut in what is sent, shown and counted; the model can read on', async () => {
	const tree = grow();
	const whole = `start ${words(4000)} the end`;
	tree.user('Look it up');
	tree.answer([tool('lookup', {}, whole), text('So.')]);
	const desk = await Desk.of({ tree });
	const tab = await desk.open();
	const shown = await tab.nextRequest();
	const { capacity, parts, occupancy } = must(tab.context);
	const limit = tokensPerResult(capacity);
	expect(limit).toBe(1536);
	expect(JSON.stringify(shown.messages)).not.toContain('the end');
	expect(occupancy).toBeLessThan(limit + 300);
	expect(occupancy).toBe(estimated(parts));

	desk.server.enqueue({
		kind: 'tool-call',
		name: 'read_tool_result',
		input: {
			handle: `r:${must(tree.leaf).id.replaceAll('-', '').slice(-10)}.1`,
			offset: 15_000
		}
	});
	await ask(tab, 'And how does it end?');
	const [first, second] = desk.asked;
	const sent = wireText(first?.body?.messages.find(({ role }) => role === 'tool'));
	expect(estimateText(sent)).toBeLessThanOrEqual(limit);
	expect(sent).toContain('[Cut: ');
	expect(first?.body?.tools).toHaveLength(1);
	expect(wireText(second?.body?.messages.at(-1))).toMatch(/the end|nextOffset/);
	// What is stored is whole.
	expect(JSON.stringify(await desk.branch())).toContain(whole);
});
