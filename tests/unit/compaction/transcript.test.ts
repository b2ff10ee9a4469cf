import { describe, expect, test } from 'vitest';
import { inBatches } from '../../../src/lib/compaction/batches';
import { openTranscript } from '../../../src/lib/compaction/transcript';
import { findReferences } from '../../../src/lib/compaction/references';
import { plainText } from '../../../src/lib/context/recall';
import { serialise, type Block } from '../../../src/lib/compaction/serialise';
import type { ConversationMessage } from '../../../src/lib/history/message';
import { known, mustPlan, run, small } from '../../support/compaction';
import { file, grow, text, tool, words } from '../../support/tree';

const limits = { toolResult: 2000, block: 2000 };
const options = { limits, room: 2000, first: [], references: [] };

async function passesOf(transcript: ReturnType<typeof openTranscript>) {
	const passes: (readonly Block[])[] = [];
	for (let pass = await transcript.next(); pass; pass = await transcript.next()) passes.push(pass);
	return passes;
}

/** `turns` turns, made when they are asked for, in batches of ten messages; what was asked for is counted. */
function lazily(turns: number) {
	const seen = { characters: 0 };
	const tree = grow();
	let made = 0;
	return {
		seen,
		pull: async () => {
			if (made >= turns) return null;
			const batch: ConversationMessage[] = [];
			for (let n = 0; n < 5 && made < turns; n++, made++) {
				batch.push(tree.user(words(120, made)), tree.answer(words(360, made + 7)));
			}
			tree.rows.clear();
			seen.characters += charactersIn(batch);
			return batch;
		}
	};
}
const charactersIn = (messages: readonly ConversationMessage[]) =>
	messages.reduce((sum, { parts }) => {
		return sum + parts.reduce((n, part) => n + (part.type === 'text' ? part.text.length : 0), 0);
	}, 0);

describe('C49 a transcript is read as a stream', () => {
	test('C49 its passes are those of the whole, and its references too', async () => {
		const tree = grow();
		for (let n = 0; n < 30; n++) {
			tree.user(`see 10.1000/paper-${n} ${words(100, n)}`);
			tree.answer([tool('find', { n }, words(900, n)), text(words(150, n + 1))]);
		}
		const messages = tree.branch() as ConversationMessage[];
		const transcript = openTranscript(inBatches(messages), options);
		const passes = await passesOf(transcript);
		expect(passes.length).toBeGreaterThan(10);
		expect(passes.flat()).toEqual([...serialise(messages, limits)]);
		expect(await transcript.references()).toEqual(findReferences(messages, []));
	});

	test('C49 what begins it comes first; the previous ledger is in the references', async () => {
		const tree = grow();
		tree.talk('u', 'a');
		const [first] = serialise([grow(2).user('the earlier summary')], limits);
		const known = findReferences([grow(3).user('10.1000/known')], []);
		const transcript = openTranscript(inBatches(tree.branch() as ConversationMessage[]), {
			...options,
			first: first ? [first] : [],
			references: known
		});
		expect((await passesOf(transcript))[0]?.[0]).toEqual(first);
		expect(await transcript.references()).toEqual(known);
	});

	test('C49 at no moment more is held than a batch and three passes', async () => {
		const { pull, seen } = lazily(1200);
		const transcript = openTranscript(pull, options);
		let given = 0;
		let largest = 0;
		let held = 0;
		let passes = 0;
		for (let pass = await transcript.next(); pass; pass = await transcript.next()) {
			const characters = pass.reduce((sum, block) => sum + block.text.length, 0);
			held = Math.max(held, seen.characters - given);
			given += characters;
			largest = Math.max(largest, characters);
			passes++;
		}
		const batch = 5 * (120 + 360) * 8;
		expect(passes).toBeGreaterThan(250);
		expect(held).toBeLessThanOrEqual(batch + 3 * largest);
	});

	test('C49 batches are of about 200,000 characters, and a message is never divided', async () => {
		const tree = grow();
		tree.talk('x'.repeat(150_000), 'y'.repeat(150_000), 'z'.repeat(900_000), 'w');
		const pull = inBatches(tree.branch() as ConversationMessage[]);
		const sizes: number[] = [];
		for (let batch = await pull(); batch; batch = await pull()) sizes.push(batch.length);
		expect(sizes).toEqual([2, 1, 1]);
	});

	test('C49 the text of a file is read when its batch is pulled, and counts for its size', async () => {
		const tree = grow();
		for (let n = 0; n < 6; n++) tree.user([{ ...file(`${n}.txt`), size: 120_000 }, text(`q${n}`)]);
		const reads: string[] = [];
		const pull = inBatches(tree.branch() as ConversationMessage[], async ({ filename }) => {
			reads.push(filename);
			return `text of ${filename}`;
		});
		const first = await pull();
		expect(reads).toEqual(['0.txt', '1.txt']);
		expect(first?.map(plainText)).toEqual([
			'0.txt\n\nq0\n\n(file: 0.txt)\ntext of 0.txt',
			'1.txt\n\nq1\n\n(file: 1.txt)\ntext of 1.txt'
		]);
		await pull();
		expect(reads).toHaveLength(4);
		// What is stored has no text.
		expect(JSON.stringify(tree.branch())).not.toContain('text of');
	});

	test('C49 an image has no text, and a message without files is the same object', async () => {
		const tree = grow();
		const plain = tree.user('q');
		tree.user([{ ...file('a.png'), mediaType: 'image/png' }]);
		const pull = inBatches(tree.branch() as ConversationMessage[], async () => 'text');
		const batch = await pull();
		expect(batch?.[0]).toBe(plain);
		expect(JSON.stringify(batch?.[1])).not.toContain('"text"');
	});

	test('C49 a failing read is thrown on, and closing lets go', async () => {
		const failing = openTranscript(() => Promise.reject(new Error('the disk')), options);
		await expect(failing.next()).rejects.toThrow('the disk');
		const { pull } = lazily(50);
		const transcript = openTranscript(pull, options);
		await transcript.next();
		await transcript.close();
		expect(await transcript.next()).toBeNull();
	});
});

describe('C83 case 8, 23: a history of any size', () => {
	test('C83 five million tokens into an 8k window: it ends, and every message is read once', async () => {
		// 340 turns of about 14,700 tokens: one message each is over the summariser's window by itself.
		const body = words(14_000);
		const tree = grow();
		for (let n = 0; n < 340; n++) tree.talk(`q${n} ${words(700, n)}`, `a${n} ${body}`);
		const plan = mustPlan(tree, { capacity: known(1_000_000) });
		const headers = new Map<string, number>();
		let largest = 0;
		const { outcome, commits } = await run(
			tree,
			plan,
			(request) => {
				largest = Math.max(largest, request.prompt.length);
				for (const [, id] of request.prompt.matchAll(/^\[m:(\w{10}) (?!.*continued)/gm)) {
					if (id) headers.set(id, (headers.get(id) ?? 0) + 1);
				}
				return {
					text: '## Key Decisions\n\n- [user] x (m:0000000001)\n\n## Open Questions\n\n—\n\n## Action Items\n\n—\n\n## Context\n\n—',
					finish: 'stop',
					usage: null,
					hadReasoningOnly: false,
					hadToolCall: false
				};
			},
			{ summariser: small }
		);
		expect(outcome.kind).toBe('committed');
		expect(plan.coveredTokens).toBeGreaterThan(4_800_000);
		expect(commits[0]?.passes).toBeGreaterThan(1000);
		expect(headers.size).toBe(plan.boundary.covered.length);
		expect([...headers.values()].every((times) => times === 1)).toBe(true);
	}, 120_000);
});
