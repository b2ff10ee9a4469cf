import { plainText } from '../../src/lib/context/recall';
import { preserve, withoutPreserved } from '../../src/lib/compaction/preserve';
import type { CheckpointMessage, Reference } from '../../src/lib/history/message';
import { verbatim } from '../../src/lib/context/projection';
import type { User } from '../command';
import { Fault } from '../fault';
import { givenTerms, termsOf } from '../given';
import { situationOf } from '../situation';
import { beginning, figure, plural } from '../words';

/** What checkpoints kept of the references found, and where those of the newest stand in the next request. */
export const retentionCommand: User = {
	kind: 'uses',
	usage: 'retention [--all]',
	about: 'references kept of those found, what is missing, and where they stand now',
	options: { all: { type: 'boolean' } },
	operands: [],
	async run(bench, args, world) {
		const terms = termsOf(bench, await givenTerms(args, world));
		const { branch, projection } = situationOf(bench, terms);
		const newest = projection.checkpoint;
		if (!newest) throw new Fault('There is no checkpoint on the branch yet.');
		const checkpoints = branch.filter((message) => message.role === 'checkpoint');
		const kept = (args.flag('all') ? checkpoints : [newest]).map(retained);
		const sent = verbatim(projection).map(plainText).join('\n');
		const now = standing(newest, sent);
		return {
			text: [...kept.flatMap(lines), ...standingLines(now)].join('\n'),
			data: { checkpoints: kept, now }
		};
	}
};

function retained({ id, checkpoint: { references } }: CheckpointMessage) {
	const missing = references.filter((reference) => !reference.kept);
	const byKind: Record<string, string[]> = {};
	for (const { kind, text } of missing) (byKind[kind] ??= []).push(text);
	return {
		id,
		found: references.length,
		kept: references.length - missing.length,
		missing: byKind
	};
}

interface Standing {
	/** In the summary's own words. */
	readonly prose: number;
	/** Put back under "Preserved references". */
	readonly preserved: number;
	/** Not in the checkpoint, but in a message that is still sent. */
	readonly verbatim: number;
	/** Not sent: read through the recall tools only. */
	readonly recall: number;
}

/** Each reference in the first of the places where it stands. */
function standing({ checkpoint }: CheckpointMessage, sent: string): Standing {
	const prose = carriedBy(withoutPreserved(checkpoint.summary), checkpoint.references);
	const tail = carriedBy(sent, checkpoint.references);
	const count = { prose: 0, preserved: 0, verbatim: 0, recall: 0 };
	for (const { text, kept } of checkpoint.references) {
		if (prose.has(text)) count.prose++;
		else if (kept) count.preserved++;
		else if (tail.has(text)) count.verbatim++;
		else count.recall++;
	}
	return count;
}

/** Which references a text carries, by the rule of the commit (C74): with no room to put any back, the others are not kept. */
function carriedBy(text: string, references: readonly Reference[]): ReadonlySet<string> {
	const { references: judged } = preserve(text, references, 0);
	return new Set(judged.filter(({ kept }) => kept).map((reference) => reference.text));
}

function lines({ id, found, kept, missing }: ReturnType<typeof retained>): string[] {
	const percent = found === 0 ? '' : ` (${((100 * kept) / found).toFixed(1)} %)`;
	return [
		`${id}: kept ${figure(kept)} of ${plural(found, 'reference')}${percent}`,
		...Object.entries(missing).map(
			([kind, texts]) =>
				`  missing ${figure(texts.length)} ${kind}: ${texts
					.slice(0, 3)
					.map((text) => beginning(text))
					.join(' · ')}${texts.length > 3 ? ' …' : ''}`
		)
	];
}

function standingLines({ prose, preserved, verbatim: tail, recall }: Standing): string[] {
	return [
		`now: ${figure(prose)} in the summary's words, ${figure(preserved)} put back, ${figure(tail)} in messages sent verbatim, ${figure(recall)} by recall only`
	];
}
