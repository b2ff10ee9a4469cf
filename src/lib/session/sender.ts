import type { ConversationMessage, MessageId } from '$lib/history/message';
import type { Draft } from '$lib/history/session';
import type { Projection } from '$lib/context/projection';
import { expectedOf } from '$lib/storage/expected';
import { beginRetry, beginRun } from '$lib/storage/runs';
import type { Compactor } from './compactor.svelte';
import type { Composing } from './composing.svelte';
import { draftParts, pendingMessage } from './drafting';
import { newId } from './ids';
import { missingModelNotice, refusalAdvice, refusalNotice } from './notices';
import type { Runner } from './runner.svelte';
import type { Thread } from './thread.svelte';

/** Brings a question to the model: send, retry and edit, each through the same preflight. */
export class Sender {
	constructor(
		private readonly thread: Thread,
		private readonly composing: Composing,
		private readonly compactor: Compactor,
		private readonly runner: Runner
	) {}

	/** Sends the draft. Once, after a compaction that is under way; not sent, it is a draft again. */
	async send(): Promise<void> {
		const draft = this.composing.freeze();
		const isSent = await this.thread.guard(() => this.#deliver(draft));
		if (isSent !== true) this.composing.giveBack();
	}

	async #deliver(draft: Draft): Promise<boolean> {
		const pending = pendingMessage(draft);
		if (!pending) return false;
		await this.runner.keepInterrupted();
		if (this.compactor.current && (await this.compactor.current).kind !== 'committed') return false;
		if (!(await this.#fits(pending))) return false;
		const isFirst = this.thread.session.title === '';
		const isSent = await this.#ask(draft, this.thread.session.leafId);
		if (isSent && isFirst) await this.thread.patch({ title: titleOf(draft) });
		return isSent;
	}

	/** Answers the turn of `assistantId`, or of the leaf, again: the new answer becomes a sibling of the old one. */
	async retry(assistantId?: MessageId): Promise<void> {
		const { thread, runner } = this;
		await runner.keepInterrupted();
		const userId = this.#questionOf(assistantId);
		if (!userId) return;
		const before = thread.session.leafId;
		const projection = await thread.branch.projectionAt(userId);
		if (!(await this.#fits(null, projection, userId))) {
			// What a refused preflight moved goes back: the old answer is on screen again.
			if (before !== thread.session.leafId) await thread.move(before);
			return;
		}
		const at = this.#belowCheckpoint(userId);
		await runner.ask(async (run) => {
			const { db } = thread.deps;
			const begun = await beginRetry(db, expectedOf(thread.session), at, run, Date.now());
			if (begun.kind === 'stale') return null;
			thread.follow(begun.session);
			await thread.branch.load(begun.session.leafId);
			return begun.run;
		}, this.#afterwards);
	}

	/** Sends `text` as a sibling of a user message; what followed the old one stays on its branch. */
	async edit(userId: MessageId, text: string): Promise<void> {
		const { thread, runner } = this;
		const message = thread.branch.messages.find((message) => message.id === userId);
		if (message?.role !== 'user') return;
		await runner.keepInterrupted();
		const draft: Draft = { text, files: message.parts.filter((part) => part.type === 'file') };
		const pending = pendingMessage(draft);
		if (!pending) return;
		const before = thread.session.leafId;
		const projection = await thread.branch.projectionAt(message.parentId);
		const isFit = await this.#fits(pending, projection, message.parentId);
		const hasMoved = before !== thread.session.leafId;
		if (isFit && (await this.#ask(draft, hasMoved ? thread.session.leafId : message.parentId))) {
			return;
		}
		this.composing.add(draft);
		if (hasMoved) await thread.move(before);
	}

	/** Makes the question durable below `parentId` and has it answered. */
	#ask(draft: Draft, parentId: MessageId | null): Promise<boolean> {
		const { thread, composing } = this;
		return this.runner.ask(async (run) => {
			const begun = await beginRun(
				thread.deps.db,
				expectedOf(thread.session),
				{
					id: newId.message(),
					parentId,
					draft: { role: 'user', parts: draftParts(draft), metadata: {} },
					draftAfter: composing.draft
				},
				run,
				Date.now()
			);
			if (begun.kind === 'stale') return null;
			composing.sent();
			thread.follow(begun.session);
			await thread.branch.append(begun.message);
			return begun.run;
		}, this.#afterwards);
	}

	/** The automatic check, once the answer is durable. */
	readonly #afterwards = async (): Promise<void> => {
		await this.compactor.compact({ trigger: 'auto', stable: !this.runner.isOpen });
	};

	/**
	 * Preflight: whether the next request fits, after a compaction where it must. For Retry and Edit the leaf first moves
	 * to where the request will hang, because that is the branch a checkpoint has to join.
	 */
	async #fits(
		pending: ConversationMessage | null,
		projection?: Projection,
		leafId: MessageId | null = this.thread.session.leafId
	): Promise<boolean> {
		const { thread } = this;
		const { capacity } = thread;
		if (!capacity) {
			thread.notice = missingModelNotice;
			return false;
		}
		const occupancy = thread.occupancy(projection ?? (await thread.branch.ready()), pending);
		if (occupancy.tokens <= capacity.safeLimit) return true;
		if (leafId !== thread.session.leafId && !(await thread.move(leafId))) return false;
		const wish = { trigger: 'preflight', pending, stable: !this.runner.isOpen } as const;
		const compacted = await this.compactor.compact(wish);
		if (compacted.kind === 'noop') {
			thread.notice = refusalNotice(occupancy, capacity, refusalAdvice(compacted.reason));
		}
		if (compacted.kind !== 'committed') return false;
		const after = thread.occupancy(await thread.branch.ready(), pending);
		if (after.tokens <= capacity.safeLimit) return true;
		thread.notice = refusalNotice(after, capacity, refusalAdvice('cannot-advance'));
		return false;
	}

	/** The user message whose turn `assistantId`, or the leaf, belongs to. */
	#questionOf(assistantId: MessageId | undefined): MessageId | null {
		const { messages } = this.thread.branch;
		const at =
			assistantId === undefined
				? messages.length - 1
				: messages.findIndex((message) => message.id === assistantId);
		return messages.slice(0, at + 1).findLast((message) => message.role === 'user')?.id ?? null;
	}

	/** A preflight may have put a checkpoint below the unanswered question: the answer then hangs below that. */
	#belowCheckpoint(userId: MessageId): MessageId {
		const leaf = this.thread.branch.messages.at(-1);
		return leaf?.role === 'checkpoint' && leaf.parentId === userId ? leaf.id : userId;
	}
}

/** A session's first title: the first line of its first question. */
function titleOf(draft: Draft): string {
	const line = draft.text.trim().split('\n')[0] ?? '';
	const title = line || draft.files[0]?.filename || 'Untitled';
	return title.length > 60 ? `${title.slice(0, 57).trimEnd()}…` : title;
}
