import { App, expect, test } from './app';

/** Lets the browser allow this origin so many bytes, until the returned function is called. */
async function allow(app: App, quotaSize: number): Promise<() => Promise<void>> {
	// The limit holds as long as this connection does.
	const devtools = await app.page.context().newCDPSession(app.page);
	const { origin } = new URL(App.url);
	await devtools.send('Storage.overrideQuotaForOrigin', { origin, quotaSize });
	return () => devtools.detach();
}

test('H22 with no room left nothing is lost: it is said, what is written stays, can be downloaded, and is saved later', async ({
	app
}) => {
	// Before the first write: the browser remembers for a while how much room there was.
	const lift = await allow(app, 4_000_000);
	await app.startOwn();
	await app.send('Remember the number 41.');
	await app.idle();
	const before = await app.rows('messages');
	await app.composer.fill('What does the file say of the number?');
	const paper = {
		name: 'paper.txt',
		mimeType: 'text/plain',
		buffer: Buffer.alloc(9_000_000, 'x ')
	};
	await app.page.locator('input[type=file]').setInputFiles(paper);
	await expect(app.main.getByText(/no room left/).first()).toBeVisible();
	await expect(app.composer).toHaveValue('What does the file say of the number?');
	expect(await app.rows('messages')).toEqual(before);
	expect(await app.rows('attachments')).toEqual([]);

	const [file] = await Promise.all([
		app.page.waitForEvent('download'),
		app.page.getByRole('button', { name: 'Download what is not saved' }).click()
	]);
	const stream = await file.createReadStream();
	let saved = '';
	for await (const chunk of stream) saved += String(chunk);
	expect(saved).toContain('What does the file say of the number?');

	await lift();
	await app.composer.press('Enter');
	await expect(app.composer).toHaveValue('');
	await app.idle();
	expect((await app.rows('messages')).length).toBe(before.length + 2);
});

test('S6 a browser that removed the data is said to have done so, not greeted as new; after erasing it is new', async ({
	app
}) => {
	await app.startOwn();
	await app.send('Remember the number 41.');
	await app.idle();
	// As a browser does that runs short: the database goes, what is beside it stays.
	await app.page.goto('about:blank');
	const devtools = await app.page.context().newCDPSession(app.page);
	await devtools.send('Storage.clearDataForOrigin', {
		origin: new URL(App.url).origin,
		storageTypes: 'indexeddb'
	});
	await app.open();
	await expect(app.page.getByText(/has removed what Hilo had stored/)).toBeVisible();
	await app.page.getByRole('button', { name: 'Dismiss' }).click();
	await app.open();
	await expect(app.page.getByRole('button', { name: 'Start your own' })).toBeVisible();
	await expect(app.page.getByText(/has removed what Hilo had stored/)).toHaveCount(0);
});
