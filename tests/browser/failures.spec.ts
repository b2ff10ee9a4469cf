import { behaviours } from '../support/openai-server';
import { converse, expect, test } from './provider';

const failures = [
	['a wrong key', behaviours.unauthorized(), /key/i],
	['HTML instead of JSON', behaviours.html(), /web page/i],
	['broken JSON', behaviours.garbage(), /answer/i],
	['a rate limit', behaviours.rateLimited(7), /7 s|limit/i],
	['a server error', behaviours.serverError(), /500|error/i],
	['an empty answer', behaviours.empty(), /empty|nothing/i],
	['a path that is not there', behaviours.missing(), /404|address|base URL/i]
] as const;

for (const [name, behaviour, words] of failures) {
	test(`${name}: a clear sentence; the message is kept and can be sent again`, async ({
		app,
		server
	}) => {
		await converse(app, server);
		server.enqueue(behaviour, behaviours.text('Now it works.'));
		await app.send('A question that matters');
		const notice = app.main.getByRole('alert');
		await expect(notice).toContainText(words);
		await expect(notice).toContainText('Your message is saved.');
		await expect(app.main.getByText('A question that matters')).toBeVisible();
		await notice.getByRole('button', { name: 'Try again' }).click();
		await expect(app.main.getByText('Now it works.')).toBeVisible();
		await app.idle();
		const rows = await app.rows<{ role: string }>('messages');
		expect(rows.map((row) => row.role).sort()).toEqual(['assistant', 'user']);
	});
}

test('an overflow the model’s window did not foretell: the limit is learnt and shown', async ({
	app,
	server
}) => {
	await converse(app, server, '64000');
	server.enqueue(behaviours.overflow(8192));
	await app.send('A question that matters');
	await expect(app.main.getByRole('alert')).toContainText('Your message is saved.');
	// Nothing is compacted and sent again behind the user's back.
	expect(server.chats.length).toBe(1);
	await app.page.getByRole('button', { name: /^Context:/ }).click();
	await expect(app.page.getByText('8,192').first()).toBeVisible();
});

test('a refused connection: said so, nothing lost, history readable', async ({ app, server }) => {
	await converse(app, server);
	server.enqueue(behaviours.text('First answer.'));
	await app.send('First question');
	await app.idle();
	await server.stop();
	await app.send('Second question');
	await expect(app.main.getByRole('alert')).toContainText(/did not answer|not be reached/i);
	await expect(app.main.getByText('First answer.')).toBeVisible();
	await expect(app.main.getByText('Second question')).toBeVisible();
});

test('a stream cut in the middle keeps what arrived and says how it ended', async ({
	app,
	server
}) => {
	await converse(app, server);
	let cut = () => {};
	const gate = new Promise<void>((resolve) => (cut = resolve));
	server.enqueue(behaviours.cutOff('The first half arrived.', gate));
	await app.send('Tell me all of it');
	await expect(app.main.getByText('The first half arrived.')).toBeVisible();
	cut();
	await expect(app.main.getByRole('alert')).toContainText('what arrived of the answer');
	await expect(app.main.getByText('The first half arrived.')).toBeVisible();
	await app.page.reload();
	await expect(app.main.getByText('The first half arrived.')).toBeVisible();
	const rows = await app.rows<{ role: string; metadata: { finish?: string } }>('messages');
	expect(rows.find((row) => row.role === 'assistant')?.metadata.finish).toBe('error');
});

test('a base URL that is none is refused in the form', async ({ app }) => {
	await app.addServer('localhost eleven');
	await app.page.getByRole('button', { name: 'Save' }).click();
	await expect(app.main.getByText(/address/i).first()).toBeVisible();
	expect(await app.rows('providers')).toEqual([]);
});

test('a summary that cannot be used commits nothing, after one repair', async ({ app, server }) => {
	const { fillUp } = await import('./provider');
	await converse(app, server);
	await fillUp(app, server);
	server.enqueue(behaviours.text('Sorry, I cannot do that.'), behaviours.text('Still no.'));
	await app.send('/compact');
	await expect(app.main.getByText(/^The summary could not be used/)).toBeVisible();
	expect(server.chats.length).toBe(5);
	await expect(app.checkpoints).toHaveCount(0);
	expect((await app.rows('messages')).length).toBe(6);
});

test('a 30 MB paste becomes an attachment, is refused with numbers, and is not lost', async ({
	app
}) => {
	await app.startOwn();
	await app.composer.focus();
	await app.page.evaluate(() => {
		const data = new DataTransfer();
		data.setData('text/plain', 'All about spacing and testing. '.repeat(1_000_000));
		document.activeElement?.dispatchEvent(
			new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
		);
	});
	const chip = app.page.getByRole('list', { name: 'Attached' }).getByRole('listitem');
	await expect(chip).toHaveCount(1);
	await app.composer.press('Enter');
	await expect(app.main.getByText(/^Not sent: the request would be about/)).toBeVisible();
	await expect(chip).toHaveCount(1);
	await expect.poll(async () => JSON.stringify(await app.rows('sessions'))).toContain('sha256');
	await app.page.reload();
	await expect(chip).toHaveCount(1);
});
