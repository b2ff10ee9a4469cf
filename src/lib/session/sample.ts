import type {
	Message,
	MessageDraft,
	MessageId,
	ModelRef,
	SessionId,
	TreeId
} from '$lib/history/message';
import { emptyDraft, type Session } from '$lib/history/session';
import { attach } from '$lib/history/tree';
import { sampleTurns } from './sample-turns';

/** Marks each message, so that nobody takes the sample for their own work. */
const source = { format: 'sample' };

/** Between a message and the next, ms. The last one is as old as this, so that the sample is the newest session. */
const PAUSE = 90_000;

/**
 * The research session a newcomer can open first. It fills more than half of the offline model's window, so that one or
 * two questions of their own bring the first compaction.
 * @param ids makes a new id at each call
 * @param now epoch milliseconds
 * @param model the model that the answers are said to come from, and that the session goes on with
 */
export function sampleResearch(
	ids: () => string,
	now: number,
	model: ModelRef
): { session: Session; messages: Message[] } {
	// The caller's ids are new by its word; here each gets its kind.
	const sessionId = ids() as SessionId;
	const treeId = ids() as TreeId;
	const drafts = sampleTurns.flatMap(({ user, answer }): MessageDraft[] => [
		{ role: 'user', parts: [{ type: 'text', text: user }], metadata: { source } },
		{ role: 'assistant', parts: answer, metadata: { model, finish: 'stop', source } }
	]);
	const start = now - drafts.length * PAUSE;
	const messages: Message[] = [];
	drafts.forEach((draft, index) =>
		messages.push(
			attach(draft, {
				id: ids() as MessageId,
				treeId,
				sessionId,
				now: start + index * PAUSE,
				parent: messages.at(-1) ?? null
			})
		)
	);
	const session: Session = {
		id: sessionId,
		treeId,
		leafId: messages.at(-1)?.id ?? null,
		branchRevision: 0,
		title: 'Sample: spacing and testing effects',
		createdAt: start,
		updatedAt: now,
		model,
		instructions: '',
		template: 'research',
		draft: emptyDraft,
		pinned: false
	};
	return { session, messages };
}
