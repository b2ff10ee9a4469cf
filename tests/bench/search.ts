import { plainText, searchMessages } from '../../src/lib/context/recall';
import type { ConversationMessage, MessageId } from '../../src/lib/history/message';
import { SearchIndex, type SearchEntry } from '../../src/lib/worker/search-index';
import { grow } from '../support/tree';
import { median, round, table } from './table';

const CHUNK = 1000;
const WORDS = 40;
/** Words of a large vocabulary, the n-th about as frequent as 1 / n: as words of a language are. */
const VOCABULARY = 30_000;

/** Searches in a long branch: the index built chunk by chunk, then queries of rare, common and mistyped words. */
export async function searches(): Promise<void> {
	const rows = [];
	for (const count of [10_000, 100_000]) {
		const { messages, draw } = history(count);
		const leafId = messages.at(-1)?.id ?? ('' as MessageId);
		globalThis.gc?.();
		const heapBefore = process.memoryUsage().heapUsed;
		const index = new SearchIndex();
		const started = performance.now();
		for (let from = 0; from < count; from += CHUNK) {
			index.add(messages.slice(from, from + CHUNK).map(entryOf));
		}
		const buildMs = performance.now() - started;
		globalThis.gc?.();
		const heap = process.memoryUsage().heapUsed - heapBefore;
		const firstMs = timed(() => index.find(leafId, 'nothing'));

		const times = queries(draw).map((query) => timed(() => index.find(leafId, query)));
		const sorted = times.toSorted((a, b) => a - b);
		const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
		const p50 = at(0.5);
		const asked = queries(draw).slice(0, 15);
		let next = 0;
		const scan = await median(15, () => searchMessages(messages, asked[next++] ?? ''));
		// What a scan in the worker pays besides: the branch is copied there for each.
		const copy = await median(3, () => structuredClone(messages));
		rows.push({
			messages: count,
			'build ms a 10k': round((buildMs * 10_000) / count, 0),
			'heap MB': round(heap / 1e6, 0),
			'first ms': round(firstMs, 1),
			'p50 ms': round(p50),
			'p95 ms': round(at(0.95), 1),
			'max ms': round(at(1), 1),
			'scan ms': round(scan, 0),
			'its copy ms': round(copy, 0),
			ratio: round((scan + copy) / p50, 0)
		});
	}
	table(`Searching a branch of messages of ${WORDS} words (goal: p95 at most 50 ms)`, rows);
}

/** Searches as models make them: one to three words, from the most frequent to the rarest, some with a slip. */
function queries(draw: () => string): string[] {
	return Array.from({ length: 200 }, (_, n) => {
		const words = Array.from({ length: 1 + (n % 3) }, draw);
		if (n % 10 === 0) return `${words.join(' ')}x`;
		if (n % 10 === 5) return words.join(' ').slice(0, -1);
		return words.join(' ');
	});
}

function history(count: number) {
	let seed = 7;
	const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
	const draw = () => wordOf(Math.floor(Math.exp(random() * Math.log(VOCABULARY))));
	const tree = grow();
	const messages: ConversationMessage[] = [];
	for (let n = 0; n < count; n++) {
		const text = `${Array.from({ length: WORDS }, draw).join(' ')} ${n}`;
		messages.push(n % 2 === 0 ? tree.user(text) : tree.answer(text));
	}
	return { messages, draw };
}

const syllables = 'ka re mi to sun la ven do chi par eth ol'.split(' ');
function wordOf(rank: number): string {
	let word = '';
	for (let left = rank; left > 0; left = Math.floor(left / syllables.length)) {
		word += syllables[left % syllables.length];
	}
	return word;
}

const entryOf = (message: ConversationMessage): SearchEntry => ({
	id: message.id,
	parentId: message.parentId,
	depth: message.depth,
	text: plainText(message)
});

function timed(work: () => unknown): number {
	const started = performance.now();
	work();
	return performance.now() - started;
}
