import type { Capacity } from '$lib/context/capacity';
import type { Occupancy } from '$lib/context/occupancy';
import type { Noop, NoopReason } from '$lib/compaction/plan';
import type { Rejection } from '$lib/compaction/verify';
import type { Failure } from '$lib/models/failure';
import { StorageError, type StorageFailureKind } from '$lib/storage/atomic';
import type { Notice, NoticeAction } from './view';

const number = new Intl.NumberFormat('en');

/** A model's failure, with what of the conversation is safe. */
export function failureNotice(
	failure: Failure,
	safe: string,
	actions: readonly NoticeAction[]
): Notice {
	return {
		tone: 'error',
		title: failure.title,
		safe,
		advice: failure.advice,
		...(failure.detail === '' ? {} : { detail: failure.detail }),
		actions
	};
}

/** Whether a provider refused a request because of its tools, in the words of Ollama, OpenRouter, vLLM and others. */
export function isToolRefusal(failure: Failure): boolean {
	return /(?:not|n't) support (?:the use of )?(?:tool|function)|support tool use|(?:tool|function)s?(?: calling| use)? (?:is|are) not (?:supported|enabled)|auto"? tool choice requires/i.test(
		failure.detail
	);
}

/** A model without tools can still talk on; it cannot search the part a checkpoint covers. */
export function toolRefusalNotice(failure: Failure): Notice {
	return {
		tone: 'warning',
		title:
			'This model takes no tools, and the request brought those that search this conversation.',
		safe: 'Your message is saved.',
		advice:
			'Try again: from now on it is asked without them. It then knows of earlier parts what the checkpoint says.',
		detail: failure.detail,
		actions: ['retry', 'dismiss']
	};
}

/** A send that was refused before anything left the page: the numbers, and what they are made of. */
export function refusalNotice(occupancy: Occupancy, capacity: Capacity, why: string): Notice {
	const { parts } = occupancy;
	const figures = [
		{ label: 'This message', tokens: parts.pending },
		{ label: 'Messages after the checkpoint', tokens: parts.later },
		{ label: 'Recent tail', tokens: parts.tail },
		{ label: 'Checkpoint', tokens: parts.checkpoint },
		{ label: 'Tools', tokens: parts.tools },
		{ label: 'Instructions', tokens: parts.instructions }
	]
		.filter((figure) => figure.tokens > 0)
		.sort((a, b) => b.tokens - a.tokens);
	return {
		tone: 'warning',
		title: `Not sent: the request would be about ${number.format(occupancy.tokens)} tokens, and this model takes ${number.format(capacity.safeLimit)}.`,
		safe: 'Your draft is as you left it. Nothing was sent.',
		advice: why,
		figures: [...figures, { label: 'Safe limit', tokens: capacity.safeLimit }],
		actions: ['dismiss']
	};
}

const noops: Readonly<Record<NoopReason, string>> = {
	empty: 'There is nothing to compact yet.',
	'one-turn':
		'There is one turn only. A checkpoint summarises earlier turns and keeps the last; ask one more question first.',
	'checkpoint-is-leaf':
		'The newest message is already a checkpoint, so nothing new could be summarised.',
	'below-threshold': 'The context is still well below its limit.',
	'cannot-advance': 'Everything that could be summarised already is.',
	'gain-too-small': 'A checkpoint would free too little to be worth it.',
	'pins-do-not-fit': 'What you pinned does not fit beside what must stay.',
	unstable: 'An answer is still open. Compact once it has ended.',
	'cannot-fit':
		'The instructions and tools alone are larger than this model takes. Shorten the instructions or choose a model with a larger window.'
};

/** Pinned texts that no checkpoint could carry beside what must stay: said before a model is asked. */
export function pinsNotice({ pinnedTokens = 0 }: Noop): Notice {
	return {
		tone: 'warning',
		title: `Not compacted: what you pinned takes about ${number.format(pinnedTokens)} tokens, and does not fit beside what must stay.`,
		safe: 'No checkpoint was written; the conversation and your pins are as they were.',
		advice: 'Unpin something, or choose a model with a larger window.',
		actions: ['dismiss']
	};
}

/** A compaction that had nothing to do: not an error. */
export function noopNotice(noop: Noop): Notice {
	if (noop.reason === 'pins-do-not-fit') return pinsNotice(noop);
	const { reason } = noop;
	return {
		tone: 'info',
		title: 'Nothing was compacted.',
		advice: noops[reason],
		actions: ['dismiss']
	};
}

/** Why a message that does not fit cannot be made to fit by a compaction. */
export function refusalAdvice(reason: NoopReason): string {
	if (reason === 'cannot-fit') return noops['cannot-fit'];
	if (reason === 'pins-do-not-fit') {
		return 'What you pinned takes the room a checkpoint would need. Unpin something, shorten the message, or choose a model with a larger window.';
	}
	return 'Compacting cannot free enough. Shorten the message, split it, or choose a model with a larger window.';
}

/** A summary that was not committed. One that frees nothing is no failure: there was too little to summarise. */
export function rejectionNotice(rejection: Rejection): Notice {
	if (rejection.reason === 'no-gain') {
		return {
			tone: 'info',
			title: 'Nothing was compacted: a checkpoint would take more room than it frees.',
			advice: rejection.sentence,
			actions: ['dismiss']
		};
	}
	if (rejection.reason === 'unread') {
		return {
			tone: 'warning',
			title: 'The summary could not be used: the server did not read all of the conversation.',
			safe: 'No checkpoint was written; the conversation is as it was.',
			advice: rejection.sentence,
			actions: ['settings', 'dismiss']
		};
	}
	return {
		tone: 'warning',
		title: `The summary could not be used. ${rejection.sentence}`,
		safe: 'No checkpoint was written; the conversation is as it was.',
		advice: 'Compact again, or choose another model.',
		actions: ['compact', 'dismiss']
	};
}

export const restingNotice: Notice = {
	tone: 'warning',
	title: 'Compaction failed three times in a row, so it no longer starts by itself.',
	safe: 'Nothing was sent. Your draft is as you left it.',
	advice: 'Compact by hand, or choose another model, or another one for summaries in Settings.',
	actions: ['compact', 'settings', 'dismiss']
};

export const noRoomNotice: Notice = {
	tone: 'warning',
	title: 'This model’s window is too small to summarise with.',
	safe: 'The conversation is as it was.',
	advice:
		'Choose a model with a larger window, or correct its window in Settings: a limit that was learnt from a refusal can be forgotten there.',
	actions: ['settings', 'dismiss']
};

/** A checkpoint was undone. */
export const undoneNotice: Notice = {
	tone: 'info',
	title: 'The checkpoint was taken off this branch.',
	safe: 'The full text is sent again where it fits. The checkpoint stays in the history.',
	actions: ['dismiss']
};

export const notUndoableNotice: Notice = {
	tone: 'info',
	title: 'Messages follow this checkpoint, so it cannot be undone here.',
	advice: 'Everything before it is kept in full and readable above.',
	actions: ['dismiss']
};

/** The browser dropped the database and does not give it back: nothing of this tab is saved. */
export function lostNotice(error: unknown): Notice {
	return {
		tone: 'error',
		title: 'Not saving: the browser has closed the database of this tab.',
		safe: 'What was saved before is intact. What you write now is only on this screen.',
		advice: 'Copy or download what you want to keep, then reload the page.',
		detail: error instanceof Error ? error.message : String(error),
		actions: ['reload', 'dismiss']
	};
}

/** There were conversations here, nobody deleted them, and now there are none. */
export const evictedNotice: Notice = {
	tone: 'warning',
	title: 'This browser has removed what Hilo had stored.',
	advice:
		'Browsers do that when the disk runs short, when site data is cleared, or after a long time. Import your last backup under Data and privacy. There you can also ask the browser to keep the data from now on.',
	actions: ['dismiss']
};

/** A session was deleted, and can be brought back. */
export function discardedNotice(title: string): Notice {
	return {
		tone: 'info',
		title: `“${title || 'New conversation'}” was deleted.`,
		safe: 'For a day it can be brought back, here or under Data and privacy.',
		actions: ['undo', 'dismiss']
	};
}

export const staleNotice: Notice = {
	tone: 'warning',
	title: 'This conversation changed meanwhile, perhaps in another tab.',
	safe: 'Nothing was overwritten. You see its present state; what you wrote is kept.',
	actions: ['dismiss']
};

export const cancelledNotice: Notice = {
	tone: 'info',
	title: 'Compaction cancelled.',
	safe: 'No checkpoint was written; the conversation is as it was.',
	actions: ['dismiss']
};

export const missingModelNotice: Notice = {
	tone: 'warning',
	title: 'The model of this conversation is not set up in this browser.',
	safe: 'Everything written so far is here and readable.',
	advice: 'Choose another model below, or add its provider in Settings.',
	actions: ['settings', 'dismiss']
};

const storageSentences: Readonly<Record<StorageFailureKind, readonly [string, string]>> = {
	quota: [
		'The browser has no room left, so this could not be saved.',
		'Free disk space, then try again. Sessions under Recently deleted, on the page Data and privacy, can be deleted for good.'
	],
	closed: ['The database connection was lost, so this could not be saved.', 'Reload the page.'],
	outdated: [
		'A newer version of Hilo is open in another tab, and this one may no longer write.',
		'Reload this tab.'
	],
	unknown: ['The browser could not save this.', 'Reload the page and try again.']
};

/** A write that did not happen. What was stored before is untouched. */
export function storageNotice(error: unknown): Notice {
	if (!(error instanceof StorageError)) return brokenNotice(error);
	const { kind } = error;
	const [title, advice] = storageSentences[kind];
	return {
		tone: 'error',
		title,
		safe: 'What was saved before is intact. Text you see here stays on screen.',
		advice,
		detail: error.message,
		actions:
			kind === 'closed' || kind === 'outdated'
				? ['download', 'reload', 'dismiss']
				: ['download', 'dismiss']
	};
}

/** Something failed that is not the database's saying: a part of the app that did not load, a defect. */
function brokenNotice(error: unknown): Notice {
	return {
		tone: 'error',
		title: 'That did not work.',
		safe: 'What was saved before is intact.',
		advice: 'Try again. If it fails again, copy what you want to keep and reload the page.',
		detail: error instanceof Error ? error.message : String(error),
		actions: ['dismiss']
	};
}
