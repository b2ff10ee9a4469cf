/** Faults of other tools, each reproduced in a session over a real database and a provider behind real HTTP. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { MessageId } from '../../src/lib/history/message';
import type { CheckpointMessage } from '../../src/lib/history/message';
import type { Conversation } from '../../src/lib/session/conversation.svelte';
import { Models } from '../../src/lib/session/models.svelte';
import { Settings } from '../../src/lib/session/settings.svelte';
import { readBundle } from '../../src/lib/storage/bundle';
import { addImported } from '../../src/lib/storage/everything';
import { expectedOf } from '../../src/lib/storage/expected';
import { moveLeaf } from '../../src/lib/storage/sessions';
import { sameRow } from '../../src/lib/transfer/compare';
import { encodeHilo } from '../../src/lib/transfer/hilo';
import { readImport } from '../../src/lib/transfer/import';
import { inBatches } from '../../src/lib/compaction/batches';
import { openTranscript } from '../../src/lib/compaction/transcript';
import { estimateText } from '../../src/lib/context/estimate';
import { summaryOf } from '../support/compaction';
import {
	ask,
	Desk,
	gate,
	lines,
	mark,
	must,
	say,
	settled,
	turns,
	until,
	wireLines
} from '../support/conversation';
import { dump, freshDatabase, store } from '../support/database';
import { behaviours, OpenAIServer, wireText, type RecordedRequest } from '../support/openai-server';
import { file, grow, messageId, sessionId, text, words, type Grower } from '../support/tree';

async function open(tree: Grower, session = {}) {
	const desk = await Desk.of({ tree, session });
	return { desk, tab: await desk.open(), before: tree.branch() };
}

const newest = (tab: Conversation): CheckpointMessage => {
	const message = tab.messages.findLast(({ role }) => role === 'checkpoint');
	if (message?.role !== 'checkpoint') throw new Error('There is no checkpoint.');
	return message;
};
/** What the dial shows, once the branch has been read. */
async function contextOf(tab: Conversation) {
	await until(() => tab.context);
	return must(tab.context);
}
const all = (request: RecordedRequest | undefined) => JSON.stringify(request?.body?.messages);

describe('coverage', () => {
	test('case 1: what checkpoint 1 kept is read by the summariser of checkpoint 2', async () => {
		const tree = turns(1, 900);
		tree.talk('The kept question qzkeptqz', words(900, 4));
		const { desk, tab, before } = await open(tree);
		await tab.compact();
		expect(newest(tab).checkpoint.firstKeptMessageId).toBe(must(before[2]).id);
		const first = desk.summaries.length;
		await ask(tab, words(400, 9));
		await tab.compact();
		const reads = desk.summaries.map((request) => all(request).includes('qzkeptqz'));
		expect(reads.slice(0, first)).not.toContain(true);
		expect(reads.slice(first)).toContain(true);
		expect(newest(tab).checkpoint.coveredMessageCount).toBe(2);
	});

	test('case 6: a tab that dies at any write of the commit leaves no boundary without a summary', async () => {
		for (let at = 1; at <= 4; at++) {
			const { desk, tab, before } = await open(turns(3, 900));
			const stored = await dump(desk.db);
			desk.intrusion = {
				on: 'write',
				at: (operation) => {
					if (operation >= at) throw new Error('The tab is gone.');
				}
			};
			await tab.compact();
			desk.intrusion = null;
			const branch = await desk.branch();
			if (branch.length === before.length) expect(await dump(desk.db)).toBe(stored);
			else expect(branch.at(-1)).toMatchObject({ checkpoint: { summary: /## Key Decisions/ } });
		}
	});

	test('case 10: the instructions are in every request and in no summary’s', async () => {
		const { desk, tab } = await open(turns(3, 900), { instructions: 'Cite pages. qzsystemqz' });
		await ask(tab, 'Before');
		await tab.compact();
		await ask(tab, 'After');
		expect(desk.asked).toHaveLength(2);
		for (const request of desk.asked) {
			expect(wireText(request.body?.messages[0])).toBe('Cite pages. qzsystemqz');
		}
		expect(desk.summaries.length).toBeGreaterThan(0);
		expect(desk.summaries.some((request) => all(request).includes('qzsystemqz'))).toBe(false);
	});

	test('case 11: a message that a compaction went before is last, verbatim, and unread by the summariser', async () => {
		const { desk, tab } = await open(turns(5, 1300));
		await ask(tab, 'Now only count the studies. qzpendingqz');
		expect(newest(tab).checkpoint.trigger).toBe('preflight');
		expect(desk.summaries.some((request) => all(request).includes('qzpendingqz'))).toBe(false);
		const said = wireLines(desk.asked[0]);
		expect(said.at(-1)).toBe('u: Now only count the studies. qzpendingqz');
		expect(said[0]).toMatch(/^s: .*checkpoint/);
		expect(said.filter((line) => line.includes('qzpendingqz'))).toHaveLength(1);
		expect(lines(tab.messages).at(-1)).toBe('a: You said: Now only count the studies. qzpendingqz');
	});

	test('case 12: one huge first message is refused with numbers; nothing is asked, the draft stays', async () => {
		const { desk, tab } = await open(grow());
		await ask(tab, words(30_000));
		expect(desk.server.chats).toEqual([]);
		expect(tab.notice).toMatchObject({
			title: expect.stringMatching(/Not sent: .*\d\d,\d{3} tokens.* takes 6,144/),
			figures: expect.arrayContaining([{ label: 'Safe limit', tokens: 6144 }])
		});
		expect([tab.draft.text.length > 30_000, await desk.db.messages.count()]).toEqual([true, 0]);
	});

	test('case 38: a PDF of the first turn is in the ledger, and its hash in what was read', async () => {
		const tree = grow();
		const pdf = { ...file('delays-2021.pdf', 800), mediaType: 'application/pdf' };
		tree.user([pdf, text('What does it find?')]);
		tree.answer(words(900));
		tree.talk('And then?', words(900, 5));
		const { desk, tab } = await open(tree);
		await tab.compact();
		expect(newest(tab).checkpoint.references).toContainEqual(
			expect.objectContaining({ kind: 'file', text: 'delays-2021.pdf', messageIds: [messageId(1)] })
		);
		expect(all(desk.summaries[0])).toContain(pdf.sha256.slice(0, 12));
		expect(await desk.db.messages.get(messageId(1))).toMatchObject({ parts: [pdf, {}] });
	});
});

describe('loops', () => {
	test('case 19: right after a compaction a short message compacts nothing again', async () => {
		const tree = turns(2, 900);
		tree.user('The last question');
		tree.answer(words(700, 3), { usage: { inputTokens: 5200, outputTokens: 700 } });
		const { desk, tab } = await open(tree);
		await tab.compact();
		expect((await contextOf(tab)).occupancy).toBeLessThan(4000);
		await ask(tab, 'ok');
		expect([desk.summaries.length, desk.asked.length]).toEqual([1, 1]);
	});

	test('case 20: a summary that frees nothing is refused; before and after are by one estimator', async () => {
		const { desk, tab, before } = await open(turns(2, 400));
		desk.server.fallback = behaviours.text(summaryOf(words(850)));
		await tab.compact();
		expect(await desk.branch()).toEqual(before);
		expect(tab.notice?.title).toMatch(/more room than it frees/);

		const other = await open(turns(3, 900));
		await other.tab.compact();
		const { tokensBefore, tokensAfter } = newest(other.tab).checkpoint;
		expect(tokensAfter).toBeLessThan(tokensBefore);
		expect((await contextOf(other.tab)).occupancy).toBe(tokensAfter);
	});

	test('case 21: three failures make automatic triggers rest, also after a reload; by hand begins anew', async () => {
		const { desk, tab } = await open(turns(5, 1300));
		desk.server.fallback = behaviours.serverError();
		for (let time = 1; time <= 3; time++) await ask(tab, 'Try');
		expect(desk.summaries).toHaveLength(3);
		expect((await desk.row()).failures).toEqual({
			count: 3,
			model: { provider: 'p', model: 'm' }
		});
		await tab.close();

		const again = await desk.open();
		await ask(again, 'Try');
		await ask(again, 'Try');
		expect(desk.summaries).toHaveLength(3);
		expect(again.notice?.title).toMatch(/three times in a row/);
		expect(again.draft.text).toBe('Try');

		// By hand it is tried even now, and its failure counts like the others.
		await again.compact();
		expect(desk.summaries).toHaveLength(4);
		desk.server.fallback = null;
		await again.compact();
		expect((await desk.row()).failures ?? null).toBeNull();
		await again.close();

		// And automatic triggers work again, after another reload too.
		const third = await desk.open();
		const made = desk.summaries.length;
		desk.server.enqueue(behaviours.text(words(2000)));
		await ask(third, words(1500));
		await ask(third, words(1500, 7));
		expect(desk.summaries.length).toBeGreaterThan(made);
		expect(newest(third).checkpoint.trigger).not.toBe('manual');
	});

	test('case 21: they do not rest for a model that has not failed', async () => {
		const { desk, tab } = await open(turns(5, 1300), {
			failures: { count: 3, model: { provider: 'p', model: 'another' } }
		});
		await ask(tab, 'Try');
		expect(desk.asked).toHaveLength(1);
	});

	test('case 22: a model of unknown window has an assumed one, says so, and is compacted for', async () => {
		const desk = await Desk.of({ tree: turns(8, 4000) });
		const models = new Models(desk.db);
		await models.load();
		const [row] = models.rows;
		const [model] = must(row).models;
		await models.save({ ...must(row), models: [{ ...must(model), contextWindow: null }] });
		const tab = await desk.open();
		expect((await contextOf(tab)).capacity).toMatchObject({
			window: 32_000,
			windowSource: 'assumed'
		});
		await ask(tab, 'Does it fit?');
		expect(newest(tab).checkpoint.trigger).toBe('preflight');
		expect(desk.asked).toHaveLength(1);
	});
});

describe('windows', () => {
	test('case 23: a history of five windows is compacted; each request of it fits the summariser', async () => {
		const { desk, tab } = await open(turns(30, 1400));
		await ask(tab, 'Still with me?');
		expect(desk.summaries.length).toBeGreaterThan(5);
		for (const { body } of desk.summaries) {
			const said = must(body).messages.map(wireText).join('\n');
			expect(estimateText(said)).toBeLessThanOrEqual(6144);
			expect(estimateText(said) + (body?.max_tokens ?? 0)).toBeLessThanOrEqual(8192);
		}
		const read = desk.summaries.map(all).join('\n');
		for (let turn = 1; turn <= 29; turn++) expect(read).toContain(`Question ${turn}\\n`);
		expect(lines(tab.messages).at(-1)).toBe('a: You said: Still with me?');
	});

	test('case 26: a refusal teaches the lower limit, kept for the model; nothing is asked again unbidden', async () => {
		const desk = await Desk.of({ tree: turns(5, 1500), window: 65_536 });
		const tab = await desk.open();
		desk.server.enqueue(behaviours.overflow(8192));
		await ask(tab, 'Too much?');
		expect([desk.asked.length, desk.summaries.length]).toEqual([1, 0]);
		expect(tab.notice).toMatchObject({ tone: 'error', actions: expect.arrayContaining(['retry']) });
		expect((await contextOf(tab)).capacity).toMatchObject({ window: 8192, windowSource: 'learnt' });
		await tab.close();

		const again = await desk.open();
		expect((await contextOf(again)).capacity).toMatchObject({
			window: 8192,
			windowSource: 'learnt'
		});
		await (lines(again.messages).at(-1)?.startsWith('u:') ? again.retry() : ask(again, 'Now?'));
		await settled(again);
		expect(newest(again).checkpoint.trigger).toBe('preflight');
		expect(desk.asked).toHaveLength(2);
	});

	test('case 26: so does the refusal of a summary request, and the next one is smaller', async () => {
		const desk = await Desk.of({ tree: turns(12, 1500), window: 65_536 });
		const tab = await desk.open();
		desk.server.enqueue(behaviours.overflow(8192));
		await tab.compact();
		expect([desk.summaries.length, tab.notice?.tone]).toEqual([1, 'error']);
		expect((await contextOf(tab)).capacity).toMatchObject({ window: 8192, windowSource: 'learnt' });
		await tab.compact();
		for (const { body } of desk.summaries.slice(1)) {
			expect(estimateText(must(body).messages.map(wireText).join('\n'))).toBeLessThan(6144);
		}
		expect(tab.messages.at(-1)?.role).toBe('checkpoint');
	});
});

/** Two models behind two servers: the first answered so far, the second is the session's now. */
async function switched(windows: { readonly old: number; readonly own: number }, tree: Grower) {
	const desk = await Desk.of({ tree, window: windows.old });
	const other = await OpenAIServer.start();
	onTestFinished(() => other.stop());
	const model = { model: 'n', name: 'n', contextWindow: windows.own, maxOutput: null };
	const models = new Models(desk.db);
	await models.load();
	await models.save({
		id: 'q',
		name: 'Another provider',
		baseURL: other.baseURL,
		models: [{ ...model, learntWindow: null }]
	});
	return {
		desk,
		other,
		models,
		summariesOf: (server: OpenAIServer) => server.chats.filter(isSummary)
	};
}
const isSummary = (chat: RecordedRequest) =>
	wireText(chat.body?.messages.at(-1)).includes('<transcript>');
const fresh = { provider: 'q', model: 'n' };

describe('models', { timeout: 60_000 }, () => {
	const large = { old: 512_000, own: 272_000 };

	test('case 35: 300k from 512k to 272k: the old model summarises in one request, the new one answers', async () => {
		const { desk, other } = await switched(large, turns(60, 5000));
		const tab = await desk.open();
		expect((await contextOf(tab)).occupancy).toBeGreaterThan(280_000);
		await tab.setModel(fresh);
		expect((await contextOf(tab)).capacity.window).toBe(272_000);
		await ask(tab, 'Go on');
		expect([desk.summaries.length, desk.asked.length]).toEqual([1, 0]);
		expect(other.chats).toHaveLength(1);
		expect(wireLines(other.chats[0]).at(-1)).toBe('u: Go on');
		expect(newest(tab).checkpoint).toMatchObject({
			trigger: 'preflight',
			model: { provider: 'p', model: 'm' },
			passes: 1
		});
	});

	test('case 35: where the old model is gone, the new one reads all of it in passes', async () => {
		const { desk, other, models, summariesOf } = await switched(large, turns(60, 5000));
		await models.remove('p');
		const tab = await desk.open();
		await tab.setModel(fresh);
		await ask(tab, 'Go on');
		expect(desk.server.chats).toEqual([]);
		expect(summariesOf(other).length).toBeGreaterThan(1);
		const read = summariesOf(other).map(all).join('\n');
		const covered = newest(tab).checkpoint.coveredMessageCount / 2;
		expect(covered).toBeGreaterThan(40);
		for (let turn = 1; turn <= covered; turn++) expect(read).toContain(`Question ${turn}\\n`);
		expect(wireLines(other.chats.at(-1)).at(-1)).toBe('u: Go on');
	});

	test('case 35: where the old model fails, the new one does it', async () => {
		const { desk, other } = await switched({ old: 32_000, own: 8192 }, turns(6, 1300));
		desk.server.fallback = behaviours.unauthorized();
		const tab = await desk.open();
		await tab.setModel(fresh);
		await ask(tab, 'Go on');
		expect(desk.summaries).toHaveLength(1);
		expect(newest(tab).checkpoint.model).toEqual(fresh);
		expect(wireLines(other.chats.at(-1)).at(-1)).toBe('u: Go on');
	});

	test('case 35: from a small window to a large one nothing is compacted', async () => {
		const { desk, other } = await switched({ old: 8192, own: 32_000 }, turns(5, 1300));
		const tab = await desk.open();
		await tab.setModel(fresh);
		await ask(tab, 'Go on');
		expect([desk.server.chats.length, other.chats.length]).toEqual([0, 1]);
		expect(tab.messages.some(({ role }) => role === 'checkpoint')).toBe(false);
	});

	async function withSummariser() {
		const world = await switched({ old: 8192, own: 32_000 }, turns(3, 900));
		const settings = new Settings(world.desk.db);
		await settings.load();
		await settings.change({ summariser: fresh });
		return { ...world, tab: await world.desk.open() };
	}

	test('case 36: the summariser chosen in the settings is asked, and the session’s own model answers', async () => {
		const { desk, other, tab, summariesOf } = await withSummariser();
		await tab.compact();
		await ask(tab, 'Go on');
		expect(newest(tab).checkpoint.model).toEqual(fresh);
		expect([summariesOf(other).length, other.chats.length]).toEqual([1, 1]);
		expect([desk.summaries.length, desk.asked.length]).toEqual([0, 1]);
	});

	test('case 36: its quality gate is the same: a useless meta-summary is not kept', async () => {
		const { desk, other, tab } = await withSummariser();
		other.fallback = behaviours.text('This conversation is about several studies. ', words(40));
		const stored = await desk.branch();
		await tab.compact();
		expect(tab.notice?.title).toMatch(/could not be used. It lacks all sections/);
		expect([await desk.branch(), other.chats.length]).toEqual([stored, 2]);
	});

	test('case 36, case 26: a summariser that refuses for length teaches its limit, and reads in passes then', async () => {
		const { other, tab } = await withSummariser();
		other.enqueue(behaviours.overflow(4096));
		await tab.compact();
		await tab.compact();
		expect(tab.messages.at(-1)?.role).toBe('checkpoint');
		const sizes = other.chats.map(({ body }) => all({ body } as RecordedRequest).length);
		expect(Math.max(...sizes.slice(1))).toBeLessThan(must(sizes[0]));
	});
});

describe('cancel', () => {
	/** Cancels, and says how long it took until one can write on: one action, no wait. */
	async function cancelled(tab: Conversation, compacted: Promise<void>): Promise<number> {
		const from = performance.now();
		tab.cancelCompaction();
		await compacted;
		const took = performance.now() - from;
		expect([tab.isBusy, tab.branchLocked, tab.canSend, tab.compaction]).toEqual([
			false,
			false,
			true,
			null
		]);
		return took;
	}

	async function expectUntouched(desk: Desk, tab: Conversation, before: readonly unknown[]) {
		expect(await desk.branch()).toEqual(before);
		expect(tab.notice?.title).toBe('Compaction cancelled.');
		expect((await desk.row()).failures ?? null).toBeNull();
		await ask(tab, 'Still usable?');
		expect(lines(tab.messages).at(-1)).toBe('a: You said: Still usable?');
	}

	test('case 39: before the first token: usable within 200 ms, no checkpoint', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		const held = gate();
		desk.server.enqueue({ kind: 'hang', gate: held.shut });
		const compacted = tab.compact();
		await until(() => desk.summaries.length === 1);
		expect(await cancelled(tab, compacted)).toBeLessThan(200);
		held.open();
		await expectUntouched(desk, tab, before);
	});

	test('case 39, case 41: mid-stream: usable within 200 ms, no checkpoint, the provider is let go', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		const begun = mark();
		desk.server.enqueue({ kind: 'hang', chunks: ['## Key Decisions\n- [user] so', begun.chunk] });
		const compacted = tab.compact();
		await begun.reached;
		expect(await cancelled(tab, compacted)).toBeLessThan(200);
		await desk.summaries[0]?.closed;
		expect(desk.summaries[0]?.aborted).toBe(true);
		await expectUntouched(desk, tab, before);
	});

	test('case 39: after the last token and before the commit: usable within 200 ms, no checkpoint', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		let took = Infinity;
		let compacted = Promise.resolve();
		const cancel = new Promise<void>((resolve) => {
			desk.intrusion = {
				on: 'write',
				at: (operation) => {
					if (operation === 1) resolve(cancelled(tab, compacted).then((ms) => void (took = ms)));
				}
			};
		});
		compacted = tab.compact();
		await cancel;
		desk.intrusion = null;
		expect(took).toBeLessThan(200);
		await expectUntouched(desk, tab, before);
	});

	test('case 39: after the commit: the whole checkpoint, and nothing hangs', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		const compacted = tab.compact();
		await until(async () => (await desk.branch()).length > before.length);
		expect(await cancelled(tab, compacted)).toBeLessThan(200);
		expect((await desk.branch()).slice(0, -1)).toEqual(before);
		expect(tab.messages).toEqual(await desk.branch());
		expect(newest(tab).checkpoint.summary).toContain('## Key Decisions');
	});

	test('case 41: the same cancel ends the reading in the worker, before any model is asked', async () => {
		const desk = await Desk.of({ tree: turns(3, 900) });
		const reading = gate();
		const asked = gate();
		const tab = await desk.open({
			read: async (messages, options) => {
				asked.open();
				await reading.shut;
				return openTranscript(inBatches(messages), options);
			}
		});
		const before = await desk.branch();
		const compacted = tab.compact();
		await asked.shut;
		expect(await cancelled(tab, compacted)).toBeLessThan(200);
		reading.open();
		await expectUntouched(desk, tab, before);
		expect(desk.summaries).toEqual([]);
	});

	test('case 41: leaving the session ends its compaction: the provider is let go, nothing is written', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		const begun = mark();
		desk.server.enqueue({ kind: 'hang', chunks: ['## Key', begun.chunk] });
		const compacted = tab.compact();
		await begun.reached;
		await tab.close();
		await compacted;
		await desk.summaries[0]?.closed;
		expect([desk.summaries[0]?.aborted, await desk.branch()]).toEqual([true, before]);
	});
});

describe('races and branches', () => {
	test('case 42: a leaf moved during the summary: nothing is written on either branch, and it can be asked again', async () => {
		const { desk, tab, before } = await open(turns(3, 900));
		const held = gate();
		desk.server.enqueue({ ...behaviours.text(summaryOf()), gate: held.shut });
		const compacted = tab.compact();
		await until(() => desk.summaries.length === 1);
		const elsewhere = must(before[1]);
		expect(await moveLeaf(desk.db, expectedOf(await desk.row()), elsewhere.id, 9)).not.toBeNull();
		held.open();
		await compacted;
		expect(await desk.db.messages.count()).toBe(before.length);
		expect(await desk.branch()).toEqual(before.slice(0, 2));
		await until(() => tab.messages.length === 2);
		expect(tab.notice?.title).toMatch(/changed meanwhile/);
		await tab.switchTo(must(before[2]).id);
		await tab.compact();
		expect((await desk.branch()).slice(0, -1)).toEqual(before);
		expect(tab.messages.at(-1)?.role).toBe('checkpoint');
	});

	const phases = ['reading', 'summarising', 'verifying', 'committing'] as const;
	test.each(phases)(
		'case 43: a message sent while %s goes out once, below the checkpoint',
		async (phase) => {
			const desk = await Desk.of({ tree: turns(3, 900) });
			const inside = gate();
			const go = gate();
			const stopAt = async (here: (typeof phases)[number]) => {
				if (here !== phase) return;
				inside.open();
				await go.shut;
			};
			const tab = await desk.open({
				read: async (messages, options) => {
					await stopAt('reading');
					const transcript = openTranscript(inBatches(messages), options);
					return {
						...transcript,
						// Read once the answer is there, to verify it by.
						references: async () => {
							await stopAt('verifying');
							return transcript.references();
						}
					};
				}
			});
			desk.server.enqueue(
				phase === 'summarising'
					? behaviours.text(
							'## Key Decisions\n',
							{ then: (...on) => stopAt(phase).then(...on) },
							'- x'
						)
					: behaviours.text(summaryOf())
			);
			let sent = Promise.resolve();
			if (phase === 'committing') {
				desk.intrusion = {
					on: 'write',
					at: () => {
						desk.intrusion = null;
						sent = say(tab, 'Patiently');
					}
				};
			}
			const compacted = tab.compact();
			if (phase !== 'committing') {
				await inside.shut;
				expect(tab.compaction?.phase).toBe(phase);
				sent = say(tab, 'Patiently');
				expect(tab.waiting?.text).toBe('Patiently');
				go.open();
			}
			await compacted;
			await sent;
			await settled(tab);
			const [checkpoint, question, answer] = tab.messages.slice(-3);
			expect([checkpoint?.role, question?.parentId]).toEqual(['checkpoint', checkpoint?.id]);
			expect(lines([must(question), must(answer)])).toEqual([
				'u: Patiently',
				'a: You said: Patiently'
			]);
			expect(desk.asked).toHaveLength(1);
			expect([tab.draft.text, tab.waiting, (await desk.row()).draft.text]).toEqual(['', null, '']);
			expect(tab.messages).toEqual(await desk.branch());
		}
	);

	test('case 44: an edited turn 3 of 6: what was said on the dead branch is in no request', async () => {
		const tree = grow();
		for (let n = 1; n <= 6; n++) {
			tree.talk(`Question ${n} ${n >= 3 ? 'qzdeadqz' : 'qzliveqz'}`, words(500, n));
		}
		const { desk, tab, before } = await open(tree);
		await tab.edit(must(before[4]).id, 'Question 3, in other words');
		await settled(tab);
		await ask(tab, words(500, 8));
		await tab.compact();
		await ask(tab, 'Go on');
		expect(newest(tab).checkpoint.coveredMessageCount).toBeGreaterThanOrEqual(4);
		const said = desk.server.chats.map(all);
		expect(said.length).toBeGreaterThanOrEqual(4);
		expect(said.filter((each) => each.includes('qzdeadqz'))).toEqual([]);
		expect(said.some((each) => each.includes('qzliveqz'))).toBe(true);
	});

	test('case 45: an edit of 7 before a checkpoint at 20 asks with 1 to 6 verbatim, and without the checkpoint', async () => {
		const tree = grow();
		for (let n = 1; n <= 20; n++) tree.talk(`Question ${n}`, `Answer ${n} ${words(130, n)}`);
		const { desk, tab, before } = await open(tree);
		await tab.compact();
		const summary = newest(tab).checkpoint.summary.slice(0, 60);
		await tab.edit(must(before[12]).id, 'Question 7, edited');
		await settled(tab);
		expect(wireLines(desk.asked[0])).toEqual([
			...lines(before.slice(0, 12)),
			'u: Question 7, edited'
		]);
		expect(all(desk.asked[0])).not.toContain(JSON.stringify(summary).slice(1, -1));
		expect(tab.messages.some(({ role }) => role === 'checkpoint')).toBe(false);

		// The branch of the checkpoint is still there, whole.
		await tab.switchTo(must(before[12]).id);
		expect(tab.messages.slice(0, -1)).toEqual(before);
		expect(newest(tab).checkpoint.summary.slice(0, 60)).toBe(summary);
	});

	test('case 48: a checkpoint is undone by itself, and is no turn of the user', async () => {
		const { desk, tab, before } = await open(turns(4, 900));
		await tab.compact();
		await ask(tab, 'On top of it');
		const checkpoint = newest(tab);
		// Not while something stands on it: a sentence says so, and nothing moves.
		await tab.undoCheckpoint(checkpoint.id);
		expect([tab.notice?.tone, tab.messages.length]).toEqual(['info', before.length + 3]);
		await tab.retry();
		await settled(tab);
		expect(wireLines(desk.asked[1])).toEqual(wireLines(desk.asked[0]));

		const other = await open(turns(4, 900));
		await other.tab.compact();
		await other.tab.undoCheckpoint(newest(other.tab).id);
		expect(other.tab.messages).toEqual(other.before);
		await ask(other.tab, 'As if never');
		expect(wireLines(other.desk.asked[0])).toEqual([...lines(other.before), 'u: As if never']);
		expect(await other.desk.db.messages.count()).toBe(other.before.length + 3);
	});
});

describe('export, import, damage', () => {
	/** A session with two checkpoints, a fork and a dead branch, as the file an export writes. */
	async function exported(): Promise<string> {
		const tree = turns(3, 300);
		const [, , , , kept] = tree.branch();
		const middle = tree.leaf;
		tree.checkpoint(must(kept));
		tree.talk('Later', 'Answer');
		tree.checkpoint(null);
		tree.talk('Latest', 'Answer');
		const leaf = tree.leaf;
		tree.at(middle).talk('A dead branch', 'Answer');
		tree.at(leaf);
		const db = await freshDatabase();
		await store(db, tree, { title: 'Delays' });
		await db.sessions.put(
			tree.session({ id: sessionId(2), leafId: must(middle).id, title: 'Fork' })
		);
		const { sessions, messages } = await readBundle(db, await db.sessions.toArray());
		db.close();
		let json = '';
		for await (const chunk of encodeHilo({
			app: '0',
			exportedAt: 1,
			sessions,
			messages,
			attachments: []
		}))
			json += chunk;
		return json;
	}

	/** Adds what a file holds to an empty database, as the data page does. */
	async function imported(json: string) {
		const read = await readImport('hilo.json', json, { model: { provider: 'p', model: 'm' } });
		const db = await freshDatabase();
		onTestFinished(() => db.close());
		if (!read.ok) return { db, read };
		for (const session of read.sessions) {
			const rows = read.messages.filter(({ treeId }) => treeId === session.treeId);
			expect((await addImported(db, session, rows, sameRow)).kind).toBe('added');
		}
		return { db, read };
	}

	test('case 47: ids, boundaries and branches survive export and import, and again changes nothing', async () => {
		const json = await exported();
		const { db, read } = await imported(json);
		if (!read.ok) throw new Error(read.problem.title);
		const rows = await db.messages.toArray();
		const byId = new Map(rows.map((row) => [row.id, row]));
		const checkpoints = rows.filter((row) => row.role === 'checkpoint');
		expect([rows.length, checkpoints.length, await db.sessions.count()]).toEqual([14, 2, 2]);
		for (const { checkpoint, ...row } of checkpoints) {
			if (checkpoint.firstKeptMessageId === null) continue;
			const above: MessageId[] = [];
			for (let id = row.parentId; id; id = byId.get(id)?.parentId ?? null) above.push(id);
			expect(above).toContain(checkpoint.firstKeptMessageId);
			expect(byId.get(checkpoint.firstKeptMessageId)?.role).toBe('user');
		}
		const stored = await dump(db);
		for (const session of read.sessions) {
			const mine = read.messages.filter(({ treeId }) => treeId === session.treeId);
			expect((await addImported(db, session, mine, sameRow)).kind).toBe('same');
		}
		expect(await dump(db)).toBe(stored);
	});

	interface Exported {
		readonly role: string;
		readonly checkpoint?: { firstKeptMessageId: string | null; summary: string };
	}
	test.each<[string, (checkpoint: Required<Exported>['checkpoint']) => void]>([
		['names a message that is not there', (c) => (c.firstKeptMessageId = messageId(999))],
		['names an answer', (c) => (c.firstKeptMessageId = messageId(2))],
		['names a message of another branch', (c) => (c.firstKeptMessageId = messageId(12))],
		['has no summary (case 6)', (c) => (c.summary = '')]
	])(
		'case 47: a checkpoint that %s is refused, with a sentence that says which',
		async (_, harm) => {
			const file: { readonly messages: readonly Exported[] } = JSON.parse(await exported());
			harm(must(file.messages.find(({ role }) => role === 'checkpoint')?.checkpoint));
			const { db, read } = await imported(JSON.stringify(file));
			expect(await db.messages.count()).toBe(0);
			const said = read.ok
				? read.report.skipped.map(({ why }) => why).join(' ')
				: `${read.problem.title} ${read.problem.detail ?? ''}`;
			expect(said).toMatch(/checkpoint|summary|boundary/i);
		}
	);

	test('case 47: what was exported and imported asks with the same bytes', async () => {
		const { db } = await imported(await exported());
		const rows = await db.messages.toArray();
		const tree = grow();
		for (const row of rows) tree.rows.set(row.id, row);
		const session = must(await db.sessions.get(sessionId()));
		tree.at(must(rows.find(({ id }) => id === session.leafId)));
		const { tab } = await open(tree);
		const original = grow();
		const { messages } = JSON.parse(await exported());
		for (const row of messages) original.rows.set(row.id, row);
		const other = await open(original.at(original.rows.get(must(session.leafId)) ?? null));
		expect(JSON.stringify(await tab.nextRequest())).toBe(
			JSON.stringify(await other.tab.nextRequest())
		);
	});

	type Row = Record<string, unknown>;
	const spoil = (rows: Map<string, Row>, fields: object) => {
		const row = must([...rows.values()].find(({ role }) => role === 'checkpoint'));
		row['checkpoint'] = { ...(row['checkpoint'] as object), ...fields };
	};
	test.each<[string, (rows: Map<string, Row>) => void]>([
		['a missing parent', (rows) => rows.delete(messageId(2))],
		['a cycle', (rows) => (must(rows.get(messageId(2)))['parentId'] = messageId(3))],
		['a wrong depth', (rows) => (must(rows.get(messageId(4)))['depth'] = 9)],
		[
			'a boundary that is not on the path',
			(rows) => spoil(rows, { firstKeptMessageId: messageId(99) })
		],
		['a boundary that is an answer', (rows) => spoil(rows, { firstKeptMessageId: messageId(2) })],
		['a checkpoint without a summary (case 6)', (rows) => spoil(rows, { summary: ' ' })]
	])('case 49: %s: read-only, nothing rewritten, export works', async (_, harm) => {
		const tree = turns(3, 200);
		tree.checkpoint(must(tree.branch()[2]));
		tree.talk('Later', 'Answer');
		const rows = new Map<string, Row>(
			[...tree.rows].map(([id, row]) => [id, { ...row } as unknown as Row])
		);
		harm(rows);
		const desk = await Desk.of({ tree });
		await desk.db.messages.clear();
		await desk.db.messages.bulkPut([...rows.values()] as never[]);
		const stored = JSON.stringify(await desk.db.messages.toArray());
		const tab = await desk.open();
		await tab.nextRequest().catch(() => undefined);
		expect([tab.readOnly === null, tab.canSend, tab.branchLocked]).toEqual([false, false, true]);
		await ask(tab, 'Into the void');
		await tab.compact();
		await tab.retry();
		expect(desk.server.chats).toEqual([]);
		expect(JSON.stringify(await desk.db.messages.toArray())).toBe(stored);
		const { messages } = await readBundle(desk.db, [await desk.row()]);
		expect(messages).toHaveLength(rows.size);
	});

	test('case 49: of a history with a missing row, what is sound is shown', async () => {
		const tree = turns(3, 200);
		const desk = await Desk.of({ tree });
		await desk.db.messages.delete(messageId(5));
		const tab = await desk.open();
		expect(tab.readOnly).not.toBeNull();
		expect(tab.messages.length).toBeGreaterThan(0);
	});
});
