import type { TemplateName, Trigger } from '../src/lib/history/message';

/** The model a session is tried with. Null: what is known of the session's own model. */
export interface Settings {
	/** Tokens. */
	readonly window: number | null;
	/** Tokens. With a window given, null means unknown. */
	readonly maxOutput: number | null;
	readonly ratio: number | null;
	/** Whose usage reports count. */
	readonly provider: string | null;
}

/** Everything beside the branch that decides what a compaction does. Plain JSON: it is kept in the working file. */
export interface Terms extends Settings {
	readonly template: TemplateName;
	readonly instructions: string;
	readonly trigger: Trigger;
	readonly focus: string | null;
	/** The text of a message that waits to be sent. */
	readonly pending: string | null;
}

export const noSettings: Settings = {
	window: null,
	maxOutput: null,
	ratio: null,
	provider: null
};
export const templateNames = ['research', 'general', 'code'] as const;
export const triggers = ['manual', 'auto', 'preflight'] as const;
