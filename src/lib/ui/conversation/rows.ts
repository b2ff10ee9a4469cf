import type {
	AssistantMessage,
	CheckpointMessage,
	Message,
	Part,
	UserMessage
} from '$lib/history/message';
import type { Draft } from '$lib/history/session';
import type { CompactionView, Notice, RunView } from '$lib/session/view';

/** One line of the conversation as the list draws it. */
export type Row = { readonly key: string } & (
	| { readonly kind: 'user'; readonly message: UserMessage; readonly live: boolean }
	| {
			readonly kind: 'answer';
			readonly message: AssistantMessage | null;
			readonly run: RunView | null;
			readonly parts: readonly Part[];
			readonly live: boolean;
	  }
	| { readonly kind: 'checkpoint'; readonly message: CheckpointMessage; readonly live: boolean }
	| { readonly kind: 'boundary' }
	| { readonly kind: 'compaction'; readonly compaction: CompactionView }
	| { readonly kind: 'waiting'; readonly draft: Draft; readonly compacting: boolean }
	| { readonly kind: 'notice'; readonly notice: Notice }
);

function rowOf(message: Message, live: boolean): Row {
	if (message.role === 'user') return { kind: 'user', key: message.id, message, live };
	if (message.role === 'checkpoint') return { kind: 'checkpoint', key: message.id, message, live };
	return { kind: 'answer', key: message.id, message, run: null, parts: message.parts, live };
}

/** The rows of the durable messages, with a legend where what is sent verbatim begins below what is not. */
export function messageRows(
	messages: readonly Message[],
	coverage: (message: Message) => 'sent' | 'covered'
): readonly Row[] {
	const rows: Row[] = [];
	let covered = false;
	for (const message of messages) {
		const sent = coverage(message) === 'sent';
		// An older checkpoint may stand inside the tail of the newest: it is not sent, and nothing begins below it.
		const isReplaced = message.role === 'checkpoint' && !sent;
		if (sent && covered) rows.push({ kind: 'boundary', key: 'boundary' });
		if (!isReplaced) covered = !sent;
		rows.push(rowOf(message, sent));
	}
	return rows;
}

/**
 * What is under way below the durable messages. An answer on its way has the key of the message it will be, so that it
 * keeps its DOM nodes when it becomes durable; once that message is there, which another tab may have written, it is not
 * drawn twice.
 */
export function currentRows(now: {
	readonly messages: readonly Message[];
	readonly run: RunView | null;
	readonly compaction: CompactionView | null;
	readonly waiting: Draft | null;
	readonly notice: Notice | null;
}): readonly Row[] {
	const rows: Row[] = [];
	const { messages, run, compaction, waiting, notice } = now;
	if (run && messages.at(-1)?.id !== run.messageId) {
		const { messageId, parts } = run;
		rows.push({ kind: 'answer', key: messageId, message: null, run, parts, live: true });
	}
	if (compaction) rows.push({ kind: 'compaction', key: 'compaction', compaction });
	if (waiting) {
		rows.push({ kind: 'waiting', key: 'waiting', draft: waiting, compacting: compaction !== null });
	}
	if (notice) rows.push({ kind: 'notice', key: 'notice', notice });
	return rows;
}

/** Whether `now` is `before` with rows added at its start: only then must the list keep its distance from the end. */
export function prepended(before: readonly Row[], now: readonly Row[]): boolean {
	const first = before[0];
	const added = now.length - before.length;
	return (
		first !== undefined && added > 0 && now[0]?.key !== first.key && now[added]?.key === first.key
	);
}
