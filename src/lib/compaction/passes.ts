import type { Block } from './serialise';

/**
 * Packs a transcript into passes of at most `budget` tokens, in order, each block in exactly one. A turn that fits a pass
 * is never divided; a larger one fills passes up block by block. Always ends: a pass takes at least one block. Rules
 * C47, C48.
 */
export function packPasses(blocks: readonly Block[], budget: number): Block[][] {
	const passes: Block[][] = [];
	let pass: Block[] = [];
	let used = 0;
	const close = () => {
		if (pass.length > 0) passes.push(pass);
		pass = [];
		used = 0;
	};
	for (const turn of turnsIn(blocks)) {
		const tokens = turn.reduce((sum, block) => sum + block.tokens, 0);
		if (tokens <= budget && used + tokens > budget) close();
		for (const block of turn) {
			if (used + block.tokens > budget) close();
			pass.push(block);
			used += block.tokens;
		}
	}
	close();
	return passes;
}

function turnsIn(blocks: readonly Block[]): Block[][] {
	const turns: Block[][] = [];
	for (const block of blocks) {
		const turn = turns.at(-1);
		if (block.startsTurn || !turn) turns.push([block]);
		else turn.push(block);
	}
	return turns;
}
