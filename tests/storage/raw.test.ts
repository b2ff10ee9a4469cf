import Dexie from 'dexie';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/lib/storage/database';
import { readRaw } from '../../src/lib/storage/raw';
import { store } from '../support/database';
import { grow } from '../support/tree';

const nameOf = (what: string) => `hilo-raw-${what}-${process.pid}-${Date.now()}`;

test('H63 a database of another version and other stores is read as it is', async () => {
	const name = nameOf('newer');
	const db = await openDatabase({}, name);
	const tree = grow();
	tree.talk('u1', 'a1');
	const session = await store(db, tree);
	const version = db.verno;
	db.retire();
	const newer = new Dexie(name);
	newer.version(version + 7).stores({ messages: 'id', sessions: 'id', somethingNew: 'id' });
	await newer.open();
	newer.close();
	const raw = await readRaw(name, ['sessions', 'messages', 'gone']);
	expect(raw.rows['messages']).toEqual(tree.branch());
	expect(raw.rows['sessions']).toEqual([session]);
	expect(raw.rows['gone']).toEqual([]);
	expect(raw.unreadable).toEqual([]);
});

test('H63 a database that is not there is not made', async () => {
	const name = nameOf('none');
	await expect(readRaw(name, ['messages'])).rejects.toThrow('There is no database');
	expect((await indexedDB.databases()).map((each) => each.name)).not.toContain(name);
});
