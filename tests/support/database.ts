import type { DBCore, DBCoreTable } from 'dexie';
import { HiloDatabase } from '../../src/lib/storage/database';
import { expectedOf } from '../../src/lib/storage/expected';
import type { NewRun } from '../../src/lib/storage/runs';
import type { Session } from '../../src/lib/history/session';
import { messageId, type Grower } from './tree';

let databases = 0;

/** What a test does at the database's own operations: `at` is called before each, with its number from 1. */
export interface Intrusion {
	readonly on: 'write' | 'any';
	at(operation: number): void;
}

/** A database of its own for a test, perhaps with an intruder between Dexie and IndexedDB. */
export async function freshDatabase(intrusion?: () => Intrusion | null): Promise<HiloDatabase> {
	return connect(`hilo-test-${process.pid}-${++databases}-${Date.now()}`, intrusion);
}

/** A connection to a database, as each tab has its own. */
export async function connect(
	name: string,
	intrusion?: () => Intrusion | null
): Promise<HiloDatabase> {
	const db = new HiloDatabase(name);
	if (intrusion)
		db.use({ stack: 'dbcore', name: 'intruder', create: (core) => intrude(core, intrusion) });
	await db.open();
	return db;
}

function intrude(core: DBCore, intrusion: () => Intrusion | null): DBCore {
	const counts = new WeakMap<Intrusion, number>();
	const before = (kind: 'write' | 'read') => {
		const now = intrusion();
		if (!now || (now.on === 'write' && kind === 'read')) return;
		const count = (counts.get(now) ?? 0) + 1;
		counts.set(now, count);
		now.at(count);
	};
	return {
		...core,
		table(name: string): DBCoreTable {
			const table = core.table(name);
			const read =
				<Request, Result>(operation: (request: Request) => Promise<Result>) =>
				(request: Request) => {
					before('read');
					return operation(request);
				};
			return {
				...table,
				get: read((request) => table.get(request)),
				getMany: read((request) => table.getMany(request)),
				query: read((request) => table.query(request)),
				openCursor: read((request) => table.openCursor(request)),
				count: read((request) => table.count(request)),
				mutate: (request) => {
					before('write');
					return table.mutate(request);
				}
			};
		}
	};
}

/** Puts a grown tree and its session into the database, as they are. */
export async function store(
	db: HiloDatabase,
	tree: Grower,
	fields: Partial<Session> = {}
): Promise<Session> {
	const session = tree.session(fields);
	await db.messages.bulkPut([...tree.rows.values()]);
	await db.sessions.put(session);
	return session;
}

/** Everything that is stored, as one comparable text. */
export async function dump(db: HiloDatabase): Promise<string> {
	const tables = await Promise.all(
		db.tables.map(async (table) => [table.name, await table.toArray()] as const)
	);
	return JSON.stringify(tables);
}

export const expected = expectedOf;
export const newRun = (n = 500): NewRun => ({
	runId: `run-${n}`,
	messageId: messageId(n),
	model: { provider: 'p', model: 'm' }
});
