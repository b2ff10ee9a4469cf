import type { ModelMessage } from 'ai';

/** A request in which a tool call and its result are not a pair: a defect of ours. Most providers refuse it whole. */
export class PairError extends Error {
	override readonly name = 'PairError';
}

/**
 * Checks an assembled request before it is sent: each tool call has exactly one result, after it and before anything else
 * is said; each result has its call. Rule C117.
 * @throws PairError
 */
export function assertPairs(messages: readonly ModelMessage[]): void {
	/** Calls that wait for their result. Some servers give several calls one id: each still has its own result. */
	const open: string[] = [];
	const assertAnswered = () => {
		if (open.length > 0) throw new PairError(`The tool call ${open[0]} has no result.`);
	};
	for (const message of messages) {
		if (message.role !== 'tool') assertAnswered();
		if (typeof message.content === 'string') continue;
		for (const part of message.content) {
			if (part.type === 'tool-call') open.push(part.toolCallId);
			else if (part.type === 'tool-result') {
				const at = open.indexOf(part.toolCallId);
				if (at === -1) throw new PairError(`The result of ${part.toolCallId} has no tool call.`);
				open.splice(at, 1);
			}
		}
	}
	assertAnswered();
}
