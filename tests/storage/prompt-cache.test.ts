import { expect, test } from 'vitest';
import type { Conversation } from '../../src/lib/session/conversation.svelte';
import { ask, Desk, must, turns } from '../support/conversation';
import { wireText, type RecordedRequest } from '../support/openai-server';
import { text, tool, words } from '../support/tree';

/** What a provider's cache is keyed by: the beginning of the prompt, tool definitions first. */
function promptOf(request: RecordedRequest): { readonly tools: string; readonly said: string } {
	const { tools, messages } = must(request.body);
	// Without the closing bracket, so that what is said can be the beginning of more.
	return { tools: JSON.stringify(tools), said: JSON.stringify(messages).slice(0, -1) };
}

/** Each request begins with all of the one before it, byte for byte; all bring the same tools. */
function expectCached(requests: readonly RecordedRequest[]): void {
	const prompts = requests.map(promptOf);
	expect(prompts.length).toBeGreaterThan(1);
	for (const [index, { tools, said }] of prompts.entries()) {
		const before = prompts[index - 1];
		if (!before) continue;
		expect(tools).toBe(before.tools);
		expect(said.slice(0, before.said.length)).toBe(before.said);
		expect(said.length).toBeGreaterThan(before.said.length);
	}
}

/** A conversation with a checkpoint, and a tail with a tool call in it. */
async function compacted(): Promise<{ readonly desk: Desk; readonly tab: Conversation }> {
	const tree = turns(3, 900);
	tree.user('What does the table say?');
	tree.answer([
		text('Let me look.'),
		tool('read', { page: 4 }, words(200)),
		text('It says 12 ms.')
	]);
	const desk = await Desk.of({ tree, session: { instructions: 'Be exact about numbers.' } });
	const tab = await desk.open();
	await tab.compact();
	expect(tab.messages.at(-1)?.role).toBe('checkpoint');
	return { desk, tab };
}

async function askFour(tab: Conversation): Promise<void> {
	for (const question of ['And the mean?', 'Of which group?', 'At which delay?', 'Who says so?']) {
		await ask(tab, question);
	}
}

test('C92, C93 summary and tail are the same bytes in each of four requests after a checkpoint', async () => {
	const { desk, tab } = await compacted();
	await askFour(tab);
	expect(desk.asked).toHaveLength(4);
	expectCached(desk.asked);
	// Instructions, the checkpoint as a block of its own, then the tail with its call and result.
	const first = must(desk.asked[0]?.body).messages;
	expect(first.map(({ role }) => role).join(' ')).toBe(
		'system system user assistant user assistant tool assistant user'
	);
	expect(wireText(first[1])).toContain('<checkpoint>\n## Key Decisions');
	expect(must(desk.asked[0]?.body).tools?.length).toBeGreaterThanOrEqual(2);
});

test('C92, C112 they are when an answer calls a tool, within its steps and after it', async () => {
	const { desk, tab } = await compacted();
	await ask(tab, 'And the mean?');
	desk.server.enqueue({
		kind: 'tool-call',
		name: 'search_history',
		input: { query: 'sample group' },
		before: ['I look it up.']
	});
	await ask(tab, 'Of which group?');
	await ask(tab, 'At which delay?');
	expect(desk.asked).toHaveLength(4);
	expectCached(desk.asked);
	expect(must(desk.asked[3]?.body).messages.filter(({ role }) => role === 'tool')).toHaveLength(2);
});

test('C92 they are after a reload, from the database alone', async () => {
	const { desk, tab } = await compacted();
	await ask(tab, 'And the mean?');
	await tab.close();
	const again = await desk.open();
	await ask(again, 'Of which group?');
	await again.close();
	await askFour(await desk.open());
	expect(desk.asked).toHaveLength(6);
	expectCached(desk.asked);
});

test('C93, C121 a pin set after a checkpoint changes nothing before the next one, which carries it', async () => {
	const { desk, tab } = await compacted();
	await ask(tab, 'And the mean?');
	const pinned = must(tab.messages.find(({ role }) => role === 'user'));
	await tab.togglePin({ kind: 'message', messageId: pinned.id });
	await tab.togglePin({ kind: 'reference', reference: 'quantity', text: '12 ms, 3rd row' });
	await ask(tab, 'Of which group?');
	await tab.setTemplate('research');
	await tab.rename('Another title');
	await ask(tab, 'At which delay?');
	await tab.togglePin({ kind: 'message', messageId: pinned.id });
	await ask(tab, 'Who says so?');
	expectCached(desk.asked);
	expect(desk.asked).toHaveLength(4);
	const before = must(desk.asked.at(-1));
	expect(promptOf(before).said).not.toContain('3rd row');

	desk.server.enqueue({ kind: 'text', chunks: [words(1100)], usage: null });
	await ask(tab, 'Fill it up');
	await tab.compact();
	await ask(tab, 'What was pinned?');
	const after = must(desk.asked.at(-1));
	expect(wireText(must(after.body).messages[1])).toContain('12 ms, 3rd row');
	// What is said must be able to differ, or nothing here is shown.
	expect(promptOf(after).said.startsWith(promptOf(before).said)).toBe(false);
});

test('C92 the summariser’s instructions are the same bytes in each pass, so that they are cached too', async () => {
	const desk = await Desk.of({ tree: turns(12, 900) });
	const tab = await desk.open();
	await tab.compact();
	const systems = desk.summaries.map(({ body }) => wireText(body?.messages[0]));
	expect(systems.length).toBeGreaterThan(1);
	expect(new Set(systems).size).toBe(1);
});
