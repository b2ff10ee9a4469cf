import { examineBranch } from '../../src/lib/history/integrity';
import type { Message, MessageId, SessionId } from '../../src/lib/history/message';
import type { Run } from '../../src/lib/history/run';
import type { Session } from '../../src/lib/history/session';
import { pathTo } from '../../src/lib/history/tree';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { SHARED, type Entry } from './client';

/** What a database holds of conversations. */
export interface Stored {
	readonly messages: readonly Message[];
	readonly sessions: readonly Session[];
	readonly runs: readonly Run[];
}

/** What hangs in the air, whoever wrote it: each row must have its way to the root, each session its leaf. */
export function tears({ messages, sessions, runs }: Stored): string[] {
	const found: string[] = [];
	const byId = new Map(messages.map((message) => [message.id, message]));
	const parents = new Set(messages.map(({ parentId }) => parentId));
	for (const message of messages) {
		if (message.parentId !== null && !byId.has(message.parentId)) {
			found.push(`torn: ${message.role} ${message.id} stands below nothing`);
		}
		if (parents.has(message.id)) continue;
		if (!pathTo(message.id, messages)) found.push(`torn: the branch to ${message.id} is damaged`);
		const end = { id: message.originSessionId, treeId: message.treeId, leafId: message.id };
		for (const { why } of examineBranch(end, messages).findings) {
			found.push(`torn: ${message.id}: ${why}`);
		}
	}
	for (const session of sessions) {
		if (session.leafId !== null && !byId.has(session.leafId)) {
			found.push(`torn: the leaf of ${session.id} is missing`);
		}
	}
	for (const run of runs) {
		const session = sessions.find(({ id }) => id === run.sessionId);
		if (!session) found.push(`torn: a run of ${run.sessionId}, which is gone`);
		else if (session.leafId !== run.parentId) {
			found.push(`torn: the leaf of ${session.id} has left the question of its run`);
		}
		if (byId.has(run.messageId)) found.push(`torn: ${run.runId} is open and answered`);
	}
	return found;
}

/**
 * What of the clients' acknowledgements the database does not keep. Empty: no message lost, one winner for each revision,
 * nothing stored of what was refused, no row torn.
 */
export function violations(stored: Stored, logs: readonly (readonly Entry[])[]): string[] {
	const all = logs.flat();
	const of = <K extends Entry['kind']>(kind: K) =>
		all.filter((entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind);
	const deleted = new Set(of('deleted').map(({ session }) => session));
	return [
		...of('wrong').map(({ what }) => `wrong: ${what}`),
		...tears(stored),
		...messagesOf(stored, of('message'), of('refused'), deleted),
		...runsOf(stored, of('opened'), of('ended'), of('grown'), deleted),
		...revisionsOf(stored, swaps(of('swap'), of('opened'), of('ended')), deleted),
		...fieldsOf(stored, logs)
	];
}

type Of<K extends Entry['kind']> = Extract<Entry, { kind: K }>;
type Deleted = ReadonlySet<SessionId>;

function messagesOf(
	stored: Stored,
	acknowledged: readonly Of<'message'>[],
	refused: readonly Of<'refused'>[],
	deleted: Deleted
): string[] {
	const found: string[] = [];
	const rows = new Map(stored.messages.map((message) => [message.id, JSON.stringify(message)]));
	const known = new Set<MessageId>();
	for (const { message } of acknowledged) {
		known.add(message.id);
		const row = rows.get(message.id);
		// What a deleted session wrote may be gone with it; what others need of it is looked for as torn.
		if (row === undefined && deleted.has(message.originSessionId)) continue;
		if (row === undefined) found.push(`lost: ${message.role} ${message.id}`);
		else if (row !== JSON.stringify(message)) found.push(`changed: ${message.id}`);
	}
	for (const { deed, id } of refused) {
		if (rows.has(id)) found.push(`refused, but stored: ${deed} ${id}`);
	}
	for (const id of rows.keys()) {
		if (!known.has(id)) found.push(`stored, but never acknowledged: ${id}`);
	}
	return found;
}

function runsOf(
	stored: Stored,
	opened: readonly Of<'opened'>[],
	ended: readonly Of<'ended'>[],
	grown: readonly Of<'grown'>[],
	deleted: Deleted
): string[] {
	const found: string[] = [];
	for (const { run } of opened) {
		const ends = ended.filter(({ runId }) => runId === run.runId).length;
		const row = stored.runs.find(({ runId }) => runId === run.runId);
		if (ends > 1) found.push(`${run.runId} ended ${ends} times`);
		if (ends > 0 && row) found.push(`${run.runId} ended and is still open`);
		if (ends === 0 && !row && !deleted.has(run.sessionId)) found.push(`lost: ${run.runId}`);
		const said = grown.filter(({ runId }) => runId === run.runId).map(({ text }) => text);
		const [part] = row?.parts ?? [];
		if (row && said.length > 0 && !(part?.type === 'text' && said.includes(part.text))) {
			found.push(`lost: what ${run.runId} had said`);
		}
	}
	return found;
}

interface Swap {
	readonly session: SessionId;
	readonly deed: string;
	readonly from: MessageId | null;
	readonly to: MessageId | null;
	readonly revision: number;
}

/** All changes of a leaf. That a dropped Retry took one back is not said by `dropRun`: it follows from its beginning. */
function swaps(
	won: readonly Of<'swap'>[],
	opened: readonly Of<'opened'>[],
	ended: readonly Of<'ended'>[]
): Swap[] {
	const dropped = new Set(ended.filter(({ by }) => by === 'drop').map(({ runId }) => runId));
	const back = opened.flatMap(({ run, revision }): Swap[] =>
		dropped.has(run.runId) && run.previousLeafId !== undefined
			? [
					{
						session: run.sessionId,
						deed: 'drop',
						from: run.parentId,
						to: run.previousLeafId,
						revision: revision + 1
					}
				]
			: []
	);
	return [...won, ...back];
}

/** Revisions of a session form one chain: each won once, each from where the one before it led. */
function revisionsOf(stored: Stored, all: readonly Swap[], deleted: Deleted): string[] {
	const found: string[] = [];
	const sessions = new Set([SHARED, ...all.map(({ session }) => session)]);
	for (const id of sessions) {
		const chain = all
			.filter(({ session }) => session === id)
			.toSorted((a, b) => a.revision - b.revision);
		chain.forEach((swap, index) => {
			const before = chain[index - 1];
			if (swap.revision !== index + 1) {
				found.push(`revision ${swap.revision} of ${id} has not exactly one winner (${swap.deed})`);
			} else if (before && swap.from !== before.to) {
				found.push(`revision ${swap.revision} of ${id} was won from another leaf (${swap.deed})`);
			}
		});
		if (deleted.has(id)) continue;
		const row = stored.sessions.find((session) => session.id === id);
		const last = chain.at(-1);
		if (!row) found.push(`lost: ${id}`);
		else if (row.branchRevision !== chain.length) {
			found.push(`${id} has revision ${row.branchRevision} after ${chain.length} swaps`);
		} else if (last && row.leafId !== last.to) found.push(`${id} does not stand where it was left`);
	}
	return found;
}

/** What is no branch: title, instructions, draft and pins of the shared session, each write of them kept. */
function fieldsOf({ sessions }: Stored, logs: readonly (readonly Entry[])[]): string[] {
	const row = sessions.find(({ id }) => id === SHARED);
	if (!row) return [];
	const found: string[] = [];
	for (const name of ['title', 'instructions'] as const) {
		const last = logs.flat().findLast((entry) => entry.kind === 'field' && entry.name === name);
		if (last?.kind === 'field' && row[name] !== last.value) found.push(`lost: the ${name}`);
	}
	const lasts = logs.flatMap((log) => {
		const last = log.findLast((entry) => entry.kind === 'draft');
		return last?.kind === 'draft' ? [last.text] : [];
	});
	if (lasts.length > 0 && !lasts.includes(row.draft.text)) found.push('lost: the newest draft');
	const toggles = new Map<MessageId, number>();
	for (const entry of logs.flat()) {
		if (entry.kind === 'pin') toggles.set(entry.id, (toggles.get(entry.id) ?? 0) + 1);
	}
	const pinned = (row.pins ?? []).map((pin) => pin.kind === 'message' && pin.messageId);
	for (const [id, times] of toggles) {
		if (pinned.filter((each) => each === id).length !== times % 2) {
			found.push(`lost: one of ${times} turns of the pin of ${id}`);
		}
	}
	return found;
}

/** All rows of conversations, in one transaction. */
export function readStored(db: HiloDatabase): Promise<Stored> {
	return db.transaction('r', [db.messages, db.sessions, db.runs], async () => ({
		messages: await db.messages.toArray(),
		sessions: await db.sessions.toArray(),
		runs: await db.runs.toArray()
	}));
}
