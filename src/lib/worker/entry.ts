import { expose, proxy } from 'comlink';
import { openTranscript } from '../compaction/transcript';
import { estimateText } from '../context/estimate';
import { measureMessage } from '../context/measure';
import { searchMessages } from '../context/recall';
import type { WorkerApi } from './api';
import { SearchIndexes } from './search-index';

const indexes = new SearchIndexes();

const api: WorkerApi = {
	estimate: estimateText,
	measure: (messages) => messages.map(measureMessage),
	read: (pull, options) => proxy(openTranscript(pull, options)),
	search: searchMessages,
	unindexed: (tree, from) => indexes.of(tree).missing(from),
	index: (tree, entries) => indexes.of(tree).add(entries),
	find: (tree, leafId, query) => indexes.of(tree).find(leafId, query),
	readImport: async (file, context) => {
		// The codecs are loaded with the first import.
		const { readImport, tooLarge } = await import('../transfer/import');
		return tooLarge(file.size) ?? readImport(file.name, await file.text(), context);
	}
};

expose(api);
