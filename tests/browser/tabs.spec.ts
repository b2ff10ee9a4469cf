import { App, expect, test } from './app';

test('two tabs in turns: what one writes the other shows, and no message is lost', async ({
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

test('two tabs at once: both messages are kept, one at a time is answered', async ({
	app,
	context
}) => {
	await app.startOwn();
	await app.send('The beginning');
	await app.idle();
	const other = new App(await context.newPage());
	await other.page.goto(app.page.url());
	await expect(other.main.getByText('The beginning').first()).toBeVisible();
	await app.composer.fill('First of two');
	await other.composer.fill('Second of two');
	await Promise.all([app.composer.press('Enter'), other.composer.press('Enter')]);
	await app.idle();
	await other.idle();
	// What was not sent, because the other was first, is in a composer or was sent after it: it is never gone.
	const rows = JSON.stringify(await app.rows('messages'));
	const drafts = (await app.composer.inputValue()) + (await other.composer.inputValue());
	for (const text of ['First of two', 'Second of two']) expect(rows + drafts).toContain(text);
	for (const each of [app, other]) {
		if ((await each.composer.inputValue()) === '') continue;
		await each.composer.press('Enter');
		await each.idle();
	}
	const users = (await app.rows<{ role: string }>('messages')).filter((row) => row.role === 'user');
	expect(users.length).toBe(3);
});
