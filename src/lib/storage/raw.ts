/** What could be read of a database without its schema. */
export interface RawRead {
	readonly rows: Readonly<Record<string, readonly unknown[]>>;
	/** Stores that could not be read, each with the reason. */
	readonly unreadable: readonly string[];
}

/**
 * Reads stores of a database at whatever version it has, without Dexie: the last resort where the app's own opening
 * fails. Nothing is written, and a database that is not there is not made.
 * @throws when there is none of this name, or it cannot be opened
 */
export async function readRaw(name: string, stores: readonly string[]): Promise<RawRead> {
	const db = await openAsItIs(name);
	try {
		const rows: Record<string, unknown[]> = {};
		const unreadable: string[] = [];
		for (const store of stores) {
			try {
				rows[store] = await allOf(db, store);
			} catch (error) {
				unreadable.push(`${store}: ${error instanceof Error ? error.message : String(error)}`);
			}
		}
		return { rows, unreadable };
	} finally {
		db.close();
	}
}

function openAsItIs(name: string): Promise<IDBDatabase> {
	return new Promise((resolve, reject) => {
		const request = indexedDB.open(name);
		request.onupgradeneeded = () => {
			// It was not there; aborting keeps it so.
			request.transaction?.abort();
			reject(new Error('There is no database in this browser.'));
		};
		request.onsuccess = () => resolve(request.result);
		request.onerror = () => reject(request.error ?? new Error('The database cannot be opened.'));
		request.onblocked = () => reject(new Error('Another tab holds the database. Close it first.'));
	});
}

/** All rows of a store, one by one: a row that cannot be read ends the reading, with those before it kept. */
function allOf(db: IDBDatabase, store: string): Promise<unknown[]> {
	return new Promise((resolve, reject) => {
		if (!db.objectStoreNames.contains(store)) return resolve([]);
		const rows: unknown[] = [];
		const request = db.transaction(store, 'readonly').objectStore(store).openCursor();
		request.onsuccess = () => {
			const cursor = request.result;
			if (!cursor) return resolve(rows);
			rows.push(cursor.value);
			cursor.continue();
		};
		request.onerror = () =>
			rows.length > 0 ? resolve(rows) : reject(request.error ?? new Error('It cannot be read.'));
	});
}
