import { App, expect, test } from './app';

test('two tabs: what one writes the other shows; both write, and no message is lost', async ({
	app,
	context
}) => {
	await app.startOwn();
	await app.send('From the first tab');
	await app.idle();
	const other = new App(await context.newPage());
	await other.page.goto(app.page.url());
	await expect(other.main.getByText('From the first tab').first()).toBeVisible();
	await other.send('From the second tab');
	await other.idle();
	await expect(app.main.getByText('From the second tab').first()).toBeVisible();
	await app.send('From the first tab again');
	await app.idle();
	await expect(other.main.getByText('From the first tab again').first()).toBeVisible();
	const rows = await app.rows<{ role: string }>('messages');
	expect(rows.filter((row) => row.role === 'user').length).toBe(3);
	expect(rows.filter((row) => row.role === 'assistant').length).toBe(3);
	expect(other.complaints).toEqual([]);
});
