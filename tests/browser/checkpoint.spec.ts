import axe from 'axe-core';
import { templates } from '../../src/lib/compaction/template';
import { behaviours } from '../support/openai-server';
import { expect, test as offline, type App } from './app';
import { converse, test as online } from './provider';

/** Serious findings of axe on what is on screen. */
async function findings({ page }: App): Promise<string[]> {
	await page.evaluate(axe.source);
	const { violations } = await page.evaluate(
		// The library was just put on the page.
		() => (window as unknown as { axe: typeof axe }).axe.run(document)
	);
	return violations
		.filter(({ impact }) => impact === 'serious' || impact === 'critical')
		.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** Opens the newest checkpoint in the inspector. */
async function inspect(app: App): Promise<void> {
	const rule = app.checkpoints.last();
	await rule.scrollIntoViewIfNeeded();
	if ((await rule.getAttribute('aria-expanded')) !== 'true') await rule.click();
	await app.page.getByRole('button', { name: 'Inspect' }).last().click();
	await expect(app.page.getByRole('heading', { name: 'Checkpoint', exact: true })).toBeVisible();
}
const tab = (app: App, name: RegExp) => app.page.getByRole('tab', { name }).click();
const shown = (app: App) => app.page.getByRole('tabpanel');
const dial = (app: App) => app.page.getByRole('button', { name: /^Context:/ });

offline(
	'a pinned message and a pinned reference are carried word for word, until they are unpinned',
	async ({ app }) => {
		const { page } = app;
		await app.openSample();
		// The list draws what is near the screen only.
		const toTop = () => app.main.getByRole('log').evaluate((log) => (log.scrollTop = 0));
		const first = app.main
			.getByRole('article', { name: 'You' })
			.filter({ hasText: 'I am preparing a short evidence review' });
		await expect(async () => {
			await toTop();
			await expect(first).toBeInViewport({ timeout: 500 });
		}).toPass();
		await first.hover();
		await first.getByRole('button', { name: /^Pin/ }).click();
		await expect(first.getByRole('button', { name: /^Unpin/ })).toBeVisible();
		const words = await first.locator('p').first().innerText();
		expect(words.length).toBeGreaterThan(40);

		// What a compaction would do is said before it is asked for.
		await dial(app).click();
		const panel = page.getByRole('dialog', { name: 'Context' });
		await expect(panel.getByText(/→ about .* · covers \d+ messages/)).toBeVisible();
		await expect(panel.getByText(/by Hilo extractive\. Free/)).toBeVisible();
		await expect(panel.getByText(/^Pinned: 1 · \d+ tokens/)).toBeVisible();
		await panel.getByRole('button', { name: 'Compact now' }).click();
		await app.idle();
		await page.getByRole('button', { name: 'Latest' }).click();
		await expect(app.checkpoints).toHaveCount(1);

		await inspect(app);
		await expect(page.getByText('Free', { exact: true })).toBeVisible();
		await tab(app, /^Pinned 1/);
		expect(await shown(app).innerText()).toContain(words.slice(0, 200));
		await tab(app, /^Changes/);
		await expect(shown(app).getByText('This is the first checkpoint')).toBeVisible();
		await tab(app, /^References/);
		await expect(shown(app).getByText(/\d+ of \d+ references kept/)).toBeVisible();
		await shown(app)
			.getByRole('button', { name: /^Show all/ })
			.click();
		await shown(app).getByRole('textbox', { name: 'Filter' }).fill('W6CJ9R4H');
		await shown(app).getByRole('button', { name: 'Pin W6CJ9R4H' }).click();
		await expect(shown(app).getByText('pinned', { exact: true })).toBeVisible();
		expect(await findings(app)).toEqual([]);

		await app.send('We decide that the pilot takes 37 nurses and a gap of 9 weeks.');
		await app.idle();
		await app.send('/compact keep every sample size');
		await expect(app.checkpoints).toHaveCount(2);
		await app.idle();
		await inspect(app);
		await expect(page.getByText('keep every sample size')).toBeVisible();
		await tab(app, /^Pinned 2/);
		expect(await shown(app).innerText()).toContain(words.slice(0, 200));
		await expect(shown(app).getByText('W6CJ9R4H', { exact: true })).toBeVisible();
		await tab(app, /^Changes/);
		await expect(shown(app).getByText(/^[1-9]\d* added/)).toBeVisible();
		await expect(shown(app).getByText('Added:').first()).toBeAttached();
		expect(await findings(app)).toEqual([]);

		// It is in the very request.
		await dial(app).click();
		await page.getByRole('button', { name: 'What the model sees' }).click();
		await page.getByRole('button', { name: /^Checkpoint This/ }).click();
		await page
			.getByRole('button', { name: /^Show all [\d,]+ characters/ })
			.last()
			.click();
		const seen = await page.getByRole('region', { name: 'What the model sees' }).innerText();
		expect(seen).toContain('<pinned>');
		expect(seen.slice(seen.indexOf('<pinned>'))).toContain(words.slice(0, 200));
		expect(seen.slice(seen.indexOf('<pinned>'))).toContain('W6CJ9R4H');

		// The list of pins: go to one, unpin another.
		await dial(app).click();
		await panel.getByText(/^Pinned: 2/).click();
		expect(await findings(app)).toEqual([]);
		await panel.getByRole('button', { name: 'Unpin W6CJ9R4H' }).click();
		await expect(panel.getByText(/^Pinned: 1 /)).toBeVisible();
		await panel.getByTitle('Go to the message').click();
		await first.getByRole('button', { name: /^Unpin/ }).click();
		await expect(first.getByRole('button', { name: /^Pin/ })).toBeVisible();
		expect((await app.rows<{ pins?: unknown[] }>('sessions'))[0]?.pins).toEqual([]);
	}
);

/** A summary with every section and one finding. */
const summaryWith = (finding: string) =>
	templates.research
		.map(({ heading }) => `## ${heading}\n\n${heading.startsWith('Findings') ? finding : '—'}`)
		.join('\n\n');

online(
	'missing references are shown by kind and pinned with one click; the price is what was typed',
	async ({ app, server }) => {
		const { page } = app;
		await converse(app, server, '32768');
		// More than what a checkpoint puts back.
		const dois = Array.from({ length: 240 }, (_, index) => `10.${4000 + index}/study.${index}.x`);
		server.enqueue(behaviours.text('Noted.'), behaviours.text('Go on.'));
		await app.send(`These are the studies: ${dois.join(' ; ')}`);
		await app.idle();
		await app.send('And which of them first?');
		await app.idle();
		server.enqueue(behaviours.text(summaryWith('- [user] There are 240 studies.')));
		await app.send('/compact');
		await expect(app.checkpoints).toHaveCount(1);
		await app.idle();

		await inspect(app);
		await tab(app, /^References/);
		const missing = shown(app).getByRole('region', { name: 'Missing' });
		await expect(missing.getByText(/^DOIs/)).toBeVisible();
		await expect(missing.getByRole('button', { name: /^Pin / })).toHaveCount(20);
		await missing.getByRole('button', { name: /^Show 20 more/ }).click();
		await expect(missing.getByRole('button', { name: /^Pin / })).toHaveCount(40);
		const pin = missing.getByRole('button', { name: /^Pin / }).first();
		const doi = ((await pin.getAttribute('aria-label')) ?? '').replace('Pin ', '');
		await pin.click();
		await expect(missing.getByRole('button', { name: `Unpin ${doi}` })).toBeVisible();
		expect(await findings(app)).toEqual([]);

		server.enqueue(behaviours.text('The first.'));
		await app.send('Why that one?');
		await app.idle();
		server.enqueue(behaviours.text(summaryWith('- [user] The first study was chosen.')));
		await app.send('/compact');
		await expect(app.checkpoints).toHaveCount(2);
		await app.idle();
		await inspect(app);
		await tab(app, /^Pinned 1/);
		await expect(shown(app).getByText(doi, { exact: true })).toBeVisible();
		await tab(app, /^Changes/);
		await expect(shown(app).getByText('1 added · 1 dropped · 0 the same')).toBeVisible();
		await expect(shown(app).getByText('The first study was chosen.')).toBeVisible();
		await expect(shown(app).getByText('There are 240 studies.')).toBeVisible();

		// A server of one's own is free until a price is typed.
		await expect(page.getByText('Free', { exact: true })).toBeVisible();
		const session = page.url();
		await app.open('/settings');
		await page.getByRole('button', { name: /^Edit/ }).click();
		await page.getByText('Free: a server of your own').click();
		await page.getByLabel(/^Input price/).fill('-4');
		await page.getByLabel(/^Output price/).fill('15');
		await expect(page.getByText('Not a price.')).toBeVisible();
		await page.getByRole('button', { name: 'Save' }).click();
		await expect(page.getByLabel(/^Input price/)).toBeFocused();
		await page.getByLabel(/^Input price/).fill('3');
		await expect(page.getByText('Not a price.')).toHaveCount(0);
		await page.getByLabel(/^Output price/).fill('15');
		await page.getByRole('button', { name: 'Save' }).click();
		await expect(page.getByRole('button', { name: 'Save' })).toHaveCount(0);
		await page.goto(session);
		await expect(app.composer).toBeVisible();
		await inspect(app);
		await expect(
			page.getByText(/^Summary \$0\.\d+ · first request after it \$0\.\d+ · /)
		).toBeVisible();
	}
);

online('a chosen model writes the summaries of every session', async ({ app, server }) => {
	const { page } = app;
	await converse(app, server);
	await expect
		.poll(async () => (await app.rows<{ model: { model: string } }>('sessions'))[0]?.model.model)
		.toBe('loop-8k');
	const session = page.url();
	await app.open('/settings');
	const choice = page.getByRole('combobox', { name: 'Summaries are written by' });
	await choice.selectOption({ label: 'Hilo extractive · 8.2k' });
	await expect(page.getByText('It works without a network')).toBeVisible();
	await page.reload();
	await expect(choice.locator('option:checked')).toHaveText('Hilo extractive · 8.2k');

	await page.goto(session);
	for (const number of [1, 2, 3]) {
		server.enqueue(
			behaviours.text(`Answer ${number}. ${'Spacing helped here as well. '.repeat(80)}`)
		);
		await app.send(`Question ${number}: what about study ALPHA${number}?`);
		await app.idle();
	}
	const asked = server.chats.length;
	await dial(app).click();
	await expect(page.getByText(/pass(?:es)? by Hilo extractive\./)).toBeVisible();
	await page.getByRole('button', { name: 'Compact now' }).click();
	await expect(app.checkpoints).toHaveCount(1);
	await app.idle();
	expect(server.chats.length).toBe(asked);
	await inspect(app);
	await expect(page.getByText(/^Hilo extractive in /)).toBeVisible();

	// The other way round: who writes is said while it writes, where that is not the model of the session.
	await app.open('/settings');
	await choice.selectOption({ label: 'loop-8k · 8.2k' });
	await expect(page.getByText('sent to this model’s server too')).toBeVisible();
	await page.goto(session);
	const value = await page.locator('option', { hasText: 'Hilo extractive' }).getAttribute('value');
	await page.getByRole('combobox', { name: 'Model' }).selectOption(value ?? '');
	await app.send('What did study ALPHA1 find?');
	await app.idle();
	let finish = () => {};
	const gate = new Promise<void>((resolve) => (finish = resolve));
	server.enqueue(behaviours.text(gate, summaryWith('- [user] There are three studies.')));
	await app.send('/compact');
	await expect(app.main.getByText('Written by loop-8k.')).toBeVisible();
	finish();
	await expect(app.checkpoints).toHaveCount(2);
	await app.idle();

	await app.open('/settings');
	await choice.selectOption({ label: 'The model of the session' });
	await expect(
		page.getByText('After a switch to a smaller window, the one before it')
	).toBeVisible();
	await page.reload();
	await expect(choice.locator('option:checked')).toHaveText('The model of the session');
});

online(
	'a window learnt from a refusal is said in Settings and can be forgotten',
	async ({ app, server }) => {
		const { page } = app;
		await converse(app, server, '64000');
		server.enqueue(behaviours.overflow(8192));
		await app.send('A question that matters');
		await app.idle();
		await app.open('/settings');
		const edit = page.getByRole('button', { name: /^Edit/ });
		await edit.click();
		await expect(page.getByText('learnt 8,192 from a refusal')).toBeVisible();
		await page.getByRole('button', { name: /^Forget the window of loop-8k/ }).click();
		await expect(page.getByText('learnt 8,192 from a refusal')).toHaveCount(0);
		await page.getByRole('button', { name: 'Save' }).click();
		await edit.click();
		await expect(page.getByLabel(/^Window of/)).toHaveValue('64,000');
		await expect(page.getByText('from a refusal')).toHaveCount(0);
		type Row = { models: { learntWindow?: number | null }[] };
		expect((await app.rows<Row>('providers'))[0]?.models[0]?.learntWindow).toBe(null);
	}
);
