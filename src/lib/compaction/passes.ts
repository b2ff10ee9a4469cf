import type { Block } from './serialise';

/**
 * Packs a transcript into passes of at most `budget` tokens, in order, each block in exactly one. A turn that fits a pass
 * is never divided; a larger one fills passes up block by block. Always ends: a pass takes at least one block. It holds
 * the pass it fills and the turn it reads, and nothing else of the transcript. Rules C47, C48.
 */
export async function* packPasses(
	blocks: Iterable<Block> | AsyncIterable<Block>,
	budget: number
): AsyncGenerator<readonly Block[]> {
	let pass: Block[] = [];
	let used = 0;
	let turn: Block[] = [];
	let turnTokens = 0;

	const add = (block: Block) => {
		pass.push(block);
		used += block.tokens;
	};
	const close = () => {
		const closed = pass;
		pass = [];
		used = 0;
		return closed;
	};
	/** Moves the turn read so far into passes; its blocks may be divided only where it is over the budget. */
	function* flush() {
		if (turnTokens <= budget && used + turnTokens > budget && pass.length > 0) yield close();
		for (const block of turn) {
			if (used + block.tokens > budget && pass.length > 0) yield close();
			add(block);
		}
		turn = [];
	}

	for await (const block of blocks) {
		if (block.startsTurn) {
			yield* flush();
			turnTokens = 0;
		}
		turn.push(block);
		turnTokens += block.tokens;
		// Over the budget: it will be divided anyway, so nothing more of it need be held.
		if (turnTokens > budget) yield* flush();
	}
	yield* flush();
	if (pass.length > 0) yield close();
}
