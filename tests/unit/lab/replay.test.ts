import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { Arguments } from '../../../lab/arguments';
import { compactCommand } from '../../../lab/commands/compact';
import { importCommand } from '../../../lab/commands/import';
import { rowsAsTable } from '../../../lab/compaction-row';
import { termsOf } from '../../../lab/given';
import { replay, type Cuts } from '../../../lab/replay';
import { branchOf } from '../../../lab/situation';
import { offline } from '../../../lab/summariser';
import { encodeWorkbench, type Workbench } from '../../../lab/workbench';
import { project } from '$lib/context/projection';
import type { ConversationMessage, Message } from '$lib/history/message';
import { readImport } from '$lib/transfer/import';
import { words } from '../../support/tree';
import { benchOf, run, talk, worldOf } from './build';

const said = (messages: readonly Message[]): ConversationMessage[] =>
	messages.filter((message) => message.role !== 'checkpoint');
const content = ({ role, parts, metadata, createdAt }: Message) =>
	JSON.stringify([role, createdAt, parts, metadata]);

/** Each message of the branch is in exactly one of summary, tail and later; the boundary never moves back. */
function checkCompaction(before: Workbench, after: Workbench): void {
	expect(JSON.stringify(after.messages.slice(0, -1))).toBe(JSON.stringify(before.messages));
	const branch = branchOf(after);
	const leaf = branch.at(-1);
	if (leaf?.role !== 'checkpoint') throw new Error('The leaf is no checkpoint.');
	const checkpoints = branch.filter((message) => message.role === 'checkpoint');
	const { tail, later } = project(branch);
	const covered = checkpoints.reduce((sum, one) => sum + one.checkpoint.coveredMessageCount, 0);
	const ids = said(branch).map(({ id }) => id);
	expect(later).toEqual([]);
	expect(ids.slice(covered)).toEqual(tail.map(({ id }) => id));
	expect(leaf.checkpoint.firstKeptMessageId).toBe(ids[covered] ?? null);
	expect(leaf.checkpoint.tokensAfter).toBeLessThan(leaf.checkpoint.tokensBefore);
}

async function replayed(bench: Workbench, cuts: Cuts, window: number) {
	let compactions = 0;
	const result = await replay(bench, {
		...offline,
		terms: termsOf(bench, { window }),
		cuts,
		world: worldOf(),
		onCompacted: (before, after) => {
			compactions++;
			checkCompaction(before, after);
		}
	});
	expect(compactions).toBe(result.rows.length);
	expect(result.failures).toEqual([]);
	expect(said(branchOf(result.bench)).map(content)).toEqual(said(branchOf(bench)).map(content));
	return result;
}

describe('compact', { timeout: 60_000 }, () => {
	test('compacts the branch as it is, once', async () => {
		const bench = benchOf(talk(6, 600));
		const { bench: after, data } = await run(compactCommand, bench);
		expect(data).toMatchObject({ kind: 'committed', rows: [{ compaction: 1, passes: 1 }] });
		if (!after) throw new Error('Nothing was committed.');
		checkCompaction(bench, after);
		const again = await run(compactCommand, after);
		expect(again).toMatchObject({ data: { kind: 'noop', reason: 'checkpoint-is-leaf' } });
		expect(again.bench).toBeUndefined();
	});

	test('--times N compacts where auto says so, as often as asked', async () => {
		const { data, bench, exitCode } = await run(
			compactCommand,
			benchOf(talk(30, 900)),
			'--times 3'
		);
		expect(exitCode).toBeUndefined();
		const { rows } = data as { rows: { trigger: string; turn: number }[] };
		expect(rows.map(({ trigger }) => trigger)).toEqual(['auto', 'auto', 'auto']);
		expect(rows[2]?.turn).toBeLessThan(30);
		expect(said(bench?.messages ?? [])).toHaveLength(60);
	});

	test('--times N compacts at even parts where auto would not so often', async () => {
		const { data } = await run(compactCommand, benchOf(talk(12, 450)), '--times 2');
		expect(data).toMatchObject({
			failures: [],
			rows: [
				{ trigger: 'manual', turn: 7 },
				{ trigger: 'manual', turn: 12 }
			]
		});
	});

	test('a part too small to be compacted waits for the next turn; what cannot be made is said', async () => {
		const short = await run(compactCommand, benchOf(talk(3, 20)), '--times 2 --even');
		expect(short).toMatchObject({ exitCode: 1, data: { wanted: 2, rows: [] } });
		const tree = talk(1, 20);
		for (let turn = 0; turn < 4; turn++) tree.talk('And then?', words(1500, turn));
		const late = await run(compactCommand, benchOf(tree), '--times 2 --even');
		expect(late.data).toMatchObject({ rows: [{ turn: 3 }, { turn: 5 }] });
	});

	test('the same replay of the same session has the same ids and figures', async () => {
		const bench = benchOf(talk(12, 900));
		const [one, two] = [
			await run(compactCommand, bench, '--times 2', worldOf()),
			await run(compactCommand, bench, '--times 2', { ...worldOf(), newId: () => 'other' as never })
		];
		expect(two.bench?.messages).toEqual(one.bench?.messages);
		const wider = await run(compactCommand, bench, '--times 2 --window 9000');
		const ids = new Set(one.bench?.messages.map(({ id }) => id));
		expect(wider.bench?.messages.filter(({ id }) => ids.has(id))).toEqual([]);
	});

	test('--grow compacts each time auto says so, to the end', async () => {
		const { data } = await run(compactCommand, benchOf(talk(30, 900)), '--grow');
		expect((data as { rows: unknown[] }).rows.length).toBeGreaterThan(3);
	});

	test.each([['--grow --even'], ['--even'], ['--times 0'], ['--times 2 --trigger auto']])(
		'%s is a wrong use',
		async (line) => {
			await expect(run(compactCommand, benchOf(talk(2, 20)), line)).rejects.toMatchObject({
				exitCode: 2
			});
		}
	);
});

test(
	'a replay is a session of its own, with the pins where they were',
	{ timeout: 60_000 },
	async () => {
		const tree = talk(6, 600);
		const [first] = tree.branch();
		if (!first) throw new Error('Nothing was said.');
		const session = tree.session({ pins: [{ kind: 'message', messageId: first.id }] });
		const bench = benchOf(tree, { session });
		const { bench: after } = await replayed(bench, { kind: 'even', parts: 2 }, 8192);
		expect(after.session.id).not.toBe(session.id);
		expect(after.session.treeId).not.toBe(session.treeId);
		const ids = new Set(bench.messages.map(({ id }) => id));
		expect(after.messages.filter(({ id }) => ids.has(id))).toEqual([]);
		expect(after.session.pins).toEqual([{ kind: 'message', messageId: after.messages[0]?.id }]);
	}
);

describe('a real session of 541 messages through ten compactions', () => {
	const path = 'tests/fixtures/pi-v1-linear-large.jsonl';
	const imported = () =>
		importCommand.run(new Arguments([path]), worldOf({ [path]: readFileSync(path, 'utf8') }));

	// Figures: HILO_FIGURES=1.
	test.each<[number, Cuts]>([
		[8192, { kind: 'auto', most: 10 }],
		[8192, { kind: 'auto', most: Infinity }],
		[8192, { kind: 'even', parts: 10 }],
		[32_768, { kind: 'even', parts: 10 }],
		[131_072, { kind: 'even', parts: 10 }]
	])('window %i, %o', { timeout: 120_000 }, async (window, cuts) => {
		const { bench } = await imported();
		if (!bench) throw new Error('Nothing was imported.');
		const result = await replayed(bench, cuts, window);
		if (cuts.kind === 'auto' && cuts.most === Infinity) {
			expect(result.rows.length).toBeGreaterThan(10);
		} else expect(result.rows).toHaveLength(10);
		if (process.env['HILO_FIGURES'] === '1') console.log(`${window}\n${rowsAsTable(result.rows)}`);
		const back = readImport('s.json', await encodeWorkbench(result.bench, 1), {
			model: bench.session.model
		});
		expect(back).toMatchObject({ ok: true, report: { skipped: [] } });
		if (back.ok) expect(back.messages).toEqual(result.bench.messages);
	});
});
