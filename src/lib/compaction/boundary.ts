import type { ConversationMessage, MessageId } from '../history/message';
import { isAnswered, turnsOf, type Turn } from '../history/turns';
import type { Measure } from '../context/measure';

/** Where verbatim text resumes: what a new checkpoint covers, and what it keeps. */
export interface Boundary {
	/** The first kept message, always a user's, or null when nothing before the checkpoint stays verbatim. */
	readonly firstKeptMessageId: MessageId | null;
	/** Newly folded into the summary, oldest first. Empty when the boundary does not advance. */
	readonly covered: readonly ConversationMessage[];
	readonly kept: readonly ConversationMessage[];
}

/** What a boundary is chosen from. */
export interface BoundaryInput {
	/** Everything the newest checkpoint has not summarised, oldest first: candidates never lie before it (monotone). */
	readonly open: readonly ConversationMessage[];
	/** Tokens the kept turns may take. */
	readonly tailBudget: number;
	readonly measure: Measure;
	/** A manual first checkpoint covers at least the first turn, even where everything would fit the tail. */
	readonly coverFirstTurn: boolean;
}

/**
 * Chooses the boundary: walk back from the leaf, keep whole turns while they fit the budget. A turn is never divided,
 * so the boundary is always the start of a user turn. Rules C30–C35.
 */
export function chooseBoundary(input: BoundaryInput): Boundary {
	const turns = turnsOf(input.open);
	let first = turns.length;
	let total = 0;
	for (let index = turns.length - 1; index >= 0; index--) {
		const turn = turns[index];
		if (!turn) break;
		total += turnTokens(turn, input.measure);
		const isUnansweredLeaf = index === turns.length - 1 && !isAnswered(turn);
		if (total > input.tailBudget && !isUnansweredLeaf) break;
		first = index;
	}
	if (first === 0 && input.coverFirstTurn && turns.length > 1) first = 1;
	// Only the first turn of a history can lack its user message; no boundary can stand there.
	if (first === 0 && turns[0]?.startsWithUser === false) first = 1;

	const covered = turns.slice(0, first).flatMap((turn) => turn.messages);
	const kept = turns.slice(first).flatMap((turn) => turn.messages);
	return { firstKeptMessageId: kept[0]?.id ?? null, covered, kept };
}

/** Estimated tokens of a turn. */
export function turnTokens(turn: Turn, measure: Measure): number {
	return turn.messages.reduce((sum, message) => sum + measure(message), 0);
}
