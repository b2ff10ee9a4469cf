import { readFileSync } from 'node:fs';
import { expect, test, type App } from './app';

const PI = 'tests/fixtures/pi-v1-linear-large.jsonl';

async function importFile(app: App, file: string | { name: string; text: string }) {
	await app.open('/data');
	const [chooser] = await Promise.all([
		app.page.waitForEvent('filechooser'),
		app.page.getByRole('button', { name: 'Choose files' }).click()
	]);
	await chooser.setFiles(
		typeof file === 'string'
			? file
			: { name: file.name, mimeType: 'application/json', buffer: Buffer.from(file.text) }
	);
}

interface Row {
	readonly id: string;
	readonly role: string;
	readonly parts: readonly { readonly type: string; readonly state?: string }[];
}

test('a real pi session: counts in are counts out; it opens, compacts in passes, and goes on', async ({
	app
}) => {
	test.setTimeout(240_000);
	await importFile(app, PI);
	await expect(app.main.getByRole('link', { name: /read packages/ })).toBeVisible();
	const entries = readFileSync(PI, 'utf8')
		.split('\n')
		.filter((line) => line.trim() !== '')
		.map((line) => JSON.parse(line) as { message?: { role: string } });
	const count = (role: string) => entries.filter((entry) => entry.message?.role === role).length;
	const rows = await app.rows<Row>('messages');
	expect(rows.filter((row) => row.role === 'user').length).toBe(count('user'));
	expect(rows.filter((row) => row.role === 'assistant').length).toBe(count('assistant'));

	await app.main.getByRole('link', { name: /read packages/ }).click();
	await expect(app.composer).toBeVisible();
	await app.send('Which file defines the theme colors?');
	await expect(
		app.main.getByText(/Compacting earlier context… pass \d+ of (?:about )?\d+/)
	).toBeVisible();
	await expect(app.checkpoints).toHaveCount(1, { timeout: 120_000 });
	await app.idle();
	const after = await app.rows<Row>('messages');
	expect(after.length).toBe(rows.length + 3);
	const kept = new Map(after.map((row) => [row.id, row]));
	for (const row of rows) expect(kept.get(row.id)).toEqual(row);
	const dial = app.page.getByRole('button', { name: /^Context:/ });
	expect(Number.parseInt((await dial.textContent()) ?? '999')).toBeLessThan(100);
});

test('export and import again is the identity; importing twice changes nothing', async ({
	app,
	browser
}) => {
	await app.openSample();
	await app.send('/compact keep every figure');
	await app.idle();
	await expect(app.checkpoints).toHaveCount(1);
	await app.composer.fill('an unsent thought');
	await expect.poll(async () => JSON.stringify(await app.rows('sessions'))).toContain('unsent');
	await app.open('/data');
	const [download] = await Promise.all([
		app.page.waitForEvent('download'),
		app.page.getByRole('button', { name: 'Export everything' }).click()
	]);
	const text = readFileSync(await download.path(), 'utf8');
	const before = { messages: await app.rows('messages'), sessions: await app.rows('sessions') };

	// The same browser: nothing changes.
	await importFile(app, { name: 'again.json', text });
	await expect(app.main.getByText(/already here/)).toBeVisible();
	expect(await app.rows('messages')).toEqual(before.messages);

	// Another browser: everything is there.
	const other = await browser.newContext();
	const { App } = await import('./app');
	const there = new App(await other.newPage());
	await importFile(there, { name: 'all.json', text });
	await expect(there.main.getByRole('link', { name: /Sample/ })).toBeVisible();
	expect(await there.rows('messages')).toEqual(before.messages);
	expect(await there.rows('sessions')).toEqual(before.sessions);
	await other.close();
});

const bad = [
	['not JSON', { name: 'page.html', text: '<!doctype html><html><body>Hello</body></html>' }],
	[
		'half a file',
		{ name: 'half.json', text: '{"format":"hilo","version":1,"sessions":[{"id":"01' }
	],
	['a newer version', { name: 'new.json', text: '{"format":"hilo","version":99,"sessions":[]}' }],
	['another program’s JSON', { name: 'other.json', text: '{"hello":"world"}' }],
	['nothing', { name: 'empty.json', text: '' }]
] as const;

for (const [name, file] of bad) {
	test(`an import of ${name} is refused with a sentence, and nothing is imported`, async ({
		app
	}) => {
		await importFile(app, file);
		await expect(app.main.getByText(/Nothing was imported/).first()).toBeVisible();
		expect(await app.rows('sessions')).toEqual([]);
		expect(await app.rows('messages')).toEqual([]);
	});
}
