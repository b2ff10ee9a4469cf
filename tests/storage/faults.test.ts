/** Every write of storage, made to fail at each of its writes and at its commit: nothing of it is left, or all is done. */
import type { DBCore } from 'dexie';
import { describe, expect, test } from 'vitest';
import { examineBranch } from '../../src/lib/history/integrity';
import type { Message } from '../../src/lib/history/message';
import { StorageError } from '../../src/lib/storage/atomic';
import { addAttachment } from '../../src/lib/storage/attachments';
import { changeCalibration } from '../../src/lib/storage/calibration';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { addImported, eraseDatabase } from '../../src/lib/storage/everything';
import { changeProvider, removeProvider, saveProvider } from '../../src/lib/storage/providers';
import { repairSession } from '../../src/lib/storage/repair';
import { beginRetry, beginRun, dropRun, finishRun, saveRun } from '../../src/lib/storage/runs';
import {
	addSession,
	deleteDiscarded,
	deleteSession,
	discardSession,
	duplicateSession,
	forkSession,
	moveLeaf,
	patchSession,
	togglePin
} from '../../src/lib/storage/sessions';
import { changeSetting } from '../../src/lib/storage/settings';
import { openKey, sealKey } from '../../src/lib/storage/vault';
import { connect, dump, expected, freshDatabase, newRun, store } from '../support/database';
import { checkpointFields, grow, messageId, sessionId, text, treeId } from '../support/tree';

const never = new AbortController().signal;
const model = { provider: 'p', model: 'm' };
const file = (sha256: string, content: string) => ({
	sha256,
	mediaType: 'text/plain',
	filename: 'a.txt',
	blob: new Blob([content])
});
const provider = {
	id: 'p',
	kind: 'openai-compatible' as const,
	name: 'P',
	baseURL: 'https://p',
	sealedKey: null,
	models: []
};

/** Stands between Dexie and IndexedDB, and makes one write fail, or the whole transaction right after it. */
class Fault {
	#armed: { when: 'before' | 'after'; at: number; cause: unknown } | null = null;
	#writes = 0;
	#hasStruck = false;

	arm(when: 'before' | 'after', at: number, cause: unknown = null): void {
		this.#armed = { when, at, cause };
		this.#writes = 0;
		this.#hasStruck = false;
	}

	/** Whether it has struck since it was armed. */
	disarm(): boolean {
		this.#armed = null;
		return this.#hasStruck;
	}

	async enter(db: HiloDatabase): Promise<void> {
		db.close();
		db.use({ stack: 'dbcore', name: 'fault', create: (core) => this.#around(core) });
		await db.open();
	}

	#around(core: DBCore): DBCore {
		return {
			...core,
			table: (name) => {
				const table = core.table(name);
				return {
					...table,
					mutate: async (request) => {
						const armed = this.#armed;
						const isIt = armed !== null && ++this.#writes === armed.at;
						if (isIt) this.#hasStruck = true;
						if (isIt && armed.when === 'before') {
							throw new DOMException('The disk is full.', 'QuotaExceededError');
						}
						const result = await table.mutate(request);
						// Each request has succeeded: so fails what is noticed only at commit.
						if (isIt) abort(request.trans, armed.cause);
						return result;
					}
				};
			}
		};
	}
}

function abort(transaction: { abort(): void }, cause: unknown): void {
	if (cause) Object.defineProperty(transaction, 'error', { value: cause });
	transaction.abort();
}

/** A tree with two sessions, one of them with a branch of its own; a run from a Retry; something in every table. */
async function world(fault: Fault = new Fault()) {
	const db = await freshDatabase();
	await fault.enter(db);
	const tree = grow();
	const [u1, , u2, a2] = tree.talk('u1', 'a1', 'u2', 'a2') as [Message, Message, Message, Message];
	const session = await store(db, tree);
	const gone = grow(7);
	gone.talk('u', 'a');
	const own = { ...tree.answer('of the fork', {}, u2), originSessionId: sessionId(2) };
	await db.messages.put(own);
	await db.sessions.put(tree.session({ id: sessionId(2), leafId: own.id }));
	await store(db, gone, { id: sessionId(7), discardedAt: 0 });
	const busy = grow(3);
	const [question] = busy.talk('q', 'an answer') as [Message];
	const running = await store(db, busy, { id: sessionId(3) });
	const begun = await beginRetry(db, expected(running), question.id, newRun(), 1);
	if (begun.kind !== 'done') throw new Error('stale');
	await saveProvider(db, { ...provider, id: 'q' });
	await changeSetting(db, 'language', () => 'en');
	await changeCalibration(db, model, () => ({ mean: 1, deviation: 0, reports: 1 }));
	await addAttachment(db, file('ab', 'first'));
	return { db, session, u1, u2, a2, run: begun.run };
}
type World = Awaited<ReturnType<typeof world>>;

/** Each exported function that writes, by its name, and how many writes its action takes at least. */
const table: Readonly<Record<string, readonly [number, (w: World) => Promise<unknown>]>> = {
	beginRun: [
		3,
		({ db, session, a2 }) =>
			beginRun(
				db,
				expected(session),
				{
					id: messageId(600),
					parentId: a2.id,
					draft: { role: 'user', parts: [text('u3')], metadata: {} },
					draftAfter: { text: 'left', files: [] }
				},
				newRun(501),
				2
			)
	],
	beginRetry: [
		2,
		({ db, session, u2 }) => beginRetry(db, expected(session), u2.id, newRun(501), 2)
	],
	saveRun: [1, ({ db, run }) => saveRun(db, run, [text('so far')], 3)],
	finishRun: [3, ({ db, run }) => finishRun(db, run, { parts: [text('a')], metadata: {} }, 3)],
	dropRun: [2, ({ db, run }) => dropRun(db, run, 3)],
	addSession: [
		2,
		({ db }) => addSession(db, grow(4).session({ id: sessionId(4) }), grow(4).talk('u', 'a'))
	],
	moveLeaf: [1, ({ db, session, u2 }) => moveLeaf(db, expected(session), u2.id, 2)],
	patchSession: [1, ({ db, session }) => patchSession(db, session.id, { title: 'new' })],
	togglePin: [
		1,
		({ db, session, u1 }) => togglePin(db, session.id, { kind: 'message', messageId: u1.id })
	],
	forkSession: [
		1,
		({ db, session, a2 }) =>
			forkSession(db, session.id, a2.id, { id: sessionId(6), now: 2, title: 'New' })
	],
	duplicateSession: [
		1,
		({ db, session }) =>
			duplicateSession(db, session.id, { id: sessionId(6), now: 2, title: 'New' })
	],
	discardSession: [1, ({ db, session }) => discardSession(db, session.id, 2)],
	deleteSession: [3, ({ db }) => deleteSession(db, sessionId(3))],
	deleteDiscarded: [3, ({ db }) => deleteDiscarded(db, 1)],
	commitCheckpoint: [
		2,
		({ db, session, u2 }) =>
			commitCheckpoint(
				db,
				expected(session),
				checkpointFields({ firstKeptMessageId: u2.id }),
				messageId(700),
				2,
				never
			)
	],
	addImported: [
		2,
		({ db }) => {
			const tree = grow(5);
			const rows = tree.talk('u', 'a', 'u', 'a');
			return addImported(db, tree.session({ id: sessionId(5) }), rows, () => true);
		}
	],
	repairSession: [
		2,
		async ({ db, session }) => {
			const rows = (await db.messages.toArray()).filter(({ id }) => id !== messageId(2));
			let ids = 800;
			const birth = {
				sessionId: sessionId(8),
				treeId: treeId(8),
				newId: () => messageId(++ids, 8)
			};
			return repairSession(db, session, examineBranch(session, rows), birth, 4);
		}
	],
	addAttachment: [1, ({ db }) => addAttachment(db, file('cd', 'second'))],
	saveProvider: [1, ({ db }) => saveProvider(db, provider)],
	removeProvider: [1, ({ db }) => removeProvider(db, 'q')],
	changeProvider: [1, ({ db }) => changeProvider(db, 'q', (row) => ({ ...row, name: 'Q' }))],
	changeSetting: [1, ({ db }) => changeSetting(db, 'language', () => 'es')],
	changeCalibration: [
		1,
		({ db }) => changeCalibration(db, model, (before) => before && { ...before, reports: 2 })
	],
	sealKey: [1, ({ db }) => sealKey(db, 'sk-1', 'https://p')],
	openKey: [
		1,
		({ db }) => {
			const iv = new Uint8Array(12);
			return openKey(db, { iv, bytes: new ArrayBuffer(32), origin: 'https://p' }, 'https://p');
		}
	]
};

/** Writers that have a test of their own below, and what all of them are made of. */
const others = ['atomic', 'eraseDatabase'];

const sources = import.meta.glob<string>('../../src/lib/storage/*.ts', {
	eager: true,
	query: '?raw',
	import: 'default'
});

/** The names of the exported functions that write, themselves or through one that does. */
function exportedWriters(): string[] {
	const functions = Object.values(sources).flatMap((source) =>
		source.split(/^(?=(?:export )?(?:async )?(?:function|const) )/m).flatMap((code) => {
			const [, exported, name] = /^(export )?(?:async )?(?:function|const) (\w+)/.exec(code) ?? [];
			return name ? [{ name, isExported: exported !== undefined, code }] : [];
		})
	);
	const writers = new Set(['atomic']);
	const writes = /\bdb(\.\w+)?\.(put|add|update|delete|clear|modify|bulk(Put|Add|Delete|Update))\(/;
	for (let before = 0; before !== writers.size;) {
		before = writers.size;
		const called = new RegExp(`\\b(${[...writers].join('|')})\\(`);
		for (const { name, code } of functions) {
			const body = code.slice(code.search(/[{=]/));
			if (writes.test(body) || called.test(body)) writers.add(name);
		}
	}
	return functions.flatMap(({ name, isExported }) => (isExported && writers.has(name) ? name : []));
}

test('H20 every exported function of storage that writes is in the table', () => {
	const writers = exportedWriters();
	expect(writers.toSorted()).toEqual([...Object.keys(table), ...others].toSorted());
});

describe.each(Object.entries(table))('H20 %s', (_, [least, action]) => {
	test.each(['the k-th write fails', 'all is undone after the k-th write'] as const)(
		'%s, for every k: nothing is left',
		async (how) => {
			const fault = new Fault();
			const w = await world(fault);
			const before = await dump(w.db);
			let k = 1;
			for (; ; k++) {
				fault.arm(how === 'the k-th write fails' ? 'before' : 'after', k);
				const outcome = await action(w).then(
					() => 'done',
					(error: unknown) => error
				);
				if (!fault.disarm()) {
					expect(outcome).toBe('done');
					break;
				}
				// Opening a key fails as one of another device does: without a word, and without a write.
				if (action !== table['openKey']?.[1]) expect(outcome).toBeInstanceOf(StorageError);
				expect(await dump(w.db)).toBe(before);
				await seenByOthers(w.db, before);
			}
			expect(k - 1).toBeGreaterThanOrEqual(least);
			const after = await dump(w.db);
			expect(after).not.toBe(before);
			await seenByOthers(w.db, after);
		}
	);
});

test('H22 a full disk that is noticed only at commit is told as such', async () => {
	const fault = new Fault();
	const { db, session } = await world(fault);
	fault.arm('after', 1, new DOMException('full', 'QuotaExceededError'));
	await expect(patchSession(db, session.id, { title: 'new' })).rejects.toMatchObject({
		kind: 'quota'
	});
});

test('erasing leaves nothing, and what is opened then is empty and can be written', async () => {
	const { db } = await world();
	await eraseDatabase(db);
	const again = await connect(db.name);
	const counts = await Promise.all(again.tables.map((table) => table.count()));
	expect(counts.reduce((a, b) => a + b, 0)).toBe(1);
	await changeSetting(again, 'language', () => 'es');
});

/** Another connection sees the same: nothing is only in a cache. */
async function seenByOthers(db: HiloDatabase, expectedRows: string): Promise<void> {
	const other = await connect(db.name);
	expect(await dump(other)).toBe(expectedRows);
	other.close();
}
