import { describe, expect, test } from 'vitest';
import { capacityOf } from '../../src/lib/context/capacity';
import { estimateText } from '../../src/lib/context/estimate';
import { handleOf, tokensPerResult } from '../../src/lib/context/results';
import { shortId, type MessageId } from '../../src/lib/history/message';
import { recall } from '../../src/lib/session/recalling';
import { searchBranch } from '../../src/lib/session/searching';
import { addAttachment } from '../../src/lib/storage/attachments';
import type { HiloDatabase } from '../../src/lib/storage/database';
import type { SearchEntry } from '../../src/lib/worker/search-index';
import { SearchIndexes } from '../../src/lib/worker/search-index';
import { compute } from '../support/compute';
import { ask, Desk, must } from '../support/conversation';
import { freshDatabase, store } from '../support/database';
import { file, grow, text, tool, words, type Grower } from '../support/tree';

const capacity = capacityOf({ contextWindow: 8192, maxOutput: null });
const limit = tokensPerResult(capacity);

async function databaseOf(tree: Grower): Promise<HiloDatabase> {
	const db = await freshDatabase();
	await store(db, tree);
	return db;
}

/** Calls a recall tool at the leaf of a tree. */
async function at(tree: Grower, name: string, input: unknown, leafId = must(tree.leaf).id) {
	const db = await databaseOf(tree);
	return recall({ db, worker: compute, leafId, capacity }, name, input);
}

/** Reads all pages of a tool that pages. */
async function pages(tree: Grower, name: string, input: object) {
	const db = await databaseOf(tree);
	const read = [];
	for (let offset: number | undefined = 0; offset !== undefined;) {
		const page = (await recall(
			{ db, worker: compute, leafId: must(tree.leaf).id, capacity },
			name,
			{ ...input, offset }
		)) as { text: string; nextOffset?: number };
		expect(estimateText(JSON.stringify(page))).toBeLessThanOrEqual(limit);
		read.push(page.text);
		offset = page.nextOffset;
	}
	return read;
}

const long = words(4000);
/** A question, an answer with two tool results, and another branch with one. */
function branched() {
	const tree = grow();
	const question = tree.user('look it up');
	const other = tree.answer([tool('lookup', {}, 'of the other branch')]);
	const here = tree.at(question).answer([
		tool('lookup', {}, { rows: long }),
		text('So.'),
		{
			...tool('lookup', {}, undefined),
			state: 'output-error',
			errorText: 'it was closed'
		} as never
	]);
	tree.user(long);
	return { tree, other, here };
}

describe('C98', () => {
	test('C98 a stored result is read whole by its handle, page by page', async () => {
		const { tree, here } = branched();
		const read = await pages(tree, 'read_tool_result', { handle: handleOf(here.id, 1) });
		expect(read.length).toBeGreaterThan(2);
		expect(read.join('')).toBe(JSON.stringify({ rows: long }));
		expect(await at(tree, 'read_tool_result', { handle: handleOf(here.id, 2) })).toMatchObject({
			text: 'it was closed'
		});
	});

	test('C98 a message is read whole by its id, however it is written', async () => {
		const { tree } = branched();
		const leaf = must(tree.leaf);
		expect((await pages(tree, 'read_message', { id: `m:${shortId(leaf.id)}` })).join('')).toBe(
			long
		);
		for (const id of [leaf.id, shortId(leaf.id), `(m:${shortId(leaf.id)})`]) {
			expect(await at(tree, 'read_message', { id })).toMatchObject({ message: shortId(leaf.id) });
		}
	});

	test('C98 nothing of another branch is read, nor of below the leaf', async () => {
		const { tree, other, here } = branched();
		const handle = handleOf(other.id, 1);
		await expect(at(tree, 'read_tool_result', { handle })).rejects.toThrow(
			`no tool result ${handle}`
		);
		await expect(at(tree, 'read_message', { id: shortId(other.id) })).rejects.toThrow('no message');
		const leaf = must(tree.leaf).id;
		await expect(at(tree, 'read_message', { id: shortId(leaf) }, here.id)).rejects.toThrow(
			'no message'
		);
		expect(await at(tree, 'read_tool_result', { handle }, other.id)).toMatchObject({
			text: 'of the other branch'
		});
	});

	test.each<[string, unknown, string]>([
		['read_tool_result', { handle: 'call_1' }, '"call_1" is not a handle'],
		['read_tool_result', { handle: 'r:0123456789.1' }, 'no tool result r:0123456789.1'],
		['read_tool_result', {}, '"handle" must be a text'],
		['read_message', { id: 'the second one' }, 'not a message id'],
		['read_message', { id: 'm:0123456789' }, 'no message m:0123456789'],
		['search_history', { query: ' ' }, '"query" must be a text'],
		['read_everything', {}, 'no tool named read_everything']
	])('C98 %s with %j is told what is wrong', async (name, input, sentence) => {
		await expect(at(branched().tree, name, input)).rejects.toThrow(sentence);
	});

	test('C98 an offset that is none, or behind the end, is told', async () => {
		const { tree, here } = branched();
		const handle = handleOf(here.id, 2);
		await expect(at(tree, 'read_tool_result', { handle, offset: -1 })).rejects.toThrow('"offset"');
		await expect(at(tree, 'read_tool_result', { handle, offset: 999 })).rejects.toThrow(
			'ends at character 13'
		);
	});

	test('C98 a handle with a place that the message has not is told', async () => {
		const { tree, here } = branched();
		await expect(at(tree, 'read_tool_result', { handle: handleOf(here.id, 3) })).rejects.toThrow(
			'no tool result'
		);
	});

	test('C98 a result of the answer in progress is read before it is stored', async () => {
		const db = await databaseOf(branched().tree);
		const { leafId } = must(await db.sessions.toCollection().first());
		const handle = 'r:00000000ff.1';
		const found = await recall(
			{
				db,
				worker: compute,
				leafId: must(leafId),
				capacity,
				result: (name) => (name === handle ? 'just now' : null)
			},
			'read_tool_result',
			{ handle: '00000000FF.1' }
		);
		expect(found).toEqual({ handle, text: 'just now' });
	});
});

describe('C98 attached text', () => {
	const body = `The secret is zyzzyva. ${words(4000)}`;
	const attached = { ...file('paper.txt'), sha256: 'cd'.repeat(32) };
	async function withAttachment(tree: Grower, content = body) {
		const db = await databaseOf(tree);
		const blob = new Blob([content]);
		await addAttachment(db, {
			sha256: attached.sha256,
			mediaType: 'text/plain',
			filename: '',
			blob
		});
		return db;
	}

	test('C98 read_message reads on into the text of an attachment', async () => {
		const tree = grow();
		const message = tree.user([attached, text('Read it.')]);
		const db = await withAttachment(tree);
		let read = '';
		for (let offset: number | undefined = 0; offset !== undefined;) {
			const page = (await recall(
				{ db, worker: compute, leafId: message.id, capacity },
				'read_message',
				{ id: message.id, offset }
			)) as { text: string; nextOffset?: number };
			expect(estimateText(JSON.stringify(page))).toBeLessThanOrEqual(limit);
			read += page.text;
			offset = page.nextOffset;
		}
		expect(read).toBe(`paper.txt\n\nRead it.\n\n(file: paper.txt)\n${body}`);
		db.close();
	});

	test('C97 C99 a search finds it, by a scan and in an index', async () => {
		for (const turns of [5, 150]) {
			const tree = longBranch(turns);
			tree.user([attached, text('Read it.')]);
			const db = await withAttachment(tree);
			const leafId = must(tree.leaf).id;
			const { hits, total } = await searchBranch(db, counting().worker, leafId, 'zyzzyva');
			expect(total).toBe(1);
			expect(hits[0]?.snippet).toContain('The secret is zyzzyva.');
			db.close();
		}
	});

	test('C98 bytes that are no text, or are gone, are a name', async () => {
		const tree = grow();
		const message = tree.user([attached, text('Read it.')]);
		for (const db of [await withAttachment(tree, 'PK\0\0'), await databaseOf(tree)]) {
			const options = { db, worker: compute, leafId: message.id, capacity };
			expect(await recall(options, 'read_message', { id: message.id })).toMatchObject({
				text: 'paper.txt\n\nRead it.'
			});
			db.close();
		}
	});

	test('C43 C70 a compaction reads it: in what the summariser gets, and in the ledger', async () => {
		const tree = grow();
		tree.user([attached, text('Read it.')]);
		tree.answer(words(1500, 1));
		for (let n = 0; n < 3; n++) tree.talk(`q${n}`, words(1200, n));
		const desk = await Desk.of({ tree });
		const blob = new Blob([`See 10.1234/abcd.5678 with zyzzyva. ${words(1400, 3)}`]);
		await addAttachment(desk.db, {
			sha256: attached.sha256,
			mediaType: 'text/plain',
			filename: 'paper.txt',
			blob
		});
		const tab = await desk.open();
		await tab.compact();
		const leaf = (await desk.branch()).at(-1);
		if (leaf?.role !== 'checkpoint') throw new Error('Nothing was compacted.');
		const asked = desk.summaries.map(({ body }) => JSON.stringify(body)).join('');
		expect(asked).toContain('with zyzzyva');
		expect(leaf.checkpoint.references.map((reference) => reference.text)).toContain(
			'10.1234/abcd.5678'
		);
	});
});

/** A worker with indexes of its own, which counts what it is sent. */
function counting() {
	const indexes = new SearchIndexes();
	const sent: MessageId[] = [];
	let scans = 0;
	const worker = {
		...compute,
		search: async (...args: Parameters<typeof compute.search>) => {
			scans++;
			return compute.search(...args);
		},
		unindexed: async (...[tree, from]: Parameters<typeof compute.unindexed>) =>
			indexes.of(tree).missing(from),
		index: async (...[tree, entries]: Parameters<typeof compute.index>) => {
			sent.push(...entries.map(({ id }: SearchEntry) => id));
			indexes.of(tree).add(entries);
		},
		find: async (...[tree, leafId, query]: Parameters<typeof compute.find>) =>
			indexes.of(tree).find(leafId, query)
	};
	return { worker, sent, scans: () => scans };
}

/** A branch of 2 × `turns` messages with a needle in its first answer, and a checkpoint in its middle. */
function longBranch(turns: number): Grower {
	const tree = grow();
	tree.talk('question 0', 'The zebra crossed, said the herder.');
	for (let n = 1; n < turns; n++) {
		tree.talk(`question ${n}`, words(20, n));
		if (n === turns / 2) tree.checkpoint(null);
	}
	return tree;
}

describe('C99', () => {
	test('C99 a short branch is scanned, a long one indexed', async () => {
		for (const [turns, scans] of [
			[50, 1],
			[150, 0]
		] as const) {
			const tree = longBranch(turns);
			const db = await databaseOf(tree);
			const counts = counting();
			const { hits, total } = await searchBranch(db, counts.worker, must(tree.leaf).id, 'zebra');
			expect(hits).toMatchObject([
				{ snippet: 'The zebra crossed, said the herder.', role: 'assistant' }
			]);
			expect([total, counts.scans()]).toEqual([1, scans]);
			db.close();
		}
	});

	test('C99 each message is sent to the index once; later searches read the new ones and what they show', async () => {
		const tree = longBranch(700);
		const db = await databaseOf(tree);
		const { worker, sent } = counting();
		await searchBranch(db, worker, must(tree.leaf).id, 'zebra');
		expect(sent).toHaveLength(tree.rows.size);
		expect(new Set(sent).size).toBe(tree.rows.size);

		const [next] = tree.talk('Another zebra');
		await db.messages.add(must(next));
		let read = 0;
		db.messages.hook('reading', (row) => {
			read++;
			return row;
		});
		const { total } = await searchBranch(db, worker, must(tree.leaf).id, 'zebra');
		expect(total).toBe(2);
		expect(read).toBeLessThan(30);
		read = 0;
		await searchBranch(db, worker, must(tree.leaf).id, 'herder');
		expect(read).toBeLessThan(5);
		db.close();
	});

	test('C99 after a switch only the new branch is searched', async () => {
		const tree = longBranch(150);
		const fork = must(tree.leaf);
		tree.user('the unicorn');
		const left = must(tree.leaf).id;
		tree.at(fork).user('the griffin');
		const right = must(tree.leaf).id;
		const db = await databaseOf(tree);
		const { worker } = counting();
		const totals = async (leafId: MessageId) =>
			Promise.all(
				['unicorn', 'griffin', 'zebra'].map(
					async (query) => (await searchBranch(db, worker, leafId, query)).total
				)
			);
		expect(await totals(left)).toEqual([1, 0, 1]);
		expect(await totals(right)).toEqual([0, 1, 1]);
		db.close();
	});

	test('C99 whole phrases above all, as in a scan', async () => {
		const tree = longBranch(150);
		tree.talk('ox then yak', 'yak ox', 'yak or ox');
		const db = await databaseOf(tree);
		const { hits } = await searchBranch(db, counting().worker, must(tree.leaf).id, 'yak ox');
		expect(hits[0]?.snippet).toBe('yak ox');
		db.close();
	});

	test('C99 a damaged branch is told, not searched in part', async () => {
		const tree = longBranch(150);
		const db = await databaseOf(tree);
		await db.messages.delete(must([...tree.rows.values()][20]).id);
		await expect(searchBranch(db, counting().worker, must(tree.leaf).id, 'zebra')).rejects.toThrow(
			'missing'
		);
		db.close();
	});
});

test('C111 an answer of many steps in a small window goes through, and all it found is stored', async () => {
	const tree = grow();
	for (let turn = 1; turn <= 6; turn++) tree.talk(`Question ${turn}`, words(900, turn));
	const desk = await Desk.of({ tree });
	const tab = await desk.open();
	await tab.compact();
	const ids = [...tree.rows.keys()].filter((_, index) => index % 2 === 1);
	const call = (name: string, input: unknown) => ({
		kind: 'tool-call' as const,
		name,
		input,
		usage: { prompt_tokens: 0, completion_tokens: 0 }
	});
	/** The handle that stands where the first result was left out, once it was. */
	const leftOut = {
		toJSON: () => ({
			handle: /Left out.*?handle (r:\S+\.1)\./.exec(JSON.stringify(desk.asked.at(-1)?.body))?.[1]
		})
	};
	desk.server.enqueue(
		...ids.map((id) => call('read_message', { id: `m:${shortId(id)}` })),
		call('read_tool_result', leftOut)
	);
	await ask(tab, 'Read all of them.');
	const last = must(desk.asked.at(-1)?.body);
	expect(desk.asked).toHaveLength(8);
	const results = last.messages.filter(({ role }) => role === 'tool');
	expect(results).toHaveLength(7);
	// What was left out, read again before any of it was stored.
	expect(JSON.parse(String(results[6]?.content))).toMatchObject({
		text: expect.stringContaining(`"message":"${shortId(must(ids[0]))}"`)
	});
	expect(String(results[0]?.content)).toMatch(/^\[Left out to save room: \d+ characters/);
	const total = last.messages.reduce(
		(sum, { content }) => sum + estimateText(typeof content === 'string' ? content : ''),
		0
	);
	expect(total).toBeLessThan(capacity.safeLimit);
	const stored = must((await desk.branch()).findLast(({ role }) => role === 'assistant'));
	const outputs = stored.parts.flatMap((part) =>
		part.type === 'dynamic-tool' ? [part.output] : []
	);
	expect(outputs.slice(0, 6)).toMatchObject(ids.map((id) => ({ message: shortId(id) })));
});
