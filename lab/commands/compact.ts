import type { Session } from '../../src/lib/history/session';
import { turnsOf } from '../../src/lib/history/turns';
import { uuidFrom } from '../../src/lib/transfer/uuid';
import type { Outcome, User } from '../command';
import { rowOf, rowsAsTable } from '../compaction-row';
import { Fault } from '../fault';
import { givenTerms, termsOf } from '../given';
import { compactNow, replay, type Cuts, type Replay } from '../replay';
import { branchOf } from '../situation';
import { offline } from '../summariser';
import type { Terms } from '../terms';
import { plural } from '../words';
import type { Workbench } from '../workbench';
import type { World } from '../world';

/** Whole compactions with the built-in model: one of the branch as it is, or many of the conversation lived through again. */
export const compactCommand: User = {
	kind: 'uses',
	usage: 'compact [--times N] [--grow | --even] [--trigger …] [--pending TEXT] [--focus TEXT]',
	about: 'whole compactions with the built-in offline model; several replay the conversation',
	options: {
		times: { type: 'string' },
		grow: { type: 'boolean' },
		even: { type: 'boolean' },
		trigger: { type: 'string' },
		pending: { type: 'string' },
		focus: { type: 'string' }
	},
	operands: [],
	async run(bench, args, world) {
		const terms = termsOf(bench, await givenTerms(args, world));
		const times = args.count('times');
		const isGrown = args.flag('grow');
		const isEven = args.flag('even');
		if (isGrown && isEven) throw new Fault('--grow and --even exclude each other.', 2);
		if (isEven && times === undefined) throw new Fault('--even needs --times N.', 2);
		if (times === undefined && !isGrown) return once(bench, terms, world);
		if (args.text('trigger') !== undefined || terms.pending !== null) {
			throw new Fault('A replay has its own triggers, and nothing pending.', 2);
		}
		const run = (cuts: Cuts) => {
			const newId = countedIds(bench.session, JSON.stringify([bench.session.id, terms, cuts]));
			return replay(bench, { ...offline, terms, cuts, world: { ...world, newId } });
		};
		if (isEven) return replayed(await run({ kind: 'even', parts: times ?? 1 }), times ?? 1);
		const grown = await run({ kind: 'auto', most: times ?? Infinity });
		if (isGrown || grown.rows.length >= (times ?? 0)) return replayed(grown, grown.rows.length);
		return replayed(await run({ kind: 'even', parts: times ?? 1 }), times ?? 1);
	}
};

/**
 * Ids made from what is asked and from the order in which they are needed: a summary cites them, so with random ones no two
 * replays would have the same figures.
 */
function countedIds({ createdAt }: Session, asked: string): World['newId'] {
	let count = 0;
	// The brand is given where an id is born. One millisecond apart, so that they sort in order.
	return () =>
		uuidFrom(createdAt + ++count, `replay ${asked} ${count}`) as ReturnType<World['newId']>;
}

async function once(bench: Workbench, terms: Terms, world: World): Promise<Outcome> {
	const tried = await compactNow(bench, terms, { ...offline, world });
	switch (tried.kind) {
		case 'noop':
			return {
				text: `Nothing to do: ${tried.why}`,
				data: { kind: 'noop', reason: tried.reason }
			};
		case 'failed':
			return {
				text: `${tried.why} Nothing was changed.`,
				data: { kind: 'failed', why: tried.why },
				exitCode: 1
			};
		case 'committed': {
			const turns = turnsOf(branchOf(tried.bench)).length;
			const row = rowOf(1, turns, tried.passes, tried.message);
			return {
				bench: tried.bench,
				text: rowsAsTable([row]),
				data: { kind: 'committed', rows: [row], failures: [] }
			};
		}
	}
}

function replayed({ bench, rows, failures }: Replay, wanted: number): Outcome {
	const how = rows[0]?.trigger === 'manual' ? 'by hand at even parts' : 'where auto said so';
	return {
		bench,
		text: [
			rowsAsTable(rows),
			`${plural(rows.length, 'compaction')}${wanted > rows.length ? ` of ${wanted}` : ''} ${how}; the working file holds the replayed conversation.`,
			...failures.map((line) => `! ${line}`)
		].join('\n'),
		data: { kind: 'replayed', wanted, rows, failures },
		...(failures.length > 0 || rows.length < wanted ? { exitCode: 1 as const } : {})
	};
}
