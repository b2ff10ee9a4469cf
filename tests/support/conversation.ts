/** A session on a real database, and a model behind real HTTP: what a conversation needs, short enough to read. */
import './locks';
import { onTestFinished } from 'vitest';
import type { Message, Part, SessionId } from '../../src/lib/history/message';
import type { Session } from '../../src/lib/history/session';
import { Conversation } from '../../src/lib/session/conversation.svelte';
import { Models } from '../../src/lib/session/models.svelte';
import { Settings } from '../../src/lib/session/settings.svelte';
import type { HiloDatabase } from '../../src/lib/storage/database';
import { readWhole } from '../../src/lib/storage/branch';
import type { Compute } from '../../src/lib/worker/client';
import { compute } from './compute';
import { connect, freshDatabase, store, type Intrusion } from './database';
import { OpenAIServer, wireText, type RecordedRequest } from './openai-server';
import { grow, words, type Grower } from './tree';

/** Whether the user is in the tab: one that they are not in shows what another one stores. */
export const page = { hasFocus: false };
Object.defineProperty(globalThis, 'document', {
	value: { hasFocus: () => page.hasFocus },
	configurable: true
});

export const macrotask = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Waits until something is so, a macrotask at a time; a test that waits in vain says for what. */
export async function until(isSo: () => unknown, what = isSo.toString()): Promise<void> {
	const end = Date.now() + 5000;
	while (!(await isSo())) {
		if (Date.now() > end) throw new Error(`Waited in vain for: ${what}`);
		await macrotask();
	}
}

/** A promise to hold a stream with, and what lets it go. */
export function gate(): { readonly shut: Promise<void>; readonly open: () => void } {
	let open = () => {};
	const shut = new Promise<void>((resolve) => (open = resolve));
	return { shut, open };
}

/** A chunk of a stream that says when the server has come to it. */
export function mark(): { readonly reached: Promise<void>; readonly chunk: PromiseLike<void> } {
	const { shut, open } = gate();
	return {
		reached: shut,
		chunk: {
			then: (...handlers) => {
				open();
				return shut.then(...handlers);
			}
		}
	};
}

interface DeskOptions {
	readonly tree?: Grower;
	readonly session?: Partial<Session>;
	/** The model's window in tokens. Of 8,192: safe limit 6,144, auto threshold 5,836, tail 1,229. */
	readonly window?: number;
}

/** One stored session, the server its model answers from, and the tabs that are open on it. */
export class Desk {
	/** What happens at each write of any tab: a full disk, for one. */
	intrusion: Intrusion | null = null;

	private constructor(
		readonly server: OpenAIServer,
		readonly db: HiloDatabase,
		readonly id: SessionId
	) {}

	static async of({ tree = grow(), session, window = 8192 }: DeskOptions = {}): Promise<Desk> {
		const [server, db] = await Promise.all([OpenAIServer.start(), freshDatabase()]);
		const { id } = await store(db, tree, session);
		const model = { model: 'm', name: 'm', contextWindow: window, maxOutput: null };
		await new Models(db).save({
			id: 'p',
			name: 'A provider',
			baseURL: server.baseURL,
			models: [{ ...model, learntWindow: null }]
		});
		page.hasFocus = false;
		onTestFinished(async () => {
			await server.stop();
			db.close();
		});
		return new Desk(server, db, id);
	}

	/** Opens the session as a tab does, on a connection of its own. Closed with the test. */
	async open(worker: Partial<Compute> = {}): Promise<Conversation> {
		const db = await connect(this.db.name, () => this.intrusion);
		const models = new Models(db);
		const settings = new Settings(db);
		await Promise.all([models.load(), settings.load()]);
		const conversation = await Conversation.open(this.id, {
			db,
			worker: { ...compute, ...worker },
			models,
			settings,
			openSettings: () => {},
			openSession: () => {},
			onFirstAnswer: () => {}
		});
		if (!conversation) throw new Error('There is no such session.');
		onTestFinished(async () => {
			this.intrusion = null;
			await conversation.close();
			db.close();
		});
		return conversation;
	}

	/** The questions the provider was asked, summaries left out. */
	get asked(): RecordedRequest[] {
		return this.server.chats.filter((chat) => !isSummary(chat));
	}

	/** The summaries the provider was asked for; a small window may take several to a checkpoint. */
	get summaries(): RecordedRequest[] {
		return this.server.chats.filter(isSummary);
	}

	/** The session as it is stored. */
	async row(): Promise<Session> {
		const row = await this.db.sessions.get(this.id);
		if (!row) throw new Error('The session is gone.');
		return row;
	}

	/** The stored branch of the session, oldest first. */
	async branch(): Promise<readonly Message[]> {
		const { leafId } = await this.row();
		if (leafId === null) return [];
		const read = await readWhole(this.db, leafId);
		if (read.kind === 'damaged') throw new Error(read.what);
		return read.messages;
	}

	/** Changes the stored session as another tab does whose change no tab here has heard of yet. */
	async unheard(change: Partial<Session>): Promise<void> {
		const row = { ...(await this.row()), ...change };
		const rows = this.db.backendDB().transaction('sessions', 'readwrite').objectStore('sessions');
		await new Promise((resolve) => rows.put(row).addEventListener('success', resolve));
	}

	/** From now on no write finds room, until `intrusion` is null again. `from` counts writes, 1 the next. */
	fillDisk(from = 1): void {
		this.intrusion = {
			on: 'write',
			at: (operation) => {
				if (operation >= from) throw new DOMException('The disk is full.', 'QuotaExceededError');
			}
		};
	}
}

const isSummary = (chat: RecordedRequest) =>
	wireText(chat.body?.messages.at(-1)).includes('<transcript>');

export function write(conversation: Conversation, text: string): void {
	conversation.setDraft({ text, files: [] });
}

/** Writes a message and sends it; resolves as `send` does, with the answer under way. */
export function say(conversation: Conversation, text: string): Promise<void> {
	write(conversation, text);
	return conversation.send();
}

/** Waits until nothing goes on: no answer, no compaction, no message that waits. */
export function settled(conversation: Conversation): Promise<void> {
	return until(() => !conversation.isBusy && conversation.run === null, 'nothing goes on');
}

/** Says something and waits until all that follows from it is over. */
export async function ask(conversation: Conversation, text: string): Promise<void> {
	await say(conversation, text);
	await settled(conversation);
}

/** What messages say, each after the first letter of its role: `u: hello`. */
export function lines(messages: readonly Message[]): string[] {
	return messages.map((message) => `${message.role.charAt(0)}: ${textOf(message)}`);
}

/** The text of a message, or of an answer on its way. A checkpoint has none. */
export function textOf(message: { readonly parts: readonly Part[] } | null | undefined): string {
	return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** What a request said, as `lines` shows messages. */
export function wireLines(request: RecordedRequest | undefined): string[] {
	return (request?.body?.messages ?? []).map(
		(message) => `${message.role.charAt(0)}: ${wireText(message)}`
	);
}

/** A tree of so many turns, each of about `tokens` tokens. */
export function turns(count: number, tokens: number): Grower {
	const tree = grow();
	for (let turn = 1; turn <= count; turn++) {
		tree.talk(`Question ${turn}`, words(tokens - 12, turn));
	}
	return tree;
}

/** Messages whose presence a test has to take as given. */
export function must<T>(value: T | null | undefined): T {
	if (value === null || value === undefined) throw new Error('It is not there.');
	return value;
}
