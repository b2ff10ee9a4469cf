import type { Examination } from '../history/integrity';
import { rebuild, type Birth, type Rebuilt } from '../history/rebuild';
import type { Session } from '../history/session';
import type { HiloDatabase } from './database';
import { addSession } from './sessions';

/**
 * Makes a new session, in a tree of its own, from what can be read of a damaged one, in one transaction. The damaged one
 * is only read. Rule H59.
 * @param session the damaged session, as far as it can be read
 * @throws StorageError when the database refused; nothing of the copy is stored then
 */
export async function repairSession(
	db: HiloDatabase,
	session: Session,
	examination: Examination,
	birth: Birth,
	now: number
): Promise<{ readonly session: Session; readonly rebuilt: Rebuilt }> {
	const rebuilt = rebuild(examination, birth);
	const { messages, ids } = rebuilt;
	const { title, model, instructions, template, draft, pins = [] } = session;
	const copy: Session = {
		id: birth.sessionId,
		treeId: birth.treeId,
		leafId: messages.at(-1)?.id ?? null,
		branchRevision: 0,
		title: `${title || 'New conversation'} (repaired)`,
		createdAt: now,
		updatedAt: now,
		model,
		instructions,
		template,
		draft,
		pinned: false,
		pins: pins.flatMap((pin) => {
			if (pin.kind === 'reference') return pin;
			const messageId = ids.get(pin.messageId);
			return messageId === undefined ? [] : { ...pin, messageId };
		})
	};
	await addSession(db, copy, messages);
	return { session: copy, rebuilt };
}
