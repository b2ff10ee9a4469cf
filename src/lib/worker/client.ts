import { proxy, releaseProxy, wrap } from 'comlink';
import { inBatches } from '../compaction/batches';
import type { Transcript, TranscriptOptions } from '../compaction/transcript';
import type { FileTexts } from '../context/files';
import type { ConversationMessage } from '../history/message';
import type { WorkerApi } from './api';

/** The worker's calls as the page makes them. */
export type Compute = {
	readonly [Name in Exclude<keyof WorkerApi, 'read'>]: (
		...args: Parameters<WorkerApi[Name]>
	) => Promise<Awaited<ReturnType<WorkerApi[Name]>>>;
} & {
	/** Opens messages as a transcript. They are copied to the worker batch by batch, as it is read, with their files' texts. */
	read(
		messages: readonly ConversationMessage[],
		options: TranscriptOptions,
		files?: FileTexts
	): Promise<Transcript>;
};

/**
 * Starts the one compute worker. A call rejects with the worker's error, and also when the worker itself could not be
 * loaded or has died: nothing may wait for it for ever.
 */
export function startWorker(): Compute {
	const worker = new Worker(new URL('./entry.ts', import.meta.url), { type: 'module' });
	const remote = wrap<WorkerApi>(worker);
	const broken = new Promise<never>((_, reject) => {
		worker.addEventListener('error', (event) =>
			reject(new Error(`A part of Hilo could not be run: ${event.message || 'it did not load'}.`))
		);
	});
	broken.catch(() => undefined);
	const orBroken = <T>(call: T): Promise<Awaited<T>> => Promise.race([call, broken]);
	return {
		estimate: (text) => orBroken(remote.estimate(text)),
		measure: (messages) => orBroken(remote.measure(messages)),
		read: async (messages, options, files) => {
			const pull = proxy(inBatches(messages, files));
			const transcript = await orBroken(remote.read(pull, options));
			return {
				next: () => orBroken(transcript.next()),
				references: () => orBroken(transcript.references()),
				close: async () => {
					await orBroken(transcript.close());
					transcript[releaseProxy]();
				}
			};
		},
		search: (messages, query) => orBroken(remote.search(messages, query)),
		unindexed: (tree, from) => orBroken(remote.unindexed(tree, from)),
		index: (tree, entries) => orBroken(remote.index(tree, entries)),
		find: (tree, leafId, query) => orBroken(remote.find(tree, leafId, query)),
		readImport: (file, context) => orBroken(remote.readImport(file, context))
	};
}
