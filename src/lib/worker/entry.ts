import { expose } from 'comlink';
import { findReferences } from '../compaction/references';
import { serialise } from '../compaction/serialise';
import { estimateText } from '../context/estimate';
import { measureMessage } from '../context/measure';
import { searchMessages } from '../context/recall';
import type { WorkerApi } from './api';

const api: WorkerApi = {
	estimate: estimateText,
	measure: (messages) => messages.map(measureMessage),
	read: (messages, limits, previous) => ({
		blocks: serialise(messages, limits),
		references: findReferences(messages, previous)
	}),
	search: searchMessages
};

expose(api);
