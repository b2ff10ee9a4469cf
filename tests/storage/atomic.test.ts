import Dexie from 'dexie';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../src/lib/history/message';
import { atomic, StorageError, storageError } from '../../src/lib/storage/atomic';
import { addAttachment, readAttachment } from '../../src/lib/storage/attachments';
import { commitCheckpoint } from '../../src/lib/storage/commit-checkpoint';
import { EPOCH, HiloDatabase, openDatabase } from '../../src/lib/storage/database';
import { addImported } from '../../src/lib/storage/everything';
import { removeProvider, saveProvider } from '../../src/lib/storage/providers';
import { beginRetry, beginRun, dropRun, finishRun, saveRun } from '../../src/lib/storage/runs';
import { addSession, deleteSession, moveLeaf, patchSession } from '../../src/lib/storage/sessions';
import { changeSetting, readSetting } from '../../src/lib/storage/settings';
import { dump, expected, freshDatabase, newRun, store, type Intrusion } from '../support/database';
import { checkpointFields, grow, messageId, sessionId, text } from '../support/tree';

const never = new AbortController().signal;
const emptied = { text: '', files: [] };

/** A tree with a fork, and a session with an open run: something to write for every action. */
async function world(intrusion?: () => Intrusion | null) {
	const db = await freshDatabase(intrusion);
	const tree = grow();
	const [, , u2, a2] = tree.talk('u1', 'a1', 'u2', 'a2') as [Message, Message, Message, Message];
	const session = await store(db, tree);
	await db.sessions.put(tree.session({ id: sessionId(2), leafId: messageId(2) }));
	const busy = grow(3);
	const question = busy.user('q');
	const running = await store(db, busy, { id: sessionId(3) });
	const begun = await beginRetry(db, expected(running), question.id, newRun(), 1);
	if (begun.kind !== 'done') throw new Error('stale');
	await saveProvider(db, { ...provider, id: 'q' });
	return { db, session, u2, a2, run: begun.run };
}
type World = Awaited<ReturnType<typeof world>>;

/** Every function that writes, with how many writes it takes at least. */
const actions: readonly [string, number, (w: World) => Promise<unknown>][] = [
	[
		'addSession',
		2,
		({ db }) => addSession(db, grow(4).session({ id: sessionId(4) }), grow(4).talk('u', 'a'))
	],
	[
		'beginRun',
		3,
		({ db, session, a2 }) =>
			beginRun(
				db,
				expected(session),
				{
					id: messageId(600),
					parentId: a2.id,
					draft: { role: 'user', parts: [text('u3')], metadata: {} },
					draftAfter: emptied
				},
				newRun(501),
				2
			)
	],
	[
		'beginRetry',
		2,
		({ db, session, u2 }) => beginRetry(db, expected(session), u2.id, newRun(501), 2)
	],
	['saveRun', 1, ({ db, run }) => saveRun(db, run, [text('so far')], 3)],
	['finishRun', 3, ({ db, run }) => finishRun(db, run, { parts: [text('a')], metadata: {} }, 3)],
	['dropRun', 1, ({ db, run }) => dropRun(db, run, 3)],
	['moveLeaf', 1, ({ db, session, u2 }) => moveLeaf(db, expected(session), u2.id, 2)],
	[
		'commitCheckpoint',
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
	['deleteSession', 3, ({ db }) => deleteSession(db, sessionId(3))],
	['patchSession', 1, ({ db, session }) => patchSession(db, session.id, { title: 'new' })],
	[
		'addImported',
		2,
		({ db }) =>
			addImported(db, grow(5).session({ id: sessionId(5) }), grow(5).talk('u', 'a'), () => true)
	],
	['changeSetting', 1, ({ db }) => changeSetting(db, 'language', () => 'es')],
	['saveProvider', 1, ({ db }) => saveProvider(db, provider)],
	['removeProvider', 1, ({ db }) => removeProvider(db, 'q')]
];
const provider = {
	id: 'p',
	kind: 'openai-compatible' as const,
	name: 'P',
	baseURL: 'https://p',
	sealedKey: null,
	models: []
};

describe('H20 a failure at the k-th write leaves nothing, whichever k', () => {
	test.each(actions)('H20 %s', async (_, least, action) => {
		let intrusion: Intrusion | null = null;
		const w = await world(() => intrusion);
		const before = await dump(w.db);
		let k = 1;
		for (; ; k++) {
			let failed = false;
			intrusion = {
				on: 'write',
				at: (operation) => {
					if (operation !== k) return;
					failed = true;
					throw new DOMException('The disk is full.', 'QuotaExceededError');
				}
			};
			const outcome = await action(w).then(
				() => null,
				(error: unknown) => error
			);
			intrusion = null;
			if (!failed) {
				expect(outcome).toBeNull();
				break;
			}
			expect(outcome).toBeInstanceOf(StorageError);
			expect(outcome).toMatchObject({ kind: 'quota' });
			expect(await dump(w.db)).toBe(before);
		}
		expect(k - 1).toBeGreaterThanOrEqual(least);
		expect(await dump(w.db)).not.toBe(before);
	});

	test.each(actions)(
		'H21 %s writes nothing into a database of another epoch',
		async (_, __, action) => {
			const w = await world();
			for (const value of [EPOCH + 1, EPOCH - 1, undefined]) {
				await w.db.meta.put({ key: 'epoch', value });
				const before = await dump(w.db);
				await expect(action(w)).rejects.toMatchObject({ name: 'StorageError', kind: 'outdated' });
				expect(await dump(w.db)).toBe(before);
			}
		}
	);
});

describe('H20 atomic', () => {
	test('H20 an error of the work itself undoes what was written before it, and comes out unchanged', async () => {
		const { db } = await world();
		const before = await dump(db);
		const mine = new RangeError('mine');
		const failing = atomic(db, [db.settings], async () => {
			await db.settings.put({ key: 'a', value: 1 });
			throw mine;
		});
		await expect(failing).rejects.toBe(mine);
		expect(await dump(db)).toBe(before);
	});

	test('H20 it resolves after the transaction is complete', async () => {
		const { db } = await world();
		let complete = false;
		await atomic(db, [db.settings], async () => {
			Dexie.currentTransaction.on('complete', () => (complete = true));
			await db.settings.put({ key: 'a', value: 1 });
		});
		expect(complete).toBe(true);
	});
});

describe('H29 a connection that the browser drops', () => {
	/** What IndexedDB does when it drops a connection. */
	function drop(db: HiloDatabase): void {
		const backend = db.backendDB();
		backend.close();
		backend.onclose?.(new Event('close'));
	}
	const open = async (events: Parameters<typeof openDatabase>[0] = {}) => {
		const db = await openDatabase(
			events,
			`hilo-lost-${process.pid}-${Date.now()}-${Math.random()}`
		);
		onTestFinished(() => db.retire());
		return db;
	};

	test('H29 is opened again, and writes and reads go on', async () => {
		const db = await open({ onLost: () => expect.unreachable() });
		await changeSetting(db, 'a', () => 1);
		drop(db);
		await changeSetting(db, 'a', (value) => Number(value) + 1);
		expect(await readSetting(db, 'a')).toBe(2);
		drop(db);
		await db.reopen();
		expect(await readSetting(db, 'a')).toBe(2);
	});

	test('H29 a write that had begun is told as failed, not done twice', async () => {
		const db = await open();
		let begun = 0;
		const write = atomic(db, [db.settings], async () => {
			begun++;
			await db.settings.put({ key: 'a', value: begun });
			// A connection that is dropped aborts what is open.
			Dexie.currentTransaction.idbtrans.abort();
			drop(db);
			await db.settings.put({ key: 'b', value: begun });
		});
		await expect(write).rejects.toMatchObject({ name: 'StorageError' });
		expect(begun).toBe(1);
		await changeSetting(db, 'c', () => 1);
		expect([await readSetting(db, 'a'), await readSetting(db, 'c')]).toEqual([undefined, 1]);
	});

	test('H29 one that is closed for good stays closed', async () => {
		const db = await open();
		db.retire();
		await expect(changeSetting(db, 'a', () => 1)).rejects.toMatchObject({ kind: 'closed' });
	});

	test('H29 where it cannot be opened again, that is told', async () => {
		let lost: unknown = null;
		const db = await open({ onLost: (error) => (lost = error) });
		db.open = () => Promise.reject(new Error('no more')) as never;
		drop(db);
		await expect(changeSetting(db, 'a', () => 1)).rejects.toThrow('no more');
		expect(lost).toMatchObject({ message: 'no more' });
	});
});

describe('H21 versions', () => {
	test('H21 a newer app closes this connection for good', async () => {
		const name = `hilo-version-${process.pid}-${Date.now()}`;
		let told = 0;
		const db = await openDatabase({ onOutdated: () => told++ }, name);
		const newer = new Dexie(name);
		newer.version(db.verno + 1).stores({ meta: 'key' });
		await newer.open();
		expect(told).toBe(1);
		await expect(changeSetting(db, 'a', () => 1)).rejects.toMatchObject({
			name: 'StorageError',
			kind: 'closed'
		});
		newer.close();
	});

	test('H21 a fresh database has the epoch, and both durable names', async () => {
		const db = await freshDatabase();
		expect(await db.meta.get('epoch')).toEqual({ key: 'epoch', value: EPOCH });
		expect(new HiloDatabase().name).toBe('hilo');
	});
});

describe('H22 kinds of failure', () => {
	const quota = new DOMException('full', 'QuotaExceededError');
	const inner = (outer: Error, cause: unknown) => Object.assign(outer, { inner: cause });
	test.each<[string, unknown, string]>([
		['a full disk', quota, 'quota'],
		['a full disk at commit', new Dexie.AbortError('aborted', quota), 'quota'],
		[
			'a full disk two errors deep',
			new Dexie.AbortError('aborted', inner(new Dexie.UnknownError('u'), quota)),
			'quota'
		],
		[
			'a full disk among many writes',
			new Dexie.BulkError('bulk', [new Error('x'), quota]),
			'quota'
		],
		['a closed database', new Dexie.DatabaseClosedError('closed'), 'closed'],
		['a connection that broke', new DOMException('closing', 'InvalidStateError'), 'closed'],
		['an abort', new Dexie.AbortError('aborted'), 'unknown'],
		['a key that exists', new Dexie.ConstraintError('exists'), 'unknown']
	])('H22 %s is %s', (_, error, kind) => {
		expect(storageError(error)).toMatchObject({ name: 'StorageError', kind });
	});

	test('H22 errors of our own, and errors already told, pass unchanged', () => {
		const own = new TypeError('own');
		const told = new StorageError('quota', own);
		expect([storageError(own), storageError(told)]).toEqual([own, told]);
	});

	test('H22 errors that contain each other end', () => {
		const [a, b] = [new Dexie.AbortError('a'), new Dexie.AbortError('b')];
		inner(a, b);
		inner(b, a);
		expect(storageError(a)).toMatchObject({ kind: 'unknown' });
	});
});

test('H28 the same bytes are kept once', async () => {
	const db = await freshDatabase();
	const row = { sha256: 'ab', mediaType: 'text/plain', filename: 'a.txt', blob: new Blob(['x']) };
	await addAttachment(db, row);
	await addAttachment(db, { ...row, filename: 'b.txt' });
	expect(await db.attachments.count()).toBe(1);
	expect(await readAttachment(db, 'ab')).toMatchObject({ filename: 'a.txt' });
	expect(await readAttachment(db, 'cd')).toBeNull();
});
