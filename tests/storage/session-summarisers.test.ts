import { describe, expect, test } from 'vitest';
import { Models } from '../../src/lib/session/models.svelte';
import { Settings } from '../../src/lib/session/settings.svelte';
import { ask, Desk, must, settled, turns } from '../support/conversation';
import { behaviours } from '../support/openai-server';
import { grow, words } from '../support/tree';

const row = (model: string, contextWindow: number) => ({
	model,
	name: model,
	contextWindow,
	maxOutput: null,
	learntWindow: null
});

/** A desk whose provider has a small model `m` (8,192), a large one, and whose branch the large one has answered. */
async function switched({ hasLarge = true } = {}) {
	const tree = grow();
	const model = { provider: 'p', model: 'large' };
	for (let n = 0; n < 6; n++) {
		tree.user(`Question ${n}`);
		tree.answer(words(2000, n), { model });
	}
	const desk = await Desk.of({ tree });
	await new Models(desk.db).save({
		id: 'p',
		name: 'A provider',
		baseURL: desk.server.baseURL,
		models: [row('m', 8192), ...(hasLarge ? [row('large', 100_000)] : [])]
	});
	return { desk, tree };
}
const modelsOf = (chats: Desk['summaries']) => chats.map(({ body }) => body?.model);

describe('C87 who writes the summary', () => {
	test('C87 case 35: after a switch to a smaller window, the model before, in one request; then the new one is asked', async () => {
		const { desk } = await switched();
		const tab = await desk.open();
		await ask(tab, 'Go on');
		expect(modelsOf(desk.summaries)).toEqual(['large']);
		expect(modelsOf(desk.asked)).toEqual(['m']);
		expect((await desk.branch()).find(({ role }) => role === 'checkpoint')).toMatchObject({
			checkpoint: { model: { model: 'large' }, passes: 1, trigger: 'preflight' }
		});
	});

	test('C87 case 35: where it is not set up any more, the new one reads in passes', async () => {
		const { desk } = await switched({ hasLarge: false });
		const tab = await desk.open();
		await ask(tab, 'Go on');
		expect(desk.summaries.length).toBeGreaterThan(1);
		expect(new Set(modelsOf(desk.summaries))).toEqual(new Set(['m']));
		expect(modelsOf(desk.asked)).toEqual(['m']);
	});

	test('C87 where its provider fails, the new one writes, and the message goes out', async () => {
		const { desk } = await switched();
		const tab = await desk.open();
		desk.server.enqueue(behaviours.serverError());
		await ask(tab, 'Go on');
		expect(modelsOf(desk.summaries)[0]).toBe('large');
		expect(new Set(modelsOf(desk.summaries).slice(1))).toEqual(new Set(['m']));
		expect(modelsOf(desk.asked)).toEqual(['m']);
		expect(tab.notice).toBeNull();
	});

	test('C87 case 35: a switch to a larger window compacts nothing', async () => {
		const desk = await Desk.of({ tree: turns(4, 1300) });
		await new Models(desk.db).save({
			id: 'p',
			name: 'A provider',
			baseURL: desk.server.baseURL,
			models: [row('m', 8192), row('large', 100_000)]
		});
		const tab = await desk.open();
		await tab.setModel({ provider: 'p', model: 'large' });
		await ask(tab, words(1500));
		expect(desk.summaries).toHaveLength(0);
		expect(modelsOf(desk.asked)).toEqual(['large']);
	});

	test('C87 case 36: a model chosen in the settings is asked, and its summary must pass the same gate', async () => {
		const { desk } = await switched();
		await new Models(desk.db).save({
			id: 'q',
			name: 'Another provider',
			baseURL: desk.server.baseURL,
			models: [row('mini', 32_000)]
		});
		await new Settings(desk.db).change({ summariser: { provider: 'q', model: 'mini' } });
		const tab = await desk.open();
		const before = await desk.branch();
		desk.server.enqueue({ kind: 'text', chunks: ['The user asked me to summarise.'] });
		desk.server.enqueue({ kind: 'text', chunks: ['I summarised it.'] });
		await tab.compact();
		expect(modelsOf(desk.summaries)).toEqual(['mini', 'mini']);
		expect(tab.notice?.title).toMatch(/could not be used/);
		expect(await desk.branch()).toEqual(before);
		await tab.compact();
		expect(must(tab.messages.at(-1))).toMatchObject({
			checkpoint: { model: { provider: 'q', model: 'mini' } }
		});
		await ask(tab, 'Go on');
		expect(modelsOf(desk.asked)).toEqual(['m']);
	});

	test('C87 a chosen model that is no longer set up is as if none were chosen', async () => {
		const { desk } = await switched();
		await new Settings(desk.db).change({ summariser: { provider: 'gone', model: 'x' } });
		const tab = await desk.open();
		await tab.compact();
		expect(modelsOf(desk.summaries)).toEqual(['large']);
	});
});

describe('C88 failures in a row', () => {
	test('C88 case 21: three make automatic triggers rest, also after a reload; by hand it is tried again', async () => {
		const desk = await Desk.of({ tree: turns(5, 1300) });
		let tab = await desk.open();
		desk.server.fallback = behaviours.serverError();
		for (let time = 1; time <= 3; time++) await ask(tab, 'Try');
		expect(desk.summaries).toHaveLength(3);
		expect((await desk.row()).failures).toMatchObject({ count: 3, model: { model: 'm' } });
		await tab.close();
		tab = await desk.open();
		await ask(tab, 'Try');
		expect(desk.summaries).toHaveLength(3);
		expect(tab.notice?.title).toMatch(/three times in a row/);
		await tab.compact();
		expect(desk.summaries).toHaveLength(4);
		desk.server.fallback = null;
		await tab.compact();
		await settled(tab);
		expect(tab.messages.at(-1)?.role).toBe('checkpoint');
		expect((await desk.row()).failures).toBeNull();
	});

	test('C88 another model is tried at once', async () => {
		const desk = await Desk.of({
			tree: turns(5, 1300),
			session: { failures: { count: 3, model: { provider: 'p', model: 'other' } } }
		});
		const tab = await desk.open();
		await ask(tab, 'Try');
		expect(desk.summaries.length).toBeGreaterThan(0);
		expect(desk.asked).toHaveLength(1);
	});
});
