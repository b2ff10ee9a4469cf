import type { ShortcutGroup } from '../shell/shortcuts';

/** What the conversation and its composer answer to. */
export const conversationShortcuts: ShortcutGroup = {
	title: 'Conversation',
	shortcuts: [
		{ keys: ['Mod+Alt+N'], label: 'New conversation' },
		{ keys: ['Enter'], label: 'Send' },
		{ keys: ['Shift+Enter'], label: 'New line' },
		{ keys: ['Esc'], label: 'Stop the answer, from the composer' },
		{ keys: ['/compact'], label: 'Compact now; words after it say what to keep' }
	]
};
