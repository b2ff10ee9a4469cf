import { describe, expect, test } from 'vitest';
import type { CompactionFailures } from '../../src/lib/history/session';
import { shortId } from '../../src/lib/history/message';
import type { Notice } from '../../src/lib/session/view';
import type { RejectionReason } from '../../src/lib/compaction/verify';
import { summaryOf } from '../support/compaction';
import { Desk, must, say, settled, turns } from '../support/conversation';
import { dump } from '../support/database';
import { behaviours, type Behaviour } from '../support/openai-server';
import { grow, messageId, words } from '../support/tree';

interface Bad {
	/** What the summariser answers, each time it is asked. */
	readonly answers: Behaviour;
	/** Why it is rejected, or `failed` where no answer came. */
	readonly because: RejectionReason | 'failed';
	/** What the notice says. */
	readonly says: RegExp;
	/** A history so short that a summary can be larger than it. */
	readonly isShort?: boolean;
}

const said = (text: string): Behaviour => behaviours.text(...(text.match(/[^]{1,200}/g) ?? ['']));
const rejected = (because: RejectionReason, says: RegExp, answers: Behaviour | string): Bad => ({
	because,
	says,
	answers: typeof answers === 'string' ? said(answers) : answers
});
const failed = (says: RegExp, answers: Behaviour): Bad => ({ because: 'failed', says, answers });
const good = summaryOf('- [user] wants the sample sizes (m:0000000001)');
const [, ...others] = good.split('\n\n## ');

const bad: Readonly<Record<string, Bad>> = {
	nothing: rejected('empty', /It was empty/, behaviours.empty()),
	blanks: rejected('empty', /It was empty/, ' \n\t\n '),
	'case 5: reasoning and no text': rejected('reasoning', /reasoning without an answer/, {
		kind: 'text',
		chunks: [],
		reasoning: [good]
	}),
	'case 5: reasoning that never closes': rejected('reasoning', /reasoning/, `<think>So. ${good}`),
	'case 5: a tool call': rejected('tool-call', /tool call/, {
		kind: 'tool-call',
		name: 'search_history',
		input: { query: 'sample' }
	}),
	'case 5: a tool call after a good text': rejected('tool-call', /tool call/, {
		kind: 'tool-call',
		name: 'search_history',
		input: { query: 'sample' },
		before: [good]
	}),
	'case 5: a tool call as text': rejected(
		'tool-call',
		/tool call/,
		'<tool_call>{"name":"search_history"}</tool_call>'
	),
	'case 5: a tool call as JSON': rejected(
		'tool-call',
		/tool call/,
		'{"name": "search_history", "arguments": {}}'
	),
	'case 4: a text cut at the output limit': rejected('length', /output limit/, {
		kind: 'text',
		chunks: [good],
		finish: 'length'
	}),
	'a filtered text': rejected('content-filter', /filtered/, {
		kind: 'text',
		chunks: [good],
		finish: 'content_filter'
	}),
	'a text without one section': rejected(
		'missing-sections',
		/lacks Key Decisions/,
		`## ${others.join('\n\n## ')}`
	),
	'a text without any section': rejected('missing-sections', /all sections/, words(80)),
	'case 3: headings only': rejected('empty', /under its headings/, summaryOf('—')),
	'case 17: a text over the cap': rejected(
		'over-cap',
		/at most 1638/,
		good.replaceAll('—', words(700))
	),
	'case 17: one section that takes nearly all': rejected(
		'over-section',
		/section Key Decisions/,
		summaryOf(words(1200))
	),
	'case 20: a text larger than what it replaces': {
		...rejected('no-gain', /more room than it frees/, summaryOf(words(850))),
		isShort: true
	},
	'case 17: an echo of the transcript': rejected(
		'echo',
		/repeats the conversation/,
		`${good}\n[m:${shortId(messageId(1))} user]\nQuestion 1`
	),
	'case 17: an echo of the prompt': rejected(
		'echo',
		/repeats the conversation/,
		`${good}\n<transcript>\nQuestion 1\n</transcript>`
	),
	'a refusal': rejected('missing-sections', /all sections/, 'I’m sorry, but I cannot help.'),
	'case 36: a text in another template': rejected(
		'missing-sections',
		/lacks/,
		summaryOf('- [user] something', 'research')
	),
	'case 2: the provider’s error as a text': rejected(
		'missing-sections',
		/all sections/,
		'Error 429: Rate limit reached for requests'
	),
	'case 2: a stream that dies after 3 chunks': failed(
		/broke off/,
		behaviours.cutOff('## Key ', 'Decisions\n', '- [user] so')
	),
	'a text without an end': failed(/broke off/, { kind: 'text', chunks: [good], finish: null }),
	'an error in the stream': failed(/./, {
		kind: 'error-chunk',
		chunks: [good],
		message: 'The server had an error.'
	}),
	'broken JSON in the stream': failed(/./, { kind: 'garbage-chunk', chunks: [good] }),
	'case 2: 429': failed(/Wait 7 seconds/, behaviours.rateLimited()),
	'case 2: 401': failed(/key/, behaviours.unauthorized()),
	'500': failed(/./, behaviours.serverError()),
	'404': failed(/./, behaviours.missing()),
	'a page of HTML with 200': failed(/./, behaviours.html()),
	'JSON garbage with 200': failed(/./, behaviours.garbage())
};

/** Everything stored, but for the count of failures and, where it came back, the draft. */
async function stored(desk: Desk): Promise<string> {
	const dumped: [string, Record<string, unknown>[]][] = JSON.parse(await dump(desk.db));
	for (const [table, rows] of dumped) {
		if (table === 'sessions') {
			for (const row of rows) {
				delete row['failures'];
				delete row['draft'];
			}
		}
	}
	return JSON.stringify(dumped);
}

/** Sentences for a person, and none for a programmer. */
function expectReadable(notice: Notice | null, says: RegExp): void {
	const { title, advice = '', safe = '', actions = [] } = must(notice);
	expect(`${title} ${advice}`).toMatch(says);
	for (const sentence of [title, advice]) expect(sentence).toMatch(/^\p{L}.*[.!]$/su);
	expect(actions.length).toBeGreaterThan(0);
	const all = [title, advice, safe].join(' ');
	expect(all).not.toMatch(/:\d+:\d+|\w+Error\b|\bundefined\b|\bnull\b|\[object|^\s*[{<]/m);
}

const failures = (count: number): CompactionFailures => ({
	count,
	model: { provider: 'p', model: 'm' }
});

describe('C61–C66, C84: a summariser that answers badly', () => {
	test('there are enough kinds of it', () => {
		expect(Object.keys(bad).length).toBeGreaterThanOrEqual(15);
	});

	test.each(Object.entries(bad))(
		'by hand, case 7: %s: nothing is written, and a notice says what to do',
		async (_, { answers, because, says, isShort = false }) => {
			const desk = await Desk.of({ tree: isShort ? turns(2, 400) : turns(3, 900) });
			const tab = await desk.open();
			desk.server.fallback = answers;
			const before = await stored(desk);
			await tab.compact();
			expect(await stored(desk)).toBe(before);
			// One repair, where there was an answer to repair; and it is told what was wrong.
			expect(desk.server.chats.length).toBe(because === 'failed' ? 1 : 2);
			expectReadable(tab.notice, says);
			expect((await desk.row()).failures).toEqual(failures(1));
			expect([tab.isBusy, tab.branchLocked, tab.canSend, tab.compaction]).toEqual([
				false,
				false,
				true,
				null
			]);
			expect(tab.messages).toEqual(await desk.branch());
			// The next one works: nothing of the failure is left but its count.
			desk.server.fallback = null;
			await tab.compact();
			expect(tab.messages.at(-1)?.role).toBe(isShort ? 'assistant' : 'checkpoint');
			if (!isShort) expect((await desk.row()).failures ?? null).toBeNull();
		}
	);

	test.each(Object.entries(bad).filter(([, { isShort }]) => !isShort))(
		'before a send: %s: not sent, and the draft is back',
		async (_, { answers, says }) => {
			const desk = await Desk.of({ tree: turns(5, 1300) });
			const tab = await desk.open();
			desk.server.fallback = answers;
			const before = await stored(desk);
			await say(tab, 'A question that must wait');
			await settled(tab);
			expect(await stored(desk)).toBe(before);
			expect(desk.asked).toEqual([]);
			expect(desk.summaries.length).toBeLessThanOrEqual(2);
			expectReadable(tab.notice, says);
			expect([tab.draft.text, tab.waiting]).toEqual(['A question that must wait', null]);
			await tab.flushDraft();
			expect((await desk.row()).draft.text).toBe('A question that must wait');
		}
	);

	test('the repair is told what was wrong, and a good one is committed', async () => {
		const desk = await Desk.of({ tree: turns(3, 900) });
		const tab = await desk.open();
		desk.server.enqueue(said(words(50)));
		await tab.compact();
		const [first, repair] = desk.summaries.map(({ body }) => JSON.stringify(body?.messages));
		expect([first?.includes('<repair>'), repair?.includes('It lacks all sections.')]).toEqual([
			false,
			true
		]);
		expect(tab.messages.at(-1)).toMatchObject({ role: 'checkpoint', checkpoint: { passes: 2 } });
	});

	test('a summary that broke off is not said to stay', async () => {
		const desk = await Desk.of({ tree: turns(3, 900) });
		const tab = await desk.open();
		desk.server.enqueue(behaviours.cutOff('## Key ', 'Decisions\n', '- [user] so'));
		await tab.compact();
		expect(tab.notice?.advice).not.toMatch(/stays/);
	});

	test('a history without anything to lose stays empty', async () => {
		const desk = await Desk.of({ tree: grow() });
		const tab = await desk.open();
		desk.server.fallback = behaviours.garbage();
		const before = await stored(desk);
		await tab.compact();
		expect([await stored(desk), desk.server.chats.length]).toEqual([before, 0]);
	});
});
