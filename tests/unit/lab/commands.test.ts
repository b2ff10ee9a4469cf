import { describe, expect, test } from 'vitest';
import { importCommand } from '../../../lab/commands/import';
import { occupancyCommand } from '../../../lab/commands/occupancy';
import { planCommand } from '../../../lab/commands/plan';
import { projectionCommand } from '../../../lab/commands/projection';
import { requestCommand } from '../../../lab/commands/request';
import { retentionCommand } from '../../../lab/commands/retention';
import { Arguments } from '../../../lab/arguments';
import { decodeWorkbench, encodeWorkbench } from '../../../lab/workbench';
import { decodeHilo, encodeHilo } from '$lib/transfer/hilo';
import { checkpointBlock } from '$lib/context/request';
import { measureMessage } from '$lib/context/measure';
import type { FilePart } from '$lib/history/message';
import { file, grow, text, words } from '../../support/tree';
import { planOf } from '../../support/compaction';
import { benchOf, run, talk, worldOf } from './build';

async function exported(...benches: ReturnType<typeof benchOf>[]): Promise<string> {
	let text = '';
	const rows = {
		sessions: benches.map(({ session }) => session),
		messages: benches.flatMap(({ messages }) => messages),
		attachments: []
	};
	for await (const chunk of encodeHilo({ app: 'x', exportedAt: 1, ...rows })) text += chunk;
	return text;
}

const importOf = (text: string, line = 'f.json') =>
	importCommand.run(
		Arguments.parse(line.split(' '), importCommand.options, importCommand.operands),
		worldOf({ 'f.json': text })
	);

describe('files', () => {
	const sha256 = 'cd'.repeat(32);
	const bench = (part: FilePart) => {
		const tree = grow();
		tree.user([part, text('Look.')]);
		tree.answer(words(1500));
		tree.talk('q2', words(900, 2), 'q3', words(900, 3));
		const base64 = Buffer.from('It says zyzzyva, see 10.1234/abcd.5678.').toString('base64');
		return benchOf(tree, {
			session: tree.session({ model: { provider: 'p', model: 'gpt-4o' } }),
			attachments: [{ sha256, mediaType: part.mediaType, base64 }]
		});
	};

	test('C43 the text of an attachment is in the request of a summary', async () => {
		const part = { ...file('paper.txt'), sha256 };
		const { product } = await run(requestCommand, bench(part));
		expect(JSON.stringify(product)).toContain('It says zyzzyva');
	});

	test('C13 an image costs what the session’s model counts', async () => {
		const size = { width: 512, height: 512 };
		const part = { ...file('a.png', 9000), ...size, mediaType: 'image/png', sha256 };
		const { data } = await run(occupancyCommand, bench(part));
		// 85 + 170 for one tile, not what was measured when it was attached.
		const { occupancy } = data as { occupancy: { tokens: number } };
		expect(occupancy.tokens).toBeLessThan(5000);
	});
});

describe('import', () => {
	test('takes a Hilo session with its whole tree, and says what came in', async () => {
		const tree = talk(2, 30);
		tree.at(null).user('another first message');
		tree.at(tree.branch(tree.rows.values().next().value ?? null)[0] ?? null);
		const bench = benchOf(tree);
		const { bench: made, data, text } = await importOf(await exported(bench));
		expect(made?.messages).toEqual(bench.messages);
		expect(made?.session).toEqual(bench.session);
		const users = bench.messages.filter(({ role }) => role === 'user');
		expect(data).toMatchObject({
			roles: [
				{ role: 'user', messages: 3 },
				{ role: 'assistant', messages: 2 },
				{ role: 'checkpoint', messages: 0 }
			],
			warnings: []
		});
		expect((data as { roles: { tokens: number }[] }).roles[0]?.tokens).toBe(
			users.reduce(
				(sum, message) => sum + (message.role === 'user' ? measureMessage(message) : 0),
				0
			)
		);
		expect(text).toContain('user: 3 messages');
	});

	test('of several sessions one must be named, and only its tree comes along', async () => {
		const [one, two] = [talk(1, 10), grow(2)];
		two.talk('second', 'answer');
		const second = benchOf(two);
		const both = await exported(benchOf(one), {
			...second,
			session: { ...second.session, id: 'session-2' as never, title: 'The second' }
		});
		await expect(importOf(both)).rejects.toThrow(/2 sessions; choose one with --session N/);
		await expect(importOf(both, 'f.json --session 3')).rejects.toThrow(/choose one/);
		const { bench } = await importOf(both, 'f.json --session 2 --template code --window 9000');
		expect(bench?.session).toMatchObject({ title: 'The second', template: 'code' });
		expect(bench?.settings.window).toBe(9000);
		expect(bench?.messages.map(({ treeId }) => treeId)).toEqual(['tree-2', 'tree-2']);
	});

	test('a session that is left out is a warning, a file of something else a sentence', async () => {
		const two = grow(2);
		two.talk('fine', 'answer');
		const damaged = benchOf(grow(1), { session: { ...grow(1).session(), id: '!' as never } });
		const { data } = await importOf(await exported(damaged, benchOf(two)));
		expect((data as { warnings: string[] }).warnings.join()).toContain('Left out');
		await expect(importOf('{"a":1}')).rejects.toThrow(/not a chat export that Hilo knows/);
	});
});

test('occupancy says the capacity, where the window is from, and each part', async () => {
	const bench = benchOf(talk(3, 100));
	const { data, text } = await run(occupancyCommand, bench, '--pending hello');
	expect(data).toMatchObject({
		capacity: { window: 8192, windowSource: 'known', safeLimit: 6144, autoThreshold: 5836 },
		occupancy: { source: 'estimated', parts: { pending: expect.any(Number) } },
		other: null
	});
	expect(
		(data as { occupancy: { parts: { pending: number } } }).occupancy.parts.pending
	).toBeGreaterThan(0);
	expect(text).toContain('safe limit S: 6,144');
	const unknown = await run(
		occupancyCommand,
		benchOf(talk(1, 10), { settings: { ...bench.settings, window: null } })
	);
	expect(unknown.text).toContain('window W 32,000 (assumed)');
});

test('occupancy counts reports of the provider that will be asked, and names those of another', async () => {
	const tree = grow();
	tree.user('hello');
	tree.answer('hi', { usage: { inputTokens: 700, outputTokens: 20 } });
	const own = await run(occupancyCommand, benchOf(tree));
	expect(own.data).toMatchObject({ occupancy: { source: 'reported', tokens: 720 }, other: null });
	const other = await run(occupancyCommand, benchOf(tree), '--provider q');
	expect(other.data).toMatchObject({
		occupancy: { source: 'estimated' },
		other: { provider: 'p', tokens: 720 }
	});
});

describe('plan', () => {
	test('is the plan of the core', async () => {
		const tree = talk(6, 600);
		const plan = planOf(tree);
		if (plan.kind === 'noop') throw new Error('Expected a plan.');
		const { data, text } = await run(planCommand, benchOf(tree));
		expect(data).toMatchObject({
			kind: 'compact',
			covered: { messages: plan.boundary.covered.length, tokens: plan.coveredTokens },
			kept: { messages: plan.boundary.kept.length },
			boundary: { id: plan.boundary.firstKeptMessageId },
			before: plan.before.tokens,
			target: plan.summaryTarget,
			passes: 1
		});
		expect(text).toContain(`boundary: ${plan.boundary.firstKeptMessageId} “Question 6: what does`);
	});

	test.each([
		['', 1, 'one-turn'],
		['--trigger auto', 2, 'below-threshold'],
		['--trigger preflight --pending hello', 2, 'below-threshold']
	])('%s with %i turns is a no-op that says why', async (line, turns, reason) => {
		const { data, exitCode } = await run(planCommand, benchOf(talk(turns, 40)), line);
		expect(data).toMatchObject({ kind: 'noop', reason });
		expect(exitCode).toBeUndefined();
	});
});

test('request and projection hand out the exact value', async () => {
	const tree = talk(6, 600);
	const { product, data } = await run(requestCommand, benchOf(tree), '--focus doses');
	expect(Object.keys(product as object)).toEqual(['system', 'prompt', 'maxOutputTokens']);
	expect((product as { prompt: string }).prompt).toContain('<focus>\ndoses\n</focus>');
	expect(data).toMatchObject({ pass: 1, passes: 1 });
	await expect(run(requestCommand, benchOf(tree), '--pass 2')).rejects.toThrow(/Pass 2 folds into/);

	tree.checkpoint(tree.branch()[10] ?? null, { summary: 'The summary.' });
	tree.user('and now?');
	const projected = await run(projectionCommand, benchOf(tree), '--pending more');
	const { request, tokens } = projected.product as {
		request: { system: { text: string }[]; messages: { parts: unknown }[]; tools: unknown[] };
		tokens: { tokens: number; parts: Record<string, number> };
	};
	expect(request.system.map(({ text }) => text)).toEqual([checkpointBlock('The summary.').text]);
	expect(request.messages).toHaveLength(4);
	expect(request.messages[3]?.parts).toEqual([{ type: 'text', text: 'more' }]);
	expect(request.tools.length).toBeGreaterThan(0);
	expect(tokens.tokens).toBe(Object.values(tokens.parts).reduce((sum, part) => sum + part, 0));
});

test('retention says what was kept, what is missing by kind, and where references stand now', async () => {
	const tree = talk(2, 30);
	const reference = (kind: 'url' | 'doi' | 'path', text: string, kept: boolean) => ({
		kind,
		text,
		kept,
		messageIds: [],
		count: 1
	});
	tree.checkpoint(null, {
		summary: 'See a/b.ts.\n\n## Preserved references\n\n- doi: 10.1000/study.1',
		references: [
			reference('path', 'a/b.ts', true),
			reference('doi', '10.1000/study.1', true),
			reference('url', 'https://example.org/lost', false),
			reference('url', 'https://example.org/later', false)
		]
	});
	await expect(run(retentionCommand, benchOf(talk(1, 5)))).rejects.toThrow(/no checkpoint/);
	tree.talk('Look at https://example.org/later again.', 'Yes.');
	const { data, text } = await run(retentionCommand, benchOf(tree));
	expect(data).toMatchObject({
		checkpoints: [
			{
				found: 4,
				kept: 2,
				missing: { url: ['https://example.org/lost', 'https://example.org/later'] }
			}
		],
		now: { prose: 1, preserved: 1, verbatim: 1, recall: 1 }
	});
	expect(text).toContain('kept 2 of 4 references (50.0 %)');
	tree.checkpoint(null);
	expect((await run(retentionCommand, benchOf(tree), '--all')).data).toMatchObject({
		checkpoints: [{ found: 4 }, { found: 0 }]
	});
});

describe('the working file', () => {
	test('is read as it was written, and by the app as any other export', async () => {
		const tree = talk(2, 30);
		tree.checkpoint(null);
		const bench = benchOf(tree);
		const text = await encodeWorkbench(bench, 1);
		expect(decodeWorkbench(text)).toEqual(bench);
		expect(decodeHilo(text)).toMatchObject({
			ok: true,
			sessions: [bench.session],
			messages: bench.messages,
			report: { skipped: [] }
		});
	});

	test.each([
		['{', /cannot be read/],
		['{"format":"hilo","version":1,"sessions":[],"messages":[],"attachments":[]}', /./]
	])('%s is refused with a sentence', (text, sentence) => {
		expect(() => decodeWorkbench(text)).toThrow(sentence);
	});

	test('a damaged part of the laboratory is refused', async () => {
		const text = await encodeWorkbench(benchOf(talk(1, 5)), 1);
		expect(() => decodeWorkbench(text.replace('"underWay":null', '"underWay":3'))).toThrow(
			/damaged/
		);
	});
});
