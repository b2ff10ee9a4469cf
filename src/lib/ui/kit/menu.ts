import type { Component } from 'svelte';

/** A line of a menu. Lines follow each other as given. */
export interface MenuItem {
	readonly label: string;
	readonly onselect: () => void;
	readonly icon?: Component;
	/** Shown at the right edge, e.g. "F2". It is only shown: whoever owns the key listens for it. */
	readonly keys?: string;
	readonly disabled?: boolean;
	/** Destroys something: drawn in the colour of danger. */
	readonly danger?: boolean;
	/** For a choice among several: whether it is the chosen one. */
	readonly checked?: boolean;
	/** A rule above this line. */
	readonly separated?: boolean;
}

/**
 * Where a menu goes so that it is wholly on the screen. Pixels, in the viewport.
 * Below its button if it fits, else above; aligned with the button's start or end, pushed inwards where needed.
 */
export function placeMenu(
	anchor: { left: number; right: number; top: number; bottom: number },
	menu: { width: number; height: number },
	view: { width: number; height: number },
	align: 'start' | 'end'
): { left: number; top: number } {
	const gap = 4;
	const edge = 8;
	const wanted = align === 'start' ? anchor.left : anchor.right - menu.width;
	const left = Math.max(edge, Math.min(wanted, view.width - menu.width - edge));
	const below = anchor.bottom + gap;
	const above = anchor.top - gap - menu.height;
	const top = below + menu.height <= view.height - edge || above < edge ? below : above;
	return { left, top: Math.max(edge, Math.min(top, view.height - menu.height - edge)) };
}
