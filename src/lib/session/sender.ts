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
	/** The revision a preflight's move made, so that only a move of our own is taken back. */
	#moved: number | null = null;

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
		// Also one that ends while the next lines are under way: the message was frozen to wait for it.
		let { current } = this.compactor;
		await this.composing.flush();
		await this.runner.keepInterrupted();
		current ??= this.compactor.current;
		// What it had nothing to do for stops no message; whether that fits is asked next.
		if (current && (await current).kind === 'not-committed') return false;
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
		const at = this.#questionOf(assistantId);
		if (!at) return;
		await this.#orBack(async () => {
			const projection = await thread.branch.projectionAt(at);
			if (!(await this.#fits(null, { projection, leafId: at }))) return false;
			// A preflight has put a checkpoint below the unanswered question: the answer hangs below that.
			const leaf = thread.branch.messages.at(-1);
			const below = leaf?.role === 'checkpoint' && leaf.parentId === at ? leaf.id : at;
			const expected = expectedOf(thread.session);
			return runner.ask(async (run) => {
				const { db } = thread.deps;
				const begun = await beginRetry(db, expected, below, run, Date.now());
				if (begun.kind === 'stale') return null;
				thread.follow(begun.session);
				await thread.branch.load(begun.session.leafId);
				return begun.run;
			}, this.#afterwards);
		});
	}

	/**
	 * Sends `text` as a sibling of a user message; what followed the old one stays on its branch. False when there is no
	 * such message; otherwise the text is sent, or in the composer with a notice that says why.
	 */
	async edit(userId: MessageId, text: string): Promise<boolean> {
		const { thread } = this;
		const message = thread.branch.messages.find((message) => message.id === userId);
		if (message?.role !== 'user') return false;
		const draft: Draft = { text, files: message.parts.filter((part) => part.type === 'file') };
		const pending = pendingMessage(draft);
		if (!pending) return false;
		let isSent = false;
		try {
			await this.runner.keepInterrupted();
			isSent = await this.#orBack(async () => {
				const leafId = message.parentId;
				const projection = await thread.branch.projectionAt(leafId);
				if (!(await this.#fits(pending, { projection, leafId }))) return false;
				const leaf = thread.branch.messages.at(-1);
				const isBelow = leaf?.role === 'checkpoint' && leaf.parentId === leafId;
				return this.#ask(draft, isBelow ? leaf.id : leafId);
			});
		} finally {
			if (!isSent) this.composing.add(draft);
		}
		return true;
	}

	/** Runs an action that may move the leaf on its way; if it asks nothing, the leaf goes back to where it was. */
	async #orBack(action: () => Promise<boolean>): Promise<boolean> {
		const { thread } = this;
		const before = thread.session.leafId;
		let isAsked = false;
		try {
			isAsked = await action();
			return isAsked;
		} finally {
			const hasMoved = thread.session.leafId !== before;
			const isOurs = this.#moved !== null && thread.session.branchRevision >= this.#moved;
			if (!isAsked && hasMoved && isOurs) await thread.move(before);
			this.#moved = null;
		}
	}

	/** Makes the question durable below `parentId` and has it answered. */
	#ask(draft: Draft, parentId: MessageId | null): Promise<boolean> {
		const { thread, composing } = this;
		// Now, with the parent: a turn that another tab ends meanwhile makes this stale, and loses its place to nothing.
		const expected = expectedOf(thread.session);
		return this.runner.ask(async (run) => {
			const draftAfter = composing.draft;
			const begun = await composing.send(() =>
				beginRun(
					thread.deps.db,
					expected,
					{
						id: newId.message(),
						parentId,
						draft: { role: 'user', parts: draftParts(draft), metadata: {} },
						draftBefore: composing.stored,
						draftAfter
					},
					run,
					Date.now()
				)
			);
			if (begun.kind === 'stale') return null;
			composing.sent(begun.session.draft);
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
	 * Preflight: whether the next request fits, after a compaction where it must. For Retry and Edit it is planned for the
	 * branch where the request will hang; the leaf moves there only once there is a plan, because a checkpoint has to join
	 * that branch.
	 */
	async #fits(
		pending: ConversationMessage | null,
		there?: { readonly projection: Projection; readonly leafId: MessageId | null }
	): Promise<boolean> {
		const { thread } = this;
		const { capacity } = thread;
		if (!capacity) {
			thread.notice = missingModelNotice;
			return false;
		}
		const projection = there?.projection ?? (await thread.branch.ready());
		const occupancy = thread.occupancy(projection, pending);
		if (occupancy.tokens <= capacity.safeLimit) return true;
		const arrive = async () => {
			if (!there || there.leafId === thread.session.leafId) return true;
			const hasMoved = await thread.move(there.leafId);
			if (hasMoved) this.#moved = thread.session.branchRevision;
			return hasMoved;
		};
		const compacted = await this.compactor.compact({
			trigger: 'preflight',
			pending,
			projection,
			arrive,
			stable: !this.runner.isOpen
		});
		if (compacted.kind === 'noop') {
			thread.notice = refusalNotice(occupancy, capacity, refusalAdvice(compacted.reason));
		}
		if (compacted.kind !== 'committed') return false;
		const after = thread.occupancy(await thread.branch.ready(), pending);
		if (after.tokens <= capacity.safeLimit) return true;
		thread.notice = refusalNotice(after, capacity, refusalAdvice('cannot-advance'));
		return false;
	}

	/**
	 * Where the answer to `assistantId`, or to the leaf, hangs: the user message of its turn, or the checkpoint that an
	 * earlier preflight has put below that message while it is unanswered.
	 */
	#questionOf(assistantId: MessageId | undefined): MessageId | null {
		const { messages } = this.thread.branch;
		const at =
			assistantId === undefined
				? messages.length - 1
				: messages.findIndex((message) => message.id === assistantId);
		const leaf = messages[at];
		if (leaf?.role === 'checkpoint' && messages[at - 1]?.role === 'user') return leaf.id;
		return messages.slice(0, at + 1).findLast((message) => message.role === 'user')?.id ?? null;
	}
}

/** A session's first title: the first line of its first question. */
function titleOf(draft: Draft): string {
	const line = draft.text.trim().split('\n')[0] ?? '';
	const title = line || draft.files[0]?.filename || 'Untitled';
	return title.length > 60 ? `${title.slice(0, 57).trimEnd()}…` : title;
}
