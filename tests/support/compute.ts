import { inBatches } from '../../src/lib/compaction/batches';
import { openTranscript } from '../../src/lib/compaction/transcript';
import { estimateText } from '../../src/lib/context/estimate';
import { measureMessage } from '../../src/lib/context/measure';
import { searchMessages } from '../../src/lib/context/recall';
import { readImport } from '../../src/lib/transfer/import';
import type { Compute } from '../../src/lib/worker/client';
import { SearchIndexes } from '../../src/lib/worker/search-index';

/** One for all tests of a file, whose grown trees share ids: what searches long branches brings indexes of its own. */
const indexes = new SearchIndexes();

/** What the worker computes, by the same functions, without the worker. */
export const compute: Compute = {
	estimate: async (text) => estimateText(text),
	measure: async (messages) => messages.map(measureMessage),
	read: async (messages, options, files) => openTranscript(inBatches(messages, files), options),
	search: async (messages, query) => searchMessages(messages, query),
	unindexed: async (tree, from) => indexes.of(tree).missing(from),
	index: async (tree, entries) => indexes.of(tree).add(entries),
	find: async (tree, leafId, query) => indexes.of(tree).find(leafId, query),
	readImport: async (file, context) => readImport(file.name, await file.text(), context)
};
