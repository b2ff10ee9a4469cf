import type { Run } from './run';
import { emptyDraft, type Session } from './session';
import { isAmount, isFile, isId, isModel, isMoment, isPart, isPin, isRecord } from './shape';

/**
 * What a stored session says, read without trusting it. A whole row is given back as the same object; of a broken one,
 * `faults` says what cannot be read, and something harmless stands in its place. Nothing is ever written back.
 */
export function readSession(row: Session): {
	readonly session: Session;
	readonly faults: readonly string[];
} {
	const stored: Readonly<Record<string, unknown>> = { ...row };
	const faults: string[] = [];
	const fixed: Record<string, unknown> = {};
	for (const [name, [test, instead, what]] of Object.entries(fields)) {
		if (test(stored[name])) continue;
		fixed[name] = instead;
		faults.push(what);
	}
	return faults.length === 0 ? { session: row, faults } : { session: { ...row, ...fixed }, faults };
}

const isText = (value: unknown) => typeof value === 'string';
const isDraft = (value: unknown) =>
	isRecord(value) &&
	isText(value['text']) &&
	Array.isArray(value['files']) &&
	value['files'].every(isFile);
const isFailures = (value: unknown) =>
	value === undefined ||
	value === null ||
	(isRecord(value) && isAmount(value['count']) && isModel(value['model']));

const fields: {
	readonly [name in Exclude<keyof Session, 'id'>]-?: readonly [
		(value: unknown) => boolean,
		Session[name],
		string
	];
} = {
	treeId: [isText, '' as Session['treeId'], 'which tree it is of'],
	// A leaf that is no id is left as it is: the examination of the branch speaks of it.
	leafId: [(value) => value !== undefined, '' as Session['leafId'], 'its newest message'],
	branchRevision: [isAmount, 0, 'how often it changed'],
	title: [isText, '', 'its title'],
	createdAt: [isMoment, 0, 'when it was begun'],
	updatedAt: [isMoment, 0, 'when it was last used'],
	model: [isModel, { provider: '', model: '' }, 'its model'],
	instructions: [isText, '', 'its instructions'],
	template: [
		(value) => value === 'research' || value === 'general' || value === 'code',
		'general',
		'the form of its summaries'
	],
	draft: [isDraft, emptyDraft, 'its draft'],
	pinned: [(value) => typeof value === 'boolean', false, 'whether it is pinned'],
	pins: [
		(value) => value === undefined || (Array.isArray(value) && value.every(isPin)),
		[],
		'what was pinned in it'
	],
	failures: [isFailures, null, 'how its last compactions ended'],
	undone: [
		(value) => value === undefined || (Array.isArray(value) && value.every(isId)),
		[],
		'which checkpoints were undone'
	],
	discardedAt: [
		(value) => value === undefined || value === null || isMoment(value),
		null,
		'when it was deleted'
	]
};

/** Whether an answer in progress can be shown and finished. */
export function isWholeRun(row: Run): boolean {
	const stored: Readonly<Record<string, unknown>> = { ...row };
	return (
		isText(stored['runId']) &&
		isId(stored['parentId']) &&
		isId(stored['messageId']) &&
		isModel(stored['model']) &&
		isMoment(stored['startedAt']) &&
		isMoment(stored['updatedAt']) &&
		Array.isArray(stored['parts']) &&
		stored['parts'].every(isPart)
	);
}
