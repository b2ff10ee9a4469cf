/** One line of the sheet of shortcuts. It describes; whoever owns the key listens for it. */
export interface Shortcut {
	/** Joined by +, e.g. "Mod+K". Several ways are several entries. */
	readonly keys: readonly string[];
	readonly label: string;
}

export interface ShortcutGroup {
	readonly title: string;
	readonly shortcuts: readonly Shortcut[];
}

/** What the shell and the sidebar answer to themselves. */
export const shellShortcuts: ShortcutGroup = {
	title: 'Everywhere',
	shortcuts: [
		{ keys: ['?'], label: 'This sheet' },
		{ keys: ['Mod+B'], label: 'Show or hide the sessions' },
		{ keys: ['↑', '↓'], label: 'Move through the sessions' },
		{ keys: ['F2'], label: 'Rename the session in focus' },
		{ keys: ['Delete'], label: 'Delete the session in focus' },
		{ keys: ['Esc'], label: 'Close a sheet, a menu or a dialog' }
	]
};

/** Whether a key pressed there is meant as text. */
export function isTyping(target: EventTarget | null): boolean {
	return (
		target instanceof HTMLElement &&
		(target.isContentEditable || target.matches('input:not([type="checkbox"]), textarea, select'))
	);
}
