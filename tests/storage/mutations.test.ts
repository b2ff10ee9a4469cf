import fc from 'fast-check';
import { expect, test } from 'vitest';
import { examineSession } from '../../src/lib/storage/examine';
import { readBundle } from '../../src/lib/storage/bundle';
import { readSession } from '../../src/lib/history/session-shape';
import type { SessionId } from '../../src/lib/history/message';
import { Conversation } from '../../src/lib/session/conversation.svelte';
import { Models } from '../../src/lib/session/models.svelte';
import { Settings } from '../../src/lib/session/settings.svelte';
import { encodeBundle } from '../../src/lib/session/bundle';
import type { HiloDatabase } from '../../src/lib/storage/database';
import '../support/conversation';
import { compute } from '../support/compute';
import { freshDatabase } from '../support/database';
import { histories, type History } from '../unit/transfer/random-history';

/** Values that a database can hold, and that trap programs. */
const value = fc.constantFrom<unknown>(
	null,
	undefined,
	'',
	'__proto__',
	'constructor',
	0,
	-1,
	0.5,
	2 ** 53,
	NaN,
	Infinity,
	10n,
	true,
	[],
	{},
	[null],
	[{ type: 'text' }],
	[{ type: 'html', text: '<b>' }],
	new Date(NaN),
	new Map([['a', 1]]),
	new Uint8Array(3),
	'x'.repeat(1e5),
	'tree-9',
	'checkpoint',
	'user'
);
const column = fc.constantFrom(
	'treeId',
	'parentId',
	'depth',
	'checkpointId',
	'originSessionId',
	'createdAt',
	'parts',
	'role',
	'metadata',
	'checkpoint'
);
const sessionColumn = fc.constantFrom(
	'treeId',
	'leafId',
	'branchRevision',
	'title',
	'updatedAt',
	'model',
	'instructions',
	'template',
	'draft',
	'pinned',
	'pins',
	'failures'
);
const harm = fc.record({
	kind: fc.constantFrom('field', 'field', 'field', 'delete', 'parent', 'session', 'run'),
	at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
	other: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
	column,
	sessionColumn,
	value
});
type Harm = typeof harm extends fc.Arbitrary<infer T> ? T : never;

async function spoil(db: HiloDatabase, { sessions, messages }: History, harms: readonly Harm[]) {
	for (const { kind, at, other, column, sessionColumn, value } of harms) {
		const message = messages[Math.floor(at * messages.length)];
		const row = message && (await db.messages.get(message.id));
		const id = sessions[0]?.id;
		if (kind === 'session' && id) {
			const session = await db.sessions.get(id);
			await db.sessions.put({ ...session, [sessionColumn]: value } as never);
		} else if (kind === 'run' && id) {
			await db.runs.put({ sessionId: id, runId: 'r', [column]: value } as never);
		} else if (!row) continue;
		else if (kind === 'delete') await db.messages.delete(row.id);
		else if (kind === 'parent') {
			const parentId = messages[Math.floor(other * messages.length)]?.id;
			await db.messages.put({ ...row, parentId } as never);
		} else await db.messages.put({ ...row, [column]: value } as never);
	}
}

/** The rows as the database's own bytes would be: numbers, dates, maps and what JSON has no word for told apart. */
async function bytes(db: HiloDatabase): Promise<unknown> {
	return structuredClone(await Promise.all(db.tables.map((table) => table.toArray())));
}

test(
	'mutated databases: opened, read, exported and repaired; not one byte of them changes',
	{ timeout: 300_000 },
	async () => {
		let damaged = 0;
		let opened = 0;
		const db = await freshDatabase();
		const models = new Models(db);
		const settings = new Settings(db);
		await Promise.all([models.load(), settings.load()]);
		const none = () => {};
		const deps = {
			db,
			worker: compute,
			models,
			settings,
			openSettings: none,
			openSession: none,
			onFirstAnswer: none
		};

		await fc.assert(
			fc.asyncProperty(
				histories(14),
				fc.array(harm, { minLength: 1, maxLength: 4 }),
				async (history, harms) => {
					await Promise.all([db.messages.clear(), db.sessions.clear(), db.runs.clear()]);
					await db.messages.bulkPut([...history.messages]);
					await db.sessions.bulkPut([...history.sessions]);
					await spoil(db, history, harms);
					const before = await bytes(db);
					for (const { id } of history.sessions) {
						const tab = await Conversation.open(id, deps);
						if (!tab) throw new Error('A session is gone.');
						opened++;
						try {
							await tab.nextRequest().catch(() => undefined);
							await new Promise((resolve) => setTimeout(resolve));
							for (let steps = 0; tab.hasEarlier && steps < 5; steps++) await tab.loadEarlier();
							for (const message of tab.messages) {
								tab.siblings(message.id);
								tab.coverage(message);
								tab.damage?.gapBefore(message.id);
							}
							void [tab.context, tab.draft, tab.run, tab.readOnly];
							expect(tab.notice?.tone === 'error' && tab.notice.title).toBe(false);
							if (!tab.damage) continue;
							damaged++;
							expect(tab.damage.findings.join('')).not.toContain('undefined');
							expect([tab.canSend, tab.readOnly === null]).toEqual([false, false]);
							await tab.send();
							await tab.retry();
							await tab.compact();
							expect(await bytes(db)).toEqual(before);
							await repairsTo(tab, db);
						} finally {
							await tab.close();
						}
					}
					const { chunks, leftOut } = await encodeBundle(
						await readBundle(db, await db.sessions.toArray()),
						1
					);
					const file = JSON.parse(chunks.join(''));
					expect(
						file.messages.length + file.sessions.length + leftOut.length
					).toBeGreaterThanOrEqual(history.sessions.length);
					expect(await bytes(db)).toEqual(before);
				}
			),
			{ numRuns: 600 }
		);
		expect(opened).toBeGreaterThan(600);
		expect(damaged).toBeGreaterThan(300);
	}
);

/** A repaired copy has no findings, holds what was shown, and is taken away again. */
async function repairsTo(tab: Conversation, db: HiloDatabase): Promise<void> {
	const shown = tab.messages;
	const made = await tab.repair();
	if (typeof made !== 'string') throw new Error(`${made.title} ${made.detail ?? ''}`);
	const row = await db.sessions.get(made);
	if (!row) throw new Error('No copy was made.');
	expect(readSession(row).faults).toEqual([]);
	const { findings, readable } = await examineSession(db, row);
	expect(findings).toEqual([]);
	const content = shown.filter(({ role }) => role !== 'checkpoint').length;
	expect(readable).toBeGreaterThanOrEqual(content);
	expect(readable).toBeLessThanOrEqual(shown.length);
	await db.messages
		.where('[treeId+depth]')
		.between([row.treeId, 0], [row.treeId, Infinity])
		.delete();
	await db.sessions.delete(made as SessionId);
}
