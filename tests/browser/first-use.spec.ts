import { expect, test } from './app';

test('a newcomer opens the sample, sees it compacted, talks on, reloads offline, and finds all of it', async ({
	app,
	context
}) => {
	const { page, main } = app;
	await app.openSample();
	await expect(main.getByText('spacing').first()).toBeVisible();
	const before = await app.rows<{ id: string; parts: unknown }>('messages');
	expect(before.length).toBeGreaterThan(15);

	// The context fills: the dial says so, and what it is made of.
	const dial = page.getByRole('button', { name: /^Context:/ });
	await expect(dial).toContainText('%');
	expect(Number.parseInt((await dial.textContent()) ?? '')).toBeGreaterThan(60);

	// One or two questions later it is compacted, by itself.
	for (const question of [
		'Which studies have a retention interval of at least one day, and what did they find?',
		'What did we decide about the review schedule, and why?',
		'Which DOIs did we collect?'
	]) {
		await app.send(question);
		await app.idle();
		if ((await app.checkpoints.count()) > 0) break;
	}
	await expect(app.checkpoints).toHaveCount(1);
	await expect(app.checkpoints.first()).toContainText(/Context compacted · \d.*k? → \d/);

	// The summary is behind the rule; the earlier messages are readable above it.
	await app.checkpoints.first().click();
	await expect(main.getByRole('heading', { name: 'Research Goal' })).toBeVisible();
	await expect(main.getByRole('heading', { name: 'Findings and Evidence' })).toBeVisible();
	const after = await app.rows<{ id: string; parts: unknown }>('messages');
	const kept = new Map(after.map((row) => [row.id, row]));
	for (const row of before) expect(kept.get(row.id)).toEqual(row);

	// Talk on.
	await app.send('Which journal published the 2008 ridgeline study?');
	await app.idle();
	const rows = (await app.rows('messages')).length;
	expect(rows).toBeGreaterThanOrEqual(after.length + 2);

	// Offline, by its own address: everything is there, and the built-in model answers.
	await app.installed();
	await context.setOffline(true);
	await page.reload();
	await expect(app.composer).toBeVisible();
	await expect(main.getByText('Which journal published the 2008 ridgeline study?')).toBeVisible();
	await expect(app.checkpoints.first()).toBeVisible();
	await app.send('And what was the best gap for a year?');
	await app.idle();
	expect((await app.rows('messages')).length).toBeGreaterThanOrEqual(rows + 2);
});

test('what was typed and not sent is there after a reload', async ({ app }) => {
	await app.startOwn();
	await app.composer.fill('half a thought');
	await expect
		.poll(async () => (await app.rows<{ draft: { text: string } }>('sessions'))[0]?.draft.text)
		.toBe('half a thought');
	await app.page.reload();
	await expect(app.composer).toHaveValue('half a thought');
});

test('a manual compaction of one turn is no error, and says why nothing happened', async ({
	app
}) => {
	await app.startOwn();
	await app.send('Only include adults.');
	await app.idle();
	await app.send('/compact');
	await expect(app.main.getByText('Nothing was compacted.')).toBeVisible();
	await expect(app.main.getByText(/There is one turn only/)).toBeVisible();
	await expect(app.checkpoints).toHaveCount(0);
});

test('a deleted session is gone at once, and can be brought back, or deleted for good', async ({
	app
}) => {
	await app.startOwn();
	await app.send('Remember the number 41.');
	await app.idle();
	await app.page.getByRole('link', { name: /Remember the number/ }).focus();
	await app.page.keyboard.press('Delete');
	await expect(app.page.getByRole('button', { name: 'Start your own' })).toBeVisible();
	const link = app.page.getByRole('link', { name: /Remember the number/ });
	await expect(link).toHaveCount(0);
	await app.page.getByRole('button', { name: 'Undo' }).click();
	await expect(app.main.getByText('Remember the number 41.').first()).toBeVisible();

	await link.focus();
	await app.page.keyboard.press('Delete');
	await expect(link).toHaveCount(0);
	await app.page.getByRole('link', { name: 'Data and privacy' }).click();
	await app.page.getByRole('button', { name: 'Delete for good' }).click();
	await expect(app.page.getByRole('button', { name: 'Delete for good' })).toHaveCount(0);
	expect(await app.rows('messages')).toEqual([]);
	expect(await app.rows('sessions')).toEqual([]);
});
