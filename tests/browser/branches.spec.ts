import { readFile } from 'node:fs/promises';
import { expect, test, type App } from './app';

interface SessionRow {
	readonly id: string;
	readonly title: string;
	readonly treeId: string;
	readonly leafId: string | null;
	readonly branchRevision: number;
	readonly draft: { readonly text: string };
	readonly discardedAt?: number | null;
}
const sessions = (app: App) => app.rows<SessionRow>('sessions');
const messages = (app: App) => app.rows<{ readonly id: string; readonly role: string }>('messages');

/** The sessions of the sidebar; its other links are pages. */
const lines = ({ page }: App) => page.locator('a[data-session]');
const answers = (app: App) => app.main.getByRole('article', { name: 'Answer' });
const yours = (app: App, text: string) =>
	app.main.getByRole('article', { name: 'You' }).filter({ hasText: text });
/** The menu of the session on screen. */
async function choose({ page }: App, name: string): Promise<void> {
	const shown = page.locator('li', { has: page.locator('a[aria-current=page]') });
	await shown.hover();
	await shown.getByRole('button', { name: /^Actions for/ }).click();
	await page.getByRole('menuitem', { name }).click();
}
const idOf = ({ page }: App) => new URL(page.url()).pathname.split('/').at(-1);

/** Two turns of one's own, with short answers. */
async function converse(app: App): Promise<void> {
	await app.startOwn();
	for (const text of ['What is the spacing effect?', 'And the testing effect?']) {
		await app.send(text);
		await app.idle();
	}
	await expect(answers(app)).toHaveCount(2);
}

/** Sends one's last message anew, in other words. */
async function edit(app: App, from: string, to: string): Promise<void> {
	const message = yours(app, from);
	await message.hover();
	await message.getByRole('button', { name: /^Edit/ }).click();
	await app.page.getByRole('textbox', { name: 'Edit your message' }).fill(to);
	await app.page.getByRole('textbox', { name: 'Edit your message' }).press('Enter');
	await expect(yours(app, to)).toBeVisible();
	await app.idle();
}

test('a fork is a new session that goes on from an answer; the first one stays as it was', async ({
	app
}) => {
	await converse(app);
	await app.composer.fill('a draft of the first');
	await expect.poll(async () => (await sessions(app))[0]?.draft.text).toBe('a draft of the first');
	const [before] = await sessions(app);
	const count = (await messages(app)).length;

	await answers(app).first().hover();
	await answers(app).first().getByRole('button', { name: /^Fork/ }).click();
	await expect.poll(() => idOf(app)).not.toBe(before?.id);
	await expect(lines(app)).toHaveCount(2);
	await expect(yours(app, 'What is the spacing effect?')).toBeVisible();
	await expect(answers(app)).toHaveCount(1);
	await expect(yours(app, 'And the testing effect?')).toHaveCount(0);
	await expect(app.composer).toHaveValue('');
	// Nothing is copied, and the first session is untouched.
	expect((await messages(app)).length).toBe(count);
	expect((await sessions(app)).find(({ id }) => id === before?.id)).toEqual(before);

	await app.send('How long should the gap be?');
	await app.idle();
	await expect(answers(app)).toHaveCount(2);
	expect((await sessions(app)).find(({ id }) => id === before?.id)).toEqual(before);
	await app.open(`/s/${before?.id}`);
	await expect(yours(app, 'And the testing effect?')).toBeVisible();
	await expect(yours(app, 'How long should the gap be?')).toHaveCount(0);
	await expect(app.composer).toHaveValue('a draft of the first');
});

test('a duplicate has the same history and stands alone: deleting one leaves the other whole', async ({
	app
}) => {
	const { page } = app;
	await converse(app);
	const first = idOf(app);
	await choose(app, 'Duplicate');
	await expect.poll(() => idOf(app)).not.toBe(first);
	await expect(answers(app)).toHaveCount(2);
	await expect(lines(app)).toHaveCount(2);

	// Deleted at once, and brought back by the notice.
	await choose(app, 'Delete');
	await expect(page.getByText(/was deleted\.$/)).toBeVisible();
	await expect(lines(app)).toHaveCount(1);
	await page.getByRole('button', { name: 'Undo', exact: true }).click();
	await expect(lines(app)).toHaveCount(2);

	// Deleted for good: gone from the database, and the first is whole.
	await app.open(`/s/${(await sessions(app)).find(({ id }) => id !== first)?.id}`);
	await expect(answers(app)).toHaveCount(2);
	await choose(app, 'Delete');
	await expect(lines(app)).toHaveCount(1);
	await app.open('/data');
	const deleted = app.main.getByRole('region', { name: 'Recently deleted' });
	await expect(deleted.getByRole('listitem')).toHaveCount(1);
	await deleted.getByRole('button', { name: 'Bring back' }).click();
	await expect(lines(app)).toHaveCount(2);
	await expect(deleted).toHaveCount(0);
	await app.open(`/s/${(await sessions(app)).find(({ id }) => id !== first)?.id}`);
	await choose(app, 'Delete');
	await expect(lines(app)).toHaveCount(1);
	await app.open('/data');
	await deleted.getByRole('button', { name: 'Delete for good' }).click();
	await expect(deleted).toHaveCount(0);
	expect((await sessions(app)).map(({ id }) => id)).toEqual([first]);
	await app.open(`/s/${first}`);
	await expect(answers(app)).toHaveCount(2);
});

test('an edited message makes a branch; what is elsewhere is counted, found and gone to', async ({
	app
}) => {
	const { page } = app;
	await converse(app);
	await edit(app, 'And the testing effect?', 'And what of interleaving?');
	await expect(yours(app, 'And the testing effect?')).toHaveCount(0);
	const elsewhere = page.getByRole('button', { name: '2 messages in other branches' });
	await elsewhere.click();
	const branches = yours(app, 'And what of interleaving?').getByRole('group', {
		name: 'Branches here'
	});
	await expect(branches).toBeInViewport();
	await expect(branches.getByLabel('Branch 2 of 2')).toBeVisible();

	// Neither the switch nor the edit leaves an editor open, nor does a reload change the branch.
	await branches.getByRole('button', { name: 'Previous branch' }).click();
	await expect(yours(app, 'And the testing effect?')).toBeVisible();
	await expect(page.getByRole('textbox', { name: 'Edit your message' })).toHaveCount(0);
	await expect(app.main.getByLabel('Branch 1 of 2')).toBeVisible();
	await page.reload();
	await expect(yours(app, 'And the testing effect?')).toBeVisible();
	await expect(elsewhere).toBeVisible();
	await page.getByRole('button', { name: 'Next branch' }).click();
	await expect(yours(app, 'And what of interleaving?')).toBeVisible();
	await expect(answers(app)).toHaveCount(2);
});

test('an undone checkpoint is off the branch, and the inspector says so', async ({ app }) => {
	const { page } = app;
	await page.setViewportSize({ width: 1280, height: 420 });
	await app.openSample();
	await app.send('/compact');
	await app.idle();
	// The rule is in sight, and nothing lies over it.
	await expect(app.checkpoints).toBeInViewport();
	await app.checkpoints.click();
	await page.getByRole('button', { name: 'Inspect' }).click();
	const heading = page.getByRole('heading', { name: 'Checkpoint', exact: true });
	await expect(heading).toBeFocused();
	await page.keyboard.press('Escape');
	await expect(heading).toHaveCount(0);
	await expect(page.getByRole('button', { name: 'Inspect' })).toBeFocused();
	await page.keyboard.press('Enter');
	await expect(heading).toBeFocused();

	await page.getByRole('button', { name: 'Undo this checkpoint' }).click();
	await expect(page.getByText('This checkpoint was undone; it is not on the active')).toBeVisible();
	await expect(app.checkpoints).toHaveCount(0);
	await expect(page.getByText('The checkpoint was taken off this branch.')).toBeInViewport();
	await expect(page.getByRole('button', { name: 'Undo this checkpoint' })).toHaveCount(0);
	expect((await messages(app)).filter(({ role }) => role === 'checkpoint')).toHaveLength(1);
	await expect(page.getByText('1 message in another branch')).toBeVisible();
});

test('a pin of another branch is listed apart', async ({ app }) => {
	const { page } = app;
	await converse(app);
	const pinned = yours(app, 'And the testing effect?');
	await pinned.hover();
	await pinned.getByRole('button', { name: /^Pin:/ }).click();
	await expect(pinned.getByRole('button', { name: /^Unpin:/ })).toBeVisible();
	const dial = page.getByRole('button', { name: /^Context:/ });
	const panel = page.getByRole('dialog', { name: 'Context' });
	await dial.click();
	await panel.getByText(/^Pinned: 1 ·/).click();
	await expect(panel.getByText('And the testing effect?')).toBeVisible();
	await expect(panel.getByText('Pinned on another branch, not carried here')).toHaveCount(0);
	await page.keyboard.press('Escape');

	await edit(app, 'And the testing effect?', 'And what of interleaving?');
	await dial.click();
	await panel.getByText(/^Pinned: 0 ·/).click();
	await expect(panel.getByText('Pinned on another branch, not carried here')).toBeVisible();
	await panel.getByRole('button', { name: /^Unpin/ }).click();
	await expect(panel.getByText('Nothing is pinned.')).toBeVisible();
});

test('a database the app cannot open is written to a file, as far as it can be read', async ({
	app
}) => {
	const { page } = app;
	await converse(app);
	// The app names the version it wants; whoever only reads does not.
	await page.addInitScript(() => {
		const { open } = IDBFactory.prototype;
		IDBFactory.prototype.open = function (name: string, version?: number) {
			if (version !== undefined) throw new DOMException('Broken on purpose.', 'DataError');
			return open.call(this, name);
		};
	});
	await page.reload();
	await expect(page.getByText('Hilo could not open its database in this browser.')).toBeVisible();
	const file = page.waitForEvent('download');
	await page.getByRole('button', { name: 'Write what can be read to a file' }).click();
	const text = await readFile(await (await file).path(), 'utf8');
	expect(text).toContain('And the testing effect?');
	await expect(
		page.getByText(/^What could be read was written to a file: sessions 1, messages 4\.$/)
	).toBeVisible();
});
