import { wrap, type Remote } from 'comlink';
import type { WorkerApi } from './api';

/** Starts the one compute worker. Its calls resolve in order; a failed one rejects with the worker's error. */
export function startWorker(): Remote<WorkerApi> {
	return wrap<WorkerApi>(new Worker(new URL('./entry.ts', import.meta.url), { type: 'module' }));
}
