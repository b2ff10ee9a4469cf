import { capacityOf, type Capacity } from '../src/lib/context/capacity';
import { imageCountOf } from '../src/lib/context/images';
import {
	cachedMeasure,
	estimatorOf,
	measureWithin,
	type Estimator
} from '../src/lib/context/measure';
import { project, verbatim, type Projection } from '../src/lib/context/projection';
import { pinnedText, toolsFor } from '../src/lib/context/recall';
import type { ToolSpec } from '../src/lib/context/request';
import { sentMessages, tokensPerResult } from '../src/lib/context/results';
import {
	type ConversationMessage,
	type Message,
	type MessageId,
	type PinnedText
} from '../src/lib/history/message';
import { attach, pathTo } from '../src/lib/history/tree';
import { planCompaction, type Plan } from '../src/lib/compaction/plan';
import { limitsOf } from '../src/lib/models/limits';
import { offlineModel } from '../src/lib/models/provider';
import { Fault } from './fault';
import type { Terms } from './terms';
import type { Workbench } from './workbench';

/** What the app knows when it makes a request: the branch, the model's room, the tools. */
export interface Situation {
	readonly branch: readonly Message[];
	readonly projection: Projection;
	readonly capacity: Capacity;
	readonly tools: readonly ToolSpec[];
	readonly provider: string;
	readonly pending: ConversationMessage | null;
	/** The most one tool result takes in what is sent. Tokens. */
	readonly resultLimit: number;
	readonly estimator: Estimator;
}

/** Messages are immutable and measured once, however often a session is planned. No usage report has taught a factor. */
const estimators = new Map<string, Estimator>();
function estimatorFor(model: string, resultLimit: number): Estimator {
	const key = `${resultLimit} ${model}`;
	const known = estimators.get(key);
	if (known) return known;
	const measure = cachedMeasure(measureWithin(resultLimit));
	const estimator = estimatorOf(1, measure, imageCountOf(model));
	estimators.set(key, estimator);
	return estimator;
}

export function situationOf(bench: Workbench, terms: Terms): Situation {
	const branch = branchOf(bench);
	const projection = project(branch);
	const capacity = capacityFor(bench, terms);
	const resultLimit = tokensPerResult(capacity);
	const messages = verbatim(projection);
	const hasCutResult = sentMessages(messages, resultLimit).some(
		(message, index) => message !== messages[index]
	);
	return {
		branch,
		projection,
		capacity,
		tools: toolsFor({ hasCheckpoint: projection.checkpoint !== null, hasCutResult }),
		resultLimit,
		provider: terms.provider ?? bench.session.model.provider,
		pending: terms.pending === null ? null : pendingMessage(bench, branch, terms.pending),
		estimator: estimatorFor(bench.session.model.model, resultLimit)
	};
}

/** The active branch, root first. */
export function branchOf({ session, messages }: Workbench): readonly Message[] {
	if (session.leafId === null) return [];
	const branch = pathTo(session.leafId, messages);
	if (!branch) throw new Fault('The history in the working file is damaged. Import it again.');
	return branch;
}

/** The plan the app would make. A session in a file has no run, so it is stable. */
export function planOf(bench: Workbench, terms: Terms, situation: Situation): Plan {
	const { projection, capacity, tools, provider, pending, branch, estimator } = situation;
	const focus = terms.focus?.trim();
	return planCompaction({
		trigger: terms.trigger,
		projection,
		pending,
		instructions: terms.instructions,
		tools,
		capacity,
		provider,
		template: terms.template,
		stable: true,
		estimator,
		pins: pinnedTexts(bench, branch),
		...(focus ? { focus } : {})
	});
}

function capacityFor({ session }: Workbench, terms: Terms): Capacity {
	const { provider, model } = session.model;
	const isOffline = provider === offlineModel.ref.provider;
	const own = isOffline ? offlineModel : limitsOf(model);
	const limits =
		terms.window === null
			? { contextWindow: own.contextWindow, maxOutput: terms.maxOutput ?? own.maxOutput }
			: { contextWindow: terms.window, maxOutput: terms.maxOutput };
	return capacityOf(limits, terms.ratio ?? undefined);
}

/** It has a place below the leaf, as it would have once it is sent, but is in no tree. */
function pendingMessage(
	{ session }: Workbench,
	branch: readonly Message[],
	text: string
): ConversationMessage {
	const place = {
		id: 'pending' as MessageId,
		treeId: session.treeId,
		sessionId: session.id,
		now: session.updatedAt,
		parent: branch.at(-1) ?? null
	};
	return attach({ role: 'user', parts: [{ type: 'text', text }], metadata: {} }, place);
}

/** What the session's pins carry on this branch, oldest first, references last: as the app reads them. */
function pinnedTexts({ session }: Workbench, branch: readonly Message[]): PinnedText[] {
	const pins = session.pins ?? [];
	const ids = new Set(pins.flatMap((pin) => (pin.kind === 'message' ? [pin.messageId] : [])));
	const messages = branch.flatMap((message): PinnedText[] => {
		if (message.role === 'checkpoint' || !ids.has(message.id)) return [];
		const text = pinnedText(message);
		return text.trim() === '' ? [] : [{ messageId: message.id, text }];
	});
	const references = pins.flatMap((pin): PinnedText[] =>
		pin.kind === 'reference' ? [{ messageId: null, text: pin.text }] : []
	);
	return [...messages, ...references];
}
