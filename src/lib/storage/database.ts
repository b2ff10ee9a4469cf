import Dexie, { type EntityTable, type Table } from 'dexie';
import type { Calibration } from '../context/calibration';
import type { Price } from '../context/price';
import type { Message } from '../history/message';
import type { Run } from '../history/run';
import type { Session } from '../history/session';

/** The bytes of an attached file, once for all messages that carry it. */
export interface AttachmentRow {
	readonly sha256: string;
	readonly mediaType: string;
	readonly filename: string;
	readonly blob: Blob;
}

/** A configured provider. The key is sealed by the vault; the row never holds it in the clear. */
export interface ProviderRow {
	readonly id: string;
	readonly kind: 'openai-compatible';
	readonly name: string;
	readonly baseURL: string;
	readonly sealedKey: SealedKey | null;
	readonly models: readonly ModelRow[];
}

export interface ModelRow {
	readonly model: string;
	readonly name: string;
	/** Tokens; null where unknown. */
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
	/** A lower window learnt from a provider's refusal. */
	readonly learntWindow: number | null;
	/** What the user has typed; absent where the catalogue is to say. */
	readonly price?: Price | null;
	/** The provider has refused tools for this model, so it is asked without any. */
	readonly refusesTools?: boolean;
}

export interface SealedKey {
	readonly iv: Uint8Array<ArrayBuffer>;
	readonly bytes: ArrayBuffer;
	/** The only origin this key is ever sent to. */
	readonly origin: string;
}

/** What usage reports have taught of one model's tokenizer. */
export interface CalibrationRow extends Calibration {
	readonly provider: string;
	readonly model: string;
}

interface NamedRow {
	readonly key: string;
	readonly value: unknown;
}

/** Rises whenever an older app could no longer write the rows safely. Checked in every write transaction. */
export const EPOCH = 1;

/** The one database, to be opened before use. `strict` durability: an acknowledged write survives a killed browser. */
export class HiloDatabase extends Dexie {
	declare readonly messages: EntityTable<Message, 'id'>;
	declare readonly sessions: EntityTable<Session, 'id'>;
	declare readonly runs: EntityTable<Run, 'sessionId'>;
	declare readonly attachments: EntityTable<AttachmentRow, 'sha256'>;
	declare readonly providers: EntityTable<ProviderRow, 'id'>;
	/** By [provider, model]. */
	declare readonly calibration: Table<CalibrationRow, [string, string]>;
	declare readonly settings: Table<NamedRow, string>;
	declare readonly meta: Table<NamedRow, string>;

	constructor(name = 'hilo') {
		// Without `autoOpen: false` Dexie opens again after a version change, silently, on the newer database.
		super(name, { chromeTransactionDurability: 'strict', autoOpen: false });
		this.version(1).stores({
			messages: 'id, [treeId+depth], parentId, originSessionId',
			sessions: 'id, treeId, updatedAt',
			runs: 'sessionId',
			attachments: 'sha256',
			providers: 'id',
			settings: 'key',
			meta: 'key'
		});
		this.version(2).stores({ calibration: '[provider+model]' });
		this.on('populate', (transaction) => {
			void transaction.table('meta').add({ key: 'epoch', value: EPOCH });
		});
	}

	#isRetired = false;
	#reopening: Promise<void> | null = null;

	/** Whether this connection was closed for good. */
	get isRetired(): boolean {
		return this.#isRetired;
	}

	/** Closes for good: the database is another app's now, or gone. */
	retire(): void {
		this.#isRetired = true;
		this.close({ disableAutoOpen: true });
	}

	/** Opens a connection that was lost again. Calls at the same moment share one attempt. */
	reopen(): Promise<void> {
		// In a later moment: closing tells of itself, and must find this attempt already under way.
		this.#reopening ??= Promise.resolve()
			.then(() => this.#open())
			.finally(() => (this.#reopening = null));
		return this.#reopening;
	}

	async #open(): Promise<void> {
		this.close();
		await this.open();
	}
}

/** Why a tab may no longer write: a newer app upgraded the database, or another tab erased it. */
export type Outdated = 'newer' | 'erased';

/** What becomes of an open database without our doing. */
export interface DatabaseEvents {
	/** This connection is closed for good. */
	readonly onOutdated: (why: Outdated) => void;
	/** The browser dropped the connection, and it could not be opened again: nothing can be saved in this tab. */
	readonly onLost: (error: unknown) => void;
	/** Another tab holds an older version open, so this one waits. */
	readonly onBlocked: () => void;
}

/**
 * Opens the database. When a newer app upgrades it, this connection closes for good and `onOutdated` is called: an old
 * tab must not write newer rows (H21). When the browser drops the connection, as some do to tabs in the background, it is
 * opened again (H29).
 */
export async function openDatabase(
	events: Partial<DatabaseEvents>,
	name?: string
): Promise<HiloDatabase> {
	const db = new HiloDatabase(name);
	db.on('versionchange', (event) => {
		db.retire();
		events.onOutdated?.(event.newVersion === null ? 'erased' : 'newer');
	});
	db.on('blocked', () => events.onBlocked?.());
	db.on('close', () => {
		if (db.isRetired) return;
		void db.reopen().catch((error: unknown) => events.onLost?.(error));
	});
	await db.open();
	return db;
}
