import { describe, expect, onTestFinished, test } from 'vitest';
import type { SessionId } from '../../src/lib/history/message';
import type { Session } from '../../src/lib/history/session';
import { Conversation } from '../../src/lib/session/conversation.svelte';
import { Models } from '../../src/lib/session/models.svelte';
import { Settings } from '../../src/lib/session/settings.svelte';
import { compute } from '../support/compute';
import { examineSession } from '../../src/lib/storage/examine';
import { readWhole } from '../../src/lib/storage/branch';
import { repairSession } from '../../src/lib/storage/repair';
import { newId } from '../../src/lib/session/ids';
import { ask, Desk, lines, must, turns, until, wireLines } from '../support/conversation';
import { dump, freshDatabase, store, type Intrusion } from '../support/database';
import { messageId } from '../support/tree';

/** Opens another session of the desk's database. */
async function openAs(desk: Desk, id: SessionId): Promise<Conversation> {
	const models = new Models(desk.db);
	const settings = new Settings(desk.db);
	await Promise.all([models.load(), settings.load()]);
	const none = () => {};
	const leave = { openSettings: none, openSession: none, onFirstAnswer: none };
	const deps = { db: desk.db, worker: compute, models, settings, ...leave };
	const opened = must(await Conversation.open(id, deps));
	onTestFinished(() => opened.close());
	return opened;
}

const birth = () => ({ treeId: newId.tree(), sessionId: newId.session(), newId: newId.message });

describe('H59 a repair', () => {
	test('H59 makes a new session of what can be read, which goes on; the damaged one is untouched', async () => {
		const desk = await Desk.of({
			tree: turns(4, 20),
			session: { draft: { text: 'unsent', files: [] } }
		});
		await desk.db.messages.delete(messageId(4));
		const before = { row: await desk.row(), messages: await desk.db.messages.toArray() };
		const tab = await desk.open();
		const made = await tab.repair();
		if (typeof made !== 'string') throw new Error(made.title);
		expect(await desk.row()).toEqual(before.row);
		const olds = new Set(before.messages.map(({ id }) => id));
		const kept = await desk.db.messages.filter(({ id }) => olds.has(id)).toArray();
		expect(kept).toEqual(before.messages);

		const repaired = await openAs(desk, made);
		expect(repaired.session).toMatchObject({
			title: 'A session (repaired)',
			draft: { text: 'unsent' }
		});
		expect([repaired.damage, repaired.readOnly]).toEqual([null, null]);
		expect(lines(repaired.messages)).toEqual(lines(tab.messages));
		expect(
			repaired.messages.every(
				({ id, originSessionId }) => !olds.has(id) && originSessionId === made
			)
		).toBe(true);
		await ask(repaired, 'And now?');
		expect(wireLines(desk.asked.at(-1)).at(-1)).toBe('u: And now?');
		await until(() => repaired.messages.length === tab.messages.length + 2);
		expect(await desk.db.messages.where('originSessionId').equals(desk.id).toArray()).toEqual(
			before.messages
		);
	});

	test('H59 is whole or absent: a write that fails leaves nothing of it', async () => {
		let intrusion: Intrusion | null = null;
		const db = await freshDatabase(() => intrusion);
		const session = await store(db, turns(3, 20));
		await db.messages.delete(messageId(2));
		const examination = await examineSession(db, session);
		const before = await dump(db);
		let copy: Session | null = null;
		let failed = 0;
		for (let k = 1; !copy; k++) {
			intrusion = {
				on: 'write',
				at: (n) => {
					if (n === k) throw new DOMException('full', 'QuotaExceededError');
				}
			};
			try {
				copy = (await repairSession(db, session, examination, birth(), 1)).session;
			} catch {
				failed++;
				intrusion = null;
				expect(await dump(db)).toBe(before);
			}
		}
		expect(failed).toBeGreaterThan(1);
		const read = await readWhole(db, must(copy.leafId));
		expect(read.kind === 'branch' && read.messages.length).toBe(5);
	});

	test('H59 remaps what was pinned, and leaves out pins of what is lost', async () => {
		const db = await freshDatabase();
		const session = await store(db, turns(2, 20), {
			pins: [
				{ kind: 'message', messageId: messageId(1) },
				{ kind: 'message', messageId: messageId(2) },
				{ kind: 'reference', reference: 'doi', text: '10.1/x' }
			]
		});
		await db.messages.delete(messageId(2));
		const { session: copy, rebuilt } = await repairSession(
			db,
			session,
			await examineSession(db, session),
			birth(),
			1
		);
		expect(copy.pins).toEqual([
			{ kind: 'message', messageId: rebuilt.ids.get(messageId(1)) },
			{ kind: 'reference', reference: 'doi', text: '10.1/x' }
		]);
	});

	test('H59 a full disk is told, and nothing is made', async () => {
		const desk = await Desk.of({ tree: turns(2, 20) });
		await desk.db.messages.delete(messageId(2));
		const tab = await desk.open();
		desk.fillDisk();
		const made = await tab.repair();
		desk.intrusion = null;
		expect(made).toMatchObject({ tone: 'error', title: expect.stringMatching(/no room/) });
		expect(await desk.db.sessions.count()).toBe(1);
	});
});
