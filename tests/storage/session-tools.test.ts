import { expect, test } from 'vitest';
import { ask, Desk, say, settled, turns } from '../support/conversation';

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
