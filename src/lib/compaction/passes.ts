import type { Block } from './serialise';

/**
 * Packs a transcript into passes of at most `budget` tokens, in order, each block in exactly one. A pass ends at a user
 * turn where it can; a turn larger than a pass is divided between blocks. Always ends: a pass takes at least one block.
 */
export function packPasses(blocks: readonly Block[], budget: number): Block[][] {
	const passes: Block[][] = [];
	let start = 0;
	while (start < blocks.length) {
		const end = passEnd(blocks, start, budget);
		passes.push(blocks.slice(start, end));
		start = end;
	}
	return passes;
}

function passEnd(blocks: readonly Block[], start: number, budget: number): number {
	let tokens = 0;
	let end = start;
	let turn = start;
	for (; end < blocks.length; end++) {
		const block = blocks[end];
		if (!block) break;
		if (block.startsTurn && end > start) turn = end;
		if (tokens + block.tokens > budget && end > start) break;
		tokens += block.tokens;
	}
	if (end === blocks.length) return end;
	// The block that did not fit may itself start a turn: then `turn` is already `end`.
	return turn > start ? turn : end;
}
