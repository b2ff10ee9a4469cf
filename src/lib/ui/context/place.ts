/** Pixels between the panel and what it must not touch. */
const edge = 8;

/**
 * Puts an open popover above its button, inside the screen, and the focus into it. It hangs from its lower edge: what is
 * worked out after it has opened makes it grow upwards, not over the button.
 */
export function placePanel(panel: HTMLElement, button: HTMLElement): void {
	const anchor = button.getBoundingClientRect();
	const left = Math.min(
		anchor.right - panel.offsetWidth,
		window.innerWidth - panel.offsetWidth - edge
	);
	const room = anchor.top - 2 * edge;
	panel.style.left = `${Math.max(edge, left)}px`;
	// Above the button, where there is room for half of what it may take; else over it.
	const above = room >= 240;
	panel.style.bottom = `${above ? window.innerHeight - anchor.top + edge : edge}px`;
	panel.style.maxHeight = `${above ? room : window.innerHeight - 2 * edge}px`;
	panel.focus({ preventScroll: true });
}
