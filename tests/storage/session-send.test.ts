import { describe, expect, test } from 'vitest';
import {
	ask,
	Desk,
	gate,
	lines,
	macrotask,
	must,
	say,
	settled,
	textOf,
	turns,
	until,
	wireLines
} from '../support/conversation';
import { compute } from '../support/compute';
import { newRun } from '../support/database';
import { behaviours, wireText } from '../support/openai-server';
import { grow, text, words } from '../support/tree';

describe('a message is sent', () => {
	test('the question is durable, its draft cleared with it, before the provider answers', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		const held = gate();
		desk.server.enqueue({ ...behaviours.text('An answer.'), gate: held.shut });
		const arrived = desk.server.nextChat();
		await say(tab, 'What is known?\nSince 1990.');
		await arrived;
		const [question] = await desk.branch();
		expect(lines([must(question)])).toEqual(['u: What is known?\nSince 1990.']);
		expect(await desk.row()).toMatchObject({ leafId: question?.id, draft: { text: '' } });
		expect(await desk.db.runs.get(desk.id)).toMatchObject({ parentId: question?.id });
		expect([tab.isBusy, tab.canSend, tab.draft.text, tab.waiting]).toEqual([true, false, '', null]);
		held.open();
		await settled(tab);
		expect(lines(await desk.branch())).toEqual(['u: What is known?\nSince 1990.', 'a: An answer.']);
	});

	test('a question that cannot be stored is not asked, and is a draft again', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		desk.fillDisk();
		await say(tab, 'Is there room?');
		expect(desk.server.chats).toHaveLength(0);
		expect([tab.draft.text, tab.waiting, tab.isBusy]).toEqual(['Is there room?', null, false]);
		expect(tab.notice?.title).toMatch(/no room left/);
		desk.intrusion = null;
		await tab.send();
		await settled(tab);
		expect(lines(await desk.branch())).toEqual([
			'u: Is there room?',
			'a: You said: Is there room?'
		]);
	});

	test('the answer is durable with model, usage and finish, no run is left, and nothing is busy', async () => {
		const desk = await Desk.of();
		const tab = await desk.open();
		const usage = { prompt_tokens: 40, completion_tokens: 3 };
		desk.server.enqueue({ kind: 'text', chunks: ['An ', 'answer.'], usage });
		await ask(tab, 'hello');
		const answer = must((await desk.branch())[1]);
		expect(answer).toMatchObject({
			role: 'assistant',
			metadata: {
				model: { provider: 'p', model: 'm' },
				finish: 'stop',
				usage: { inputTokens: 40, outputTokens: 3 }
			}
		});
		expect(await desk.db.runs.count()).toBe(0);
		expect([tab.isBusy, tab.branchLocked, tab.canSend, tab.notice]).toEqual([
			false,
			false,
			true,
			null
		]);
		expect(tab.messages).toEqual(await desk.branch());
	});

	test('the title is the first line of the first question, cut at 60 characters, and stays', async () => {
		const desk = await Desk.of({ session: { title: '' } });
		const tab = await desk.open();
		await ask(tab, `  ${'long '.repeat(20)}\nsecond line`);
		await ask(tab, 'Another question');
		const { title } = await desk.row();
		expect(title).toBe(`${'long '.repeat(20).slice(0, 57).trimEnd()}…`);
		expect(tab.session.title).toBe(title);
	});

	test('an answer that brings the context over the threshold is followed by a compaction', async () => {
		const desk = await Desk.of({ tree: turns(4, 1350) });
		const tab = await desk.open();
		desk.server.enqueue({
			kind: 'text',
			chunks: [words(600, 9)],
			usage: { prompt_tokens: 5400, completion_tokens: 600 }
		});
		await ask(tab, 'And now?');
		const branch = await desk.branch();
		const [question, answer, checkpoint] = branch.slice(-3);
		expect([question?.role, answer?.role]).toEqual(['user', 'assistant']);
		expect(checkpoint).toMatchObject({
			role: 'checkpoint',
			parentId: answer?.id,
			checkpoint: { trigger: 'auto', firstKeptMessageId: question?.id, coveredMessageCount: 8 }
		});
		expect(tab.messages).toEqual(branch);
		expect([tab.compaction, tab.notice, tab.isBusy]).toEqual([null, null, false]);
		expect(desk.asked).toHaveLength(1);
	});

	test('below the threshold no compaction follows', async () => {
		const desk = await Desk.of({ tree: turns(3, 900) });
		const tab = await desk.open();
		await ask(tab, 'And now?');
		expect((await desk.branch()).at(-1)?.role).toBe('assistant');
		expect(desk.server.chats).toHaveLength(1);
	});

	test('a long draft over what a compaction can free is refused with figures, and stays', async () => {
		const desk = await Desk.of({ tree: turns(2, 500) });
		const tab = await desk.open();
		const long = words(6500, 3);
		await say(tab, long);
		expect(desk.server.chats).toHaveLength(0);
		expect(tab.notice?.figures?.[0]?.label).toBe('This message');
		expect([tab.draft.text, tab.waiting, tab.isBusy]).toEqual([long, null, false]);
		expect((await desk.branch()).length).toBe(4);
	});

	test('a message that only fits after a compaction is sent below its checkpoint', async () => {
		const desk = await Desk.of({ tree: turns(5, 1300) });
		const tab = await desk.open();
		await ask(tab, 'Does it fit?');
		const [checkpoint, question, answer] = (await desk.branch()).slice(-3);
		expect(checkpoint).toMatchObject({ role: 'checkpoint', checkpoint: { trigger: 'preflight' } });
		expect(lines([must(question), must(answer)])[0]).toBe('u: Does it fit?');
		const [asked] = desk.asked;
		expect(wireLines(asked)[0]).toContain('<checkpoint>');
		expect(wireLines(asked).at(-1)).toBe('u: Does it fit?');
	});
});

describe('what the provider is asked', () => {
	test('a message sent while the context is still being read carries the whole branch', async () => {
		const tree = grow();
		// More than one window of the timeline, and enough to be measured by the worker.
		for (let turn = 1; turn <= 60; turn++) tree.talk(`q${turn}`, `a${turn}`);
		const desk = await Desk.of({ tree, session: { instructions: 'Be exact.' } });
		const held = gate();
		const measuring = gate();
		const tab = await desk.open({
			measure: async (messages) => {
				measuring.open();
				await held.shut;
				return compute.measure(messages);
			}
		});
		const sent = say(tab, 'q61');
		await measuring.shut;
		await until(async () => (await desk.row()).draft.text === 'q61');
		// Time enough for all that does not wait for the context.
		for (let task = 0; task < 100; task++) await macrotask();
		expect([tab.context, tab.waiting?.text]).toEqual([null, 'q61']);
		held.open();
		await sent;
		await settled(tab);
		expect(wireLines(desk.server.chats[0])).toEqual([
			's: Be exact.',
			...lines(tree.branch()),
			'u: q61'
		]);
	});

	test('an interrupted answer kept by a send is part of what is asked', async () => {
		const tree = grow();
		const [question] = tree.talk('A question');
		const desk = await Desk.of({ tree });
		await desk.db.runs.add({
			...newRun(),
			sessionId: desk.id,
			parentId: must(question).id,
			parts: [text('Half an answ')],
			startedAt: 1,
			updatedAt: 1
		});
		const tab = await desk.open();
		await until(() => tab.run?.state === 'interrupted');
		expect(textOf(tab.run)).toBe('Half an answ');
		await ask(tab, 'Go on');
		expect(wireLines(desk.server.chats[0])).toEqual([
			'u: A question',
			'a: Half an answ',
			'u: Go on'
		]);
		expect((await desk.branch())[1]).toMatchObject({ metadata: { finish: 'interrupted' } });
	});

	test('nextRequest is what is then sent: system texts, messages, limit', async () => {
		const tree = turns(3, 40);
		tree.checkpoint(must(tree.branch()[2]));
		tree.talk('After the rule', 'Yes');
		const desk = await Desk.of({ tree, session: { instructions: 'Be exact.' } });
		const tab = await desk.open();
		tab.setDraft({ text: 'The next one', files: [] });
		const next = await tab.nextRequest();
		await tab.send();
		await settled(tab);
		const body = must(desk.server.chats[0]?.body);
		const system = body.messages.filter((message) => message.role === 'system');
		expect(system.map(wireText)).toEqual(next.system.map((block) => block.text));
		expect(system).toHaveLength(2);
		expect(wireLines(desk.server.chats[0]).slice(2)).toEqual(lines(next.messages));
		expect(body.max_tokens).toBe(next.maxOutputTokens);
		expect(body.tools).toHaveLength(next.tools.length);
	});
});
