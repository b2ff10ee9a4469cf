import { expose, proxy } from 'comlink';
import { openTranscript } from '../compaction/transcript';
import { estimateText } from '../context/estimate';
import { measureMessage } from '../context/measure';
import { searchMessages } from '../context/recall';
import type { WorkerApi } from './api';

const api: WorkerApi = {
	estimate: estimateText,
	measure: (messages) => messages.map(measureMessage),
	read: (pull, options) => proxy(openTranscript(pull, options)),
	search: searchMessages,
	readImport: async (file, context) => {
		// The codecs are loaded with the first import.
		const { readImport, tooLarge } = await import('../transfer/import');
		return tooLarge(file.size) ?? readImport(file.name, await file.text(), context);
	}
};

expose(api);
