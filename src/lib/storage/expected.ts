import type { MessageId, SessionId } from '../history/message';
import type { Session } from '../history/session';
import type { HiloDatabase } from './database';

/** What a writer believes the branch to be. The compare of compare-and-swap. */
export interface Expected {
	readonly sessionId: SessionId;
	readonly leafId: MessageId | null;
	readonly branchRevision: number;
}

/** The belief that goes with a session row. */
export function expectedOf(session: Session): Expected {
	return {
		sessionId: session.id,
		leafId: session.leafId,
		branchRevision: session.branchRevision
	};
}

/** The session if it is still as expected, or null: the belief is stale. Only inside a transaction. */
export async function compare(db: HiloDatabase, expected: Expected): Promise<Session | null> {
	const session = await db.sessions.get(expected.sessionId);
	const same =
		session?.leafId === expected.leafId && session.branchRevision === expected.branchRevision;
	return same ? session : null;
}

/** The session with another leaf: the swap. The revision rises with every change of leaf. */
export function withLeaf(session: Session, leafId: MessageId | null, now: number): Session {
	return { ...session, leafId, branchRevision: session.branchRevision + 1, updatedAt: now };
}
