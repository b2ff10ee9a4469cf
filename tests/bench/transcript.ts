import { packPasses } from '../../src/lib/compaction/passes';
import { findReferences } from '../../src/lib/compaction/references';
import { serialise } from '../../src/lib/compaction/serialise';
import { estimateText } from '../../src/lib/context/estimate';
import { searchMessages } from '../../src/lib/context/recall';
import type { ConversationMessage } from '../../src/lib/history/message';
import { corpus } from '../fixtures/corpus';
import { grow } from '../support/tree';
import { round, table } from './table';

/** What the worker does with a large history: time and memory grow with the text, not faster. */
export function transcripts(): void {
	const rows = [];
	for (const tokens of [50_000, 500_000, 5_000_000]) {
		const messages = historyOf(tokens);
		globalThis.gc?.();
		const before = process.memoryUsage().heapUsed;
		const [blocks, serialiseMs] = timed(() =>
			serialise(messages, { toolResult: 2000, block: 20_000 })
		);
		const heap = process.memoryUsage().heapUsed - before;
		const [passes] = timed(() => packPasses(blocks, 100_000));
		const [, referencesMs] = timed(() => findReferences(messages, []));
		const [, searchMs] = timed(() => searchMessages(messages, 'delayed test recall'));
		const characters = blocks.reduce((sum, block) => sum + block.text.length, 0);
		rows.push({
			tokens: blocks.reduce((sum, block) => sum + block.tokens, 0),
			messages: messages.length,
			passes: passes.length,
			'serialise ms': round(serialiseMs, 0),
			'µs a 1000 tokens': round((serialiseMs * 1e6) / tokens, 0),
			'references ms': round(referencesMs, 0),
			'search ms': round(searchMs, 0),
			'text MB': round(characters / 1e6, 1),
			'heap grew MB': round(heap / 1e6, 1)
		});
	}
	table('Serialising a history, finding its references, searching it', rows);
}

function historyOf(tokens: number): readonly ConversationMessage[] {
	const texts = Object.values(corpus);
	const tree = grow();
	const messages: ConversationMessage[] = [];
	let left = tokens;
	for (let n = 0; left > 0; n++) {
		const text = `${texts[n % texts.length]} (${n})\n${texts[(n + 3) % texts.length]}`;
		left -= estimateText(text);
		messages.push(n % 2 === 0 ? tree.user(text) : tree.answer(text));
	}
	return messages;
}

function timed<T>(work: () => T): [T, number] {
	const started = performance.now();
	const result = work();
	return [result, performance.now() - started];
}
