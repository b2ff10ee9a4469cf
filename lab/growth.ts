import type { ConversationMessage } from '../src/lib/history/message';
import { attach } from '../src/lib/history/tree';
import { turnsOf, type Turn } from '../src/lib/history/turns';
import { branchOf } from './situation';
import type { Workbench } from './workbench';
import type { World } from './world';

/** A conversation that grows again: what is there, and the turns to come. */
export interface Growing {
	readonly bench: Workbench;
	readonly turns: readonly Turn[];
}

/**
 * The active branch, to be lived through again from its first turn: a session of its own, in a tree of its own, with new
 * ids, because a checkpoint in the middle gives every later message another parent, and messages never change. What was
 * said, by whom and when, stays as it is. Checkpoints it had, and other branches, stay behind.
 */
export function startAgain(bench: Workbench, world: World): Growing {
	const { session } = bench;
	const title = session.title.replace(/ \(replayed\)$/, '');
	return {
		bench: {
			...bench,
			session: {
				...session,
				id: world.newId(),
				treeId: world.newId(),
				leafId: null,
				branchRevision: 0,
				title: `${title} (replayed)`
			},
			messages: [],
			underWay: null
		},
		turns: turnsOf(branchOf(bench))
	};
}

/** Adds a turn at the leaf, as it was said. */
export function grow(bench: Workbench, turn: Turn, world: World): Workbench {
	const { session } = bench;
	const messages = [...bench.messages];
	let parent = messages.find((message) => message.id === session.leafId) ?? null;
	let { pins } = session;
	for (const said of turn.messages) {
		const place = { treeId: session.treeId, sessionId: session.id, now: said.createdAt };
		const message: ConversationMessage = attach(said, { ...place, id: world.newId(), parent });
		messages.push(message);
		pins = pins?.map((pin) =>
			pin.kind === 'message' && pin.messageId === said.id ? { ...pin, messageId: message.id } : pin
		);
		parent = message;
	}
	return {
		...bench,
		messages,
		session: {
			...session,
			leafId: parent?.id ?? null,
			branchRevision: session.branchRevision + turn.messages.length,
			...(pins ? { pins } : {})
		}
	};
}
