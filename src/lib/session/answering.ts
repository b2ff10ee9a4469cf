import type { AssistantMetadata, Part } from '$lib/history/message';
import type { Run } from '$lib/history/run';
import type { ModelRequest } from '$lib/context/request';
import type { AnswerEnd, FilePartLoader, Room, ToolCallContext } from '$lib/models/answer';
import type { ProviderConfig } from '$lib/models/provider';
import type { HiloDatabase } from '$lib/storage/database';
import { saveRun } from '$lib/storage/runs';
import { readAttachment } from '$lib/storage/attachments';

/** The database is at most this far behind the screen, in milliseconds. The promise is one second. */
const SAVE_EVERY = 250;

export interface AnsweringOptions {
	readonly db: HiloDatabase;
	readonly run: Run;
	readonly provider: ProviderConfig;
	readonly request: ModelRequest;
	readonly executeTool: (name: string, input: unknown, call: ToolCallContext) => Promise<unknown>;
	/** The room that the steps of the answer have together. */
	readonly room: Omit<Room, 'messageId'>;
	readonly signal: AbortSignal;
	readonly onParts: (parts: readonly Part[]) => void;
	/** A write of the answer so far failed; the answer goes on. */
	readonly onSaveError: (error: unknown) => void;
}

/** Asks the model and keeps the answer in its run row while it grows. Resolves with how it ended; never rejects. */
export async function answer(options: AnsweringOptions): Promise<AnswerEnd> {
	// The SDK is heavy: it is loaded with the first message, not with the app.
	const { streamAnswer } = await import('$lib/models/answer');
	const saver = new Saver(options);
	let end: AnswerEnd | null = null;
	try {
		for await (const event of streamAnswer({
			provider: options.provider,
			model: options.run.model,
			request: options.request,
			executeTool: options.executeTool,
			room: { ...options.room, messageId: options.run.messageId },
			loadFile: fileLoader(options.db),
			signal: options.signal,
			now: Date.now
		})) {
			options.onParts(event.parts);
			if (event.type === 'parts') saver.note(event.parts);
			else end = event;
		}
	} finally {
		await saver.stop();
	}
	return end ?? { type: 'end', finish: 'other', parts: [], durationMs: 0 };
}

/** Writes the newest parts some time after they came, one write at a time. */
class Saver {
	#parts: readonly Part[] | null = null;
	#timer: ReturnType<typeof setTimeout> | null = null;
	#writing: Promise<void> = Promise.resolve();

	constructor(private readonly options: AnsweringOptions) {}

	note(parts: readonly Part[]): void {
		this.#parts = parts;
		this.#timer ??= setTimeout(() => this.#write(), SAVE_EVERY);
	}

	async stop(): Promise<void> {
		if (this.#timer) clearTimeout(this.#timer);
		await this.#writing;
	}

	#write(): void {
		const { db, run, onSaveError } = this.options;
		const parts = this.#parts ?? [];
		this.#timer = null;
		this.#writing = this.#writing
			.then(() => saveRun(db, run, parts, Date.now()))
			.then(() => undefined, onSaveError);
	}
}

/** What a durable answer remembers of how it came about. */
export function metadataOf(run: Run, end: AnswerEnd): AssistantMetadata {
	return {
		model: run.model,
		finish: end.finish,
		...(end.usage ? { usage: end.usage } : {}),
		...(end.totalUsage ? { totalUsage: end.totalUsage } : {}),
		...(end.hasLeftOut ? { hasLeftOut: true } : {}),
		...(end.failure ? { errorText: end.failure.title } : {}),
		durationMs: end.durationMs
	};
}

/** Whether anything arrived that is worth keeping. */
export function saysSomething(parts: readonly Part[]): boolean {
	return parts.some(
		(part) =>
			(part.type === 'text' && part.text.trim() !== '') ||
			part.type === 'dynamic-tool' ||
			(part.type === 'reasoning' && part.text.trim() !== '')
	);
}

function fileLoader(db: HiloDatabase): FilePartLoader {
	return async (part) => {
		const row = await readAttachment(db, part.sha256);
		if (!row) return {};
		return part.mediaType.startsWith('image/')
			? { dataUrl: await dataUrl(row.blob) }
			: { text: await row.blob.text() };
	};
}

function dataUrl(blob: Blob): Promise<string> {
	return new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result));
		reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'));
		reader.readAsDataURL(blob);
	});
}
