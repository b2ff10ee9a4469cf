import { findReferences } from '../../src/lib/compaction/references';
import { inBatches } from '../../src/lib/compaction/batches';
import { openTranscript } from '../../src/lib/compaction/transcript';
import { estimateText } from '../../src/lib/context/estimate';
import { searchMessages } from '../../src/lib/context/recall';
import type { ConversationMessage } from '../../src/lib/history/message';
import { corpus } from '../fixtures/corpus';
import { grow } from '../support/tree';
import { round, table } from './table';

/** What the worker does with a large history: time grows with the text, memory with a pass. */
export async function transcripts(): Promise<void> {
	const rows = [];
	for (const tokens of [50_000, 500_000, 5_000_000]) {
		const messages = historyOf(tokens);
		const { readMs, ...read } = await readAll(messages);
		const [, referencesMs] = await timed(async () => findReferences(messages, []));
		const [, searchMs] = await timed(async () => searchMessages(messages, 'delayed test recall'));
		rows.push({
			tokens: read.tokens,
			messages: messages.length,
			passes: read.passes,
			'read ms': round(readMs, 0),
			'µs a 1000 tokens': round((readMs * 1e6) / tokens, 0),
			'references alone ms': round(referencesMs, 0),
			'search ms': round(searchMs, 0),
			'text MB': round(read.characters / 1e6, 1),
			'largest pass MB': round((2 * read.largest) / 1e6, 2),
			'heap peak MB': round(read.peak / 1e6, 2)
		});
	}
	table(
		'Reading a history in passes of 100,000 tokens, finding its references, searching it',
		rows
	);
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

/** Tokens of one pass: what a summariser of a window of 128k reads at once. */
const ROOM = 100_000;

/** Reads a transcript to its end, as a compaction does, and looks at the heap between passes. */
async function readAll(messages: readonly ConversationMessage[]) {
	globalThis.gc?.();
	const before = process.memoryUsage().heapUsed;
	const transcript = openTranscript(inBatches(messages), {
		limits: { toolResult: 2000, block: 20_000 },
		room: ROOM,
		first: [],
		references: []
	});
	const read = { tokens: 0, characters: 0, passes: 0, largest: 0, peak: 0, readMs: 0 };
	// Collecting garbage takes longer than reading, and is the bench's.
	const next = async () => {
		const [pass, ms] = await timed(() => transcript.next());
		read.readMs += ms;
		return pass;
	};
	for (let pass = await next(); pass; pass = await next()) {
		const characters = pass.reduce((sum, block) => sum + block.text.length, 0);
		read.tokens += pass.reduce((sum, block) => sum + block.tokens, 0);
		read.characters += characters;
		read.largest = Math.max(read.largest, characters);
		read.passes++;
		globalThis.gc?.();
		read.peak = Math.max(read.peak, process.memoryUsage().heapUsed - before);
	}
	return read;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
	const started = performance.now();
	const result = await work();
	return [result, performance.now() - started];
}
