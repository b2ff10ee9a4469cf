import { templates } from '../../src/lib/compaction/template';
import { behaviours, words } from '../support/openai-server';
import { converse, expect, fillUp, KEY, test } from './provider';

/** Every section, and nothing in any. */
const emptySummary = templates.research.map(({ heading }) => `## ${heading}\n\n—`).join('\n\n');
const textOf = (value: unknown) => JSON.stringify(value);

test('a server with a key streams an answer, and the provider’s usage is what the dial counts with', async ({
	app,
	server
}) => {
	await converse(app, server);
	server.enqueue({
		kind: 'text',
		chunks: words('The spacing effect is **robust**: see 10.1037/0033-2909.132.3.354.'),
		usage: {
			prompt_tokens: 3000,
			completion_tokens: 72,
			prompt_tokens_details: { cached_tokens: 2048 }
		}
	});
	await app.send('Is the spacing effect robust?');
	await app.idle();
	await expect(app.main.getByText('robust', { exact: true })).toBeVisible();
	const request = server.chats[0];
	expect(request?.headers.authorization).toBe(`Bearer ${KEY}`);
	expect(request?.body?.messages.at(-1)).toMatchObject({ role: 'user' });
	await app.page.getByRole('button', { name: /^Context:/ }).click();
	await expect(app.page.getByText('3,072').first()).toBeVisible();
	await expect(app.page.getByText(/reported/i).first()).toBeVisible();
});

test('a model of unknown window is taken to have 32k, and says that this is assumed', async ({
	app,
	server
}) => {
	await converse(app, server, '');
	await app.page.getByRole('button', { name: /^Context:/ }).click();
	await expect(app.page.getByText(/assumed/i).first()).toBeVisible();
	await expect(app.page.getByText('32,000').first()).toBeVisible();
});

test('after a compaction the next request holds the summary and the tail, and no more', async ({
	app,
	server
}) => {
	await converse(app, server);
	await fillUp(app, server);
	await app.send('/compact keep every study');
	await app.idle();
	await expect(app.checkpoints).toHaveCount(1);
	const summary = server.chats.at(-1);
	expect(textOf(summary?.body)).toContain('keep every study');
	expect(summary?.body).not.toHaveProperty('tools');

	server.enqueue(behaviours.text('Go on.'));
	await app.send('Which one next?');
	await app.idle();
	const messages = server.chats.at(-1)?.body?.messages ?? [];
	expect(messages.map(({ role }) => role)).toEqual([
		'system',
		'system',
		'user',
		'assistant',
		'user'
	]);
	expect(textOf(messages[1])).toContain('<checkpoint>');
	expect(textOf(messages[2])).toContain('ALPHA3?');
	expect(textOf(messages[4])).toContain('Which one next?');
});

test('a message sent during a compaction waits frozen; cancelled, it is a draft again', async ({
	app,
	server
}) => {
	await converse(app, server);
	await fillUp(app, server);
	const asked = server.nextChat();
	server.enqueue({ kind: 'hang' });
	await app.send('/compact');
	const summary = await asked;
	await app.send('Sent while it compacts');
	await expect(app.main.getByText('Waiting for the compaction')).toBeVisible();
	await app.page.getByRole('button', { name: 'Cancel' }).click();
	await expect(app.composer).toHaveValue('Sent while it compacts');
	await expect(app.checkpoints).toHaveCount(0);
	await summary.closed;
	expect(summary.aborted).toBe(true);
	expect(server.chats.length).toBe(4);
});

test('a message sent during a compaction goes out once, after it', async ({ app, server }) => {
	await converse(app, server);
	await fillUp(app, server);
	let finish = () => {};
	const gate = new Promise<void>((resolve) => (finish = resolve));
	const asked = server.nextChat();
	server.enqueue(behaviours.text(gate, emptySummary));
	await app.send('/compact');
	await asked;
	await app.send('Sent while it compacts');
	await expect(app.main.getByText('Waiting for the compaction')).toBeVisible();
	finish();
	await app.idle();
	await expect(app.checkpoints).toHaveCount(1);
	const sent = server.chats.filter((chat) =>
		textOf(chat.body?.messages.at(-1)).includes('Sent while it compacts')
	);
	expect(sent.length).toBe(1);
	expect(textOf(sent[0]?.body)).toContain('<checkpoint>');
});

test('too long even after compacting: nothing is sent, the draft stays, the numbers are shown', async ({
	app,
	server
}) => {
	await converse(app, server);
	const text = 'A very long passage about retention intervals. '.repeat(800).trim();
	await app.composer.fill(text);
	await app.composer.press('Enter');
	await expect(app.main.getByText(/^Not sent: the request would be about/)).toBeVisible();
	await expect(app.main.getByText('Safe limit').first()).toBeVisible();
	await expect(app.composer).toHaveValue(text);
	expect(server.chats.length).toBe(0);
});

test('Stop keeps what came', async ({ app, server }) => {
	await converse(app, server);
	server.enqueue({ kind: 'hang', chunks: ['What came before the stop. '] });
	await app.send('Go on for ever');
	await expect(app.main.getByText('What came before the stop.')).toBeVisible();
	await app.page.getByRole('button', { name: 'Stop', exact: true }).click();
	await app.idle();
	await expect(app.main.getByText('What came before the stop.')).toBeVisible();
	const rows = await app.rows<{ role: string; metadata: { finish?: string } }>('messages');
	expect(rows.find((row) => row.role === 'assistant')?.metadata.finish).toBe('stopped');
});

test('a reload in the middle of an answer: what arrived is there, and can be kept', async ({
	app,
	server
}) => {
	await converse(app, server);
	server.enqueue({ kind: 'hang', chunks: ['Arrived before the crash. '] });
	await app.send('A long question');
	await expect(app.main.getByText('Arrived before the crash.')).toBeVisible();
	await expect
		.poll(async () => textOf(await app.rows('runs')))
		.toContain('Arrived before the crash.');
	await app.page.reload();
	await expect(app.main.getByText('Arrived before the crash.')).toBeVisible();
	await app.page.getByRole('button', { name: /^Keep/ }).click();
	await expect.poll(async () => (await app.rows('runs')).length).toBe(0);
	const rows = await app.rows<{ role: string; metadata: { finish?: string } }>('messages');
	expect(rows.find((row) => row.role === 'assistant')?.metadata.finish).toBe('interrupted');
});

test('the stored key is sealed: no table holds its bytes', async ({ app, server }) => {
	await converse(app, server);
	const found = await app.page.evaluate(async (key) => {
		const db = await new Promise<IDBDatabase>((resolve, reject) => {
			const open = indexedDB.open('hilo');
			open.onerror = () => reject(new Error(String(open.error)));
			open.onsuccess = () => resolve(open.result);
		});
		/** Every text in a value, and every run of bytes as text. */
		const textsIn = (value: unknown): string[] => {
			if (typeof value === 'string') return [value];
			if (value instanceof ArrayBuffer) return [new TextDecoder('latin1').decode(value)];
			if (ArrayBuffer.isView(value)) return [new TextDecoder('latin1').decode(value)];
			if (typeof value !== 'object' || value === null || value instanceof CryptoKey) return [];
			return Object.values(value).flatMap(textsIn);
		};
		const tables = [...db.objectStoreNames];
		const texts: string[] = [JSON.stringify({ ...localStorage }), location.href];
		for (const table of tables) {
			const rows = await new Promise<unknown[]>((resolve) => {
				const all = db.transaction(table).objectStore(table).getAll();
				all.onsuccess = () => resolve(all.result);
			});
			texts.push(...rows.flatMap(textsIn));
		}
		db.close();
		return { tables, texts: texts.length, leaks: texts.filter((text) => text.includes(key)) };
	}, KEY);
	expect(found.tables).toContain('providers');
	expect(found.texts).toBeGreaterThan(10);
	expect(found.leaks).toEqual([]);
});
