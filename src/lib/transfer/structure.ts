import type { Message, MessageId, TreeId } from '../history/message';
import { ancestryOf } from './ancestry';

/**
 * Checks that messages form whole trees, and returns for each tree that does not the first thing wrong with it.
 * A parent is always exactly one step up, so a cycle cannot pass. Several roots may share a tree: editing the first
 * message makes one.
 */
export function faultsOf(messages: readonly Message[]): ReadonlyMap<TreeId, string> {
	const faults = new Map<TreeId, string>();
	const report = (tree: TreeId, sentence: string) => {
		if (!faults.has(tree)) faults.set(tree, sentence);
	};

	const indexOf = new Map<MessageId, number>();
	messages.forEach((message, index) => {
		const earlier = messages[indexOf.get(message.id) ?? -1];
		if (!earlier) return void indexOf.set(message.id, index);
		// Which of the two is the right one cannot be known.
		for (const { treeId } of [earlier, message])
			report(treeId, `two messages have the same id ${message.id}`);
	});

	const parents = messages.map(({ parentId }) =>
		parentId === null ? null : (indexOf.get(parentId) ?? -1)
	);
	const isAbove = ancestryOf(parents);
	messages.forEach((message, index) => {
		const parent = messages[parents[index] ?? -1] ?? null;
		const sentence =
			placeFault(message, parent) ??
			checkpointFault(message, index, parent, messages, indexOf, isAbove);
		if (sentence) report(message.treeId, sentence);
		// A branch that grows out of another tree makes both unsound.
		if (sentence && parent && parent.treeId !== message.treeId) report(parent.treeId, sentence);
	});
	return faults;
}

function placeFault(message: Message, parent: Message | null): string | null {
	const { id, parentId, depth } = message;
	if (parentId === null)
		return depth === 0
			? null
			: `message ${id} has no parent but stands at depth ${depth} instead of 0`;
	if (!parent) return `the parent ${parentId} of message ${id} is not in the file`;
	if (parent.treeId !== message.treeId)
		return `message ${id} and its parent ${parentId} are in different trees`;
	if (depth !== parent.depth + 1)
		return `message ${id} stands at depth ${depth}, but its parent ${parentId} at ${parent.depth}`;
	return null;
}

function checkpointFault(
	message: Message,
	index: number,
	parent: Message | null,
	messages: readonly Message[],
	indexOf: ReadonlyMap<MessageId, number>,
	isAbove: (above: number, below: number) => boolean
): string | null {
	const inherited = parent?.checkpointId ?? null;
	if (message.role !== 'checkpoint')
		return message.checkpointId === inherited
			? null
			: `message ${message.id} names ${message.checkpointId ?? 'no checkpoint'} as its newest checkpoint, its parent ${inherited ?? 'none'}`;

	const { firstKeptMessageId, previousCheckpointId, summary } = message.checkpoint;
	const name = `checkpoint ${message.id}`;
	if (!parent) return `${name} has no parent`;
	if (summary.trim() === '') return `${name} has no summary`;
	if (message.checkpointId !== message.id)
		return `${name} does not name itself as newest checkpoint`;
	if (previousCheckpointId !== inherited)
		return `${name} follows ${previousCheckpointId ?? 'no checkpoint'}, but the newest above it is ${inherited ?? 'none'}`;
	if (firstKeptMessageId === null) return null;
	const kept = indexOf.get(firstKeptMessageId);
	if (kept === undefined) return `the boundary ${firstKeptMessageId} of ${name} is not in the file`;
	if (!isAbove(kept, index))
		return `the boundary ${firstKeptMessageId} of ${name} is not on its branch`;
	if (messages[kept]?.role !== 'user')
		return `the boundary ${firstKeptMessageId} of ${name} is not a user message`;
	return null;
}
