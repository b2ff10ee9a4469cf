import { readFileSync } from 'node:fs';
import { expect, test, type App } from './app';

interface Row {
	readonly id: string;
	readonly treeId: string;
	readonly depth: number;
	readonly role: string;
}

/** Changes rows past the app, as a damaged disk or another program would. Null takes the row away. */
function spoil(
	app: App,
	changes: readonly { readonly id: string; readonly fields: object | null }[]
) {
	return app.page.evaluate(
		(all) =>
			new Promise<void>((resolve, reject) => {
				const open = indexedDB.open('hilo');
				open.onerror = () => reject(new Error(String(open.error)));
				open.onsuccess = () => {
					const transaction = open.result.transaction('messages', 'readwrite');
					const store = transaction.objectStore('messages');
					for (const { id, fields } of all) {
						if (fields === null) store.delete(id);
						else {
							const get = store.get(id);
							get.onsuccess = () => store.put({ ...get.result, ...fields });
						}
					}
					transaction.oncomplete = () => {
						open.result.close();
						resolve();
					};
				};
			}),
		changes
	);
}

test('a damaged conversation is told in full, read, exported, repaired, and goes on', async ({
	app
}) => {
	await app.openSample();
	const path = new URL(app.page.url()).pathname;
	const rows = (await app.rows<Row>('messages')).toSorted((a, b) => a.depth - b.depth);
	expect(rows.length).toBeGreaterThan(12);
	const at = (depth: number) => rows.find((row) => row.depth === depth)?.id ?? '';
	await spoil(app, [
		{ id: at(4), fields: null },
		{ id: at(6), fields: { parts: 'not parts' } },
		{ id: at(8), fields: { depth: 99 } },
		{ id: at(9), fields: { metadata: null } }
	]);
	const damaged = await app.rows<Row>('messages');
	await app.page.reload();

	const card = app.main.getByRole('region', { name: 'Damaged history' });
	await expect(card.getByRole('heading')).toHaveText(
		'This conversation’s stored history is damaged in 4 places.'
	);
	await expect(card.getByRole('listitem').first()).toBeVisible();
	await expect(card.getByText('which is missing')).toBeVisible();
	await expect(card.getByText('cannot be read: it has no content')).toBeVisible();
	await card.getByText('1 more').click();
	await expect(card.getByRole('listitem')).toHaveCount(4);
	const total = rows.length;
	await expect(card).toContainText(
		`would hold ${total - 2} of ${total} messages; 2 are unreadable.`
	);
	await expect(app.main.getByText(/nothing is rewritten/).first()).toBeVisible();
	await expect(app.composer).toHaveCount(0);

	// The gaps stand where the messages are missing; what is above them can be read.
	const log = app.main.getByRole('log');
	const gap = log.getByText(/missing here or cannot be read/).first();
	// The list draws only what is near: it is looked through from its start until the gap is there.
	let top = 0;
	await expect(async () => {
		await log.evaluate((element, y) => element.scrollTo(0, y % element.scrollHeight), top);
		top += 300;
		await expect(gap).toBeVisible({ timeout: 300 });
	}).toPass();

	const [download] = await Promise.all([
		app.page.waitForEvent('download'),
		card.getByRole('button', { name: 'Export' }).click()
	]);
	const file = JSON.parse(readFileSync(await download.path(), 'utf8')) as { messages: Row[] };
	const byId = (all: readonly Row[]) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));
	expect(byId(file.messages)).toEqual(byId(damaged));
	expect(await app.rows('messages')).toEqual(damaged);

	await card.getByRole('button', { name: 'Make a repaired copy' }).click();
	await expect.poll(() => new URL(app.page.url()).pathname).not.toBe(path);
	await expect(app.composer).toBeVisible();
	await expect(app.sessions.filter({ hasText: '(repaired)' })).toHaveCount(1);
	await expect(card).toHaveCount(0);
	await app.send('What did we find?');
	await app.idle();
	const after = await app.rows<Row>('messages');
	expect(after.length).toBe(damaged.length + total - 2 + 2);
	const kept = new Map(after.map((row) => [row.id, row]));
	for (const row of damaged) expect(kept.get(row.id)).toEqual(row);

	// The damaged one is as it was, and the app goes on around it.
	await app.open(path);
	await expect(card).toBeVisible();
	await app.page.setViewportSize({ width: 390, height: 800 });
	await expect(card.getByRole('button', { name: 'Export' })).toBeVisible();
});
