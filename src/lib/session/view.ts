import type {
	Checkpoint,
	CheckpointMessage,
	FilePart,
	Message,
	MessageId,
	ModelRef,
	Part,
	PinnedText,
	SessionId,
	TemplateName,
	Trigger
} from '$lib/history/message';
import type { CheckpointCost } from '$lib/context/price';
import type { Draft, Pin, Session } from '$lib/history/session';
import type { NoopReason } from '$lib/compaction/plan';
import type { Capacity } from '$lib/context/capacity';
import type { ModelRequest } from '$lib/context/request';

/** Estimated tokens of the next request by part. They add up to `occupancy` when `source` is `estimated`. */
export interface ContextParts {
	readonly instructions: number;
	readonly tools: number;
	readonly checkpoint: number;
	readonly tail: number;
	readonly later: number;
	readonly pending: number;
}

/** What the context dial shows. Tokens. */
export interface ContextReading {
	readonly occupancy: number;
	/** `reported`: the provider's last usage plus estimates of what came after. `estimated`: all of it estimated. */
	readonly source: 'reported' | 'estimated';
	readonly capacity: Capacity;
	readonly parts: ContextParts;
}

/**
 * A sentence in place, with what is safe and what to do. Never a toast that leaves.
 * `title` says what happened; `safe` what is not lost; `advice` what to do; `detail` (optional) the raw words.
 */
export interface Notice {
	readonly tone: 'info' | 'warning' | 'error';
	readonly title: string;
	readonly safe?: string;
	readonly advice?: string;
	readonly detail?: string;
	/** Numbers to line up under the sentence, e.g. the parts of a refused request. */
	readonly figures?: readonly { readonly label: string; readonly tokens: number }[];
	/** What the buttons offer. The conversation decides what they do. */
	readonly actions?: readonly NoticeAction[];
}

/** `download`: what is on screen and may not be saved, as a file. */
export type NoticeAction =
	'download' | 'undo' | 'retry' | 'compact' | 'settings' | 'keep-answer' | 'reload' | 'dismiss';

/** An answer on its way. */
export interface RunView {
	/** The user message being answered, or the checkpoint that a preflight has put below it. */
	readonly parentId: MessageId;
	/** The id the answer will have. */
	readonly messageId: MessageId;
	readonly model: ModelRef;
	readonly parts: readonly Part[];
	readonly startedAt: number;
	/** `interrupted`: found after a crash or a closed tab, offered to be kept. */
	readonly state: 'waiting' | 'streaming' | 'stopping' | 'interrupted' | 'elsewhere';
}

/** A compaction on its way. */
export interface CompactionView {
	readonly trigger: Trigger;
	readonly phase: 'reading' | 'summarising' | 'verifying' | 'committing' | 'cancelling';
	/** 1-based; `passes` is 0 until it is known. */
	readonly pass: number;
	readonly passes: number;
	readonly coveredMessageCount: number;
	readonly startedAt: number;
	/** Who writes the summary. */
	readonly model: ModelRef;
}

/** What a compaction by hand would do, as far as it can be known before. Tokens are estimates. */
export type CompactionForecast =
	| {
			readonly kind: 'compact';
			readonly before: number;
			/** With a summary of the length that will be asked for. */
			readonly after: number;
			readonly coveredMessageCount: number;
			/** Who would write the summary, and in about how many passes. */
			readonly model: ModelRef;
			readonly passes: number;
			/** Null where a price is unknown. */
			readonly cost: CheckpointCost | null;
	  }
	| {
			readonly kind: 'noop';
			/** `no-room`: the summariser's window is too small. */
			readonly reason: NoopReason | 'no-room';
	  };

/** Position of a message among the children of its parent: the ‹ 2/3 › at a branch point. */
export interface SiblingPosition {
	/** 1-based. */
	readonly index: number;
	readonly count: number;
	readonly previousId: MessageId | null;
	readonly nextId: MessageId | null;
}

/** A damaged history, in words. */
export interface DamageView {
	/** A sentence for each thing that is wrong. */
	readonly findings: readonly string[];
	/** How much of it is on screen. */
	readonly shows: string;
	/** What a repaired copy would hold. */
	readonly contains: string;
	/** Whether there is anything to make a copy of. */
	readonly canRepair: boolean;
	/** What is missing right above a message, or null. */
	gapBefore(id: MessageId): string | null;
	/** What is missing below the last message, or null. */
	readonly gapAtEnd: string | null;
}

/** The active conversation as components see it: state to show, verbs to call. They show; they do not decide. */
export interface ConversationView {
	readonly session: Session;
	/** The loaded end of the active branch, oldest first, checkpoints included. */
	readonly messages: readonly Message[];
	readonly hasEarlier: boolean;
	loadEarlier(): Promise<void>;
	siblings(id: MessageId): SiblingPosition | null;
	/** Whether `id` is still sent verbatim, is covered by the newest checkpoint, or is a checkpoint no longer sent. */
	coverage(message: Message): 'sent' | 'covered';

	readonly run: RunView | null;
	readonly compaction: CompactionView | null;
	/** A message frozen while it waits for a compaction to finish. */
	readonly waiting: Draft | null;
	readonly context: ContextReading | null;
	readonly notice: Notice | null;
	/** Why the session cannot be written, or null. */
	readonly readOnly: string | null;
	/** What is wrong with the stored history, or null. */
	readonly damage: DamageView | null;
	/** Writes the whole session to a file, as it is stored. The sentence to show in place, or null. */
	exportCopy(): Promise<Notice | null>;
	/** Makes a new session from what can be read. Its id, or why there is none. */
	repair(): Promise<SessionId | Notice>;
	/** Off while a run or a compaction would be disturbed: Retry, Edit, switch, model change, Compact. */
	readonly branchLocked: boolean;
	readonly canSend: boolean;
	/** Something of this tab goes on: an answer, a compaction, a message that waits. */
	readonly isBusy: boolean;

	readonly draft: Draft;
	setDraft(draft: Draft): void;
	attachText(filename: string, text: string): Promise<void>;
	attachFiles(files: readonly File[]): Promise<void>;
	detach(file: FilePart): void;

	send(): Promise<void>;
	stop(): void;
	retry(assistantId?: MessageId): Promise<void>;
	/** True when the text was taken: sent, or put into the composer with the reason in the notice. */
	edit(userId: MessageId, text: string): Promise<boolean>;
	switchTo(siblingId: MessageId): Promise<void>;
	/** Opens a new session that goes on from an answer. Nothing is copied; this one stays as it is. */
	fork(assistantId: MessageId): Promise<void>;
	/** Messages of this conversation that are on no part of the active branch. */
	readonly elsewhere: number;
	/** Shows the newest place where another branch leaves this one; null where none does. */
	readonly newestBranching: MessageId | null;
	compact(focus?: string): Promise<void>;
	cancelCompaction(): void;
	undoCheckpoint(id: MessageId): Promise<void>;
	keepInterrupted(): Promise<void>;
	/** Pins it, or takes the pin away. Pinned texts are carried verbatim in every later checkpoint. */
	togglePin(pin: Pin): Promise<void>;
	isPinned(pin: Pin): boolean;
	/** The texts that are pinned on this branch, as a next checkpoint would carry them. */
	pinnedTexts(): Promise<readonly PinnedText[]>;
	/** What a compaction by hand would do now; null where the session's model is not set up. */
	forecast(): Promise<CompactionForecast | null>;
	/** What a checkpoint cost and saves in US dollars, or null where that is unknown. */
	costOf(checkpoint: Checkpoint): CheckpointCost | null;
	act(action: NoticeAction): void;
	setModel(ref: ModelRef): Promise<void>;
	setTemplate(template: TemplateName): Promise<void>;
	setInstructions(text: string): Promise<void>;
	rename(title: string): Promise<void>;

	/** The exact next request, with the draft as its pending message. The same function that sends. */
	nextRequest(): Promise<ModelRequest>;
	checkpoint(id: MessageId): Promise<CheckpointMessage | null>;
}

/** A line of the sidebar. */
export interface SessionLine {
	readonly id: SessionId;
	readonly title: string;
	readonly updatedAt: number;
	readonly pinned: boolean;
	readonly busy: boolean;
	readonly hasDraft: boolean;
}

/** A model one can choose. Tokens; null where unknown. */
export interface ModelChoice {
	readonly ref: ModelRef;
	readonly name: string;
	readonly providerName: string;
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
	readonly assumed: boolean;
}
