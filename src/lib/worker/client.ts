import { wrap } from 'comlink';
import type { WorkerApi } from './api';

/** The worker's calls as the page makes them. */
export type Compute = {
	readonly [Name in keyof WorkerApi]: (
		...args: Parameters<WorkerApi[Name]>
	) => Promise<Awaited<ReturnType<WorkerApi[Name]>>>;
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
		read: (messages, limits, previous) => orBroken(remote.read(messages, limits, previous)),
		search: (messages, query) => orBroken(remote.search(messages, query)),
		readImport: (file, context) => orBroken(remote.readImport(file, context))
	};
}
