/** Puts an open popover above its button, inside the screen, and the focus into it. */
export function placePanel(panel: HTMLElement, button: HTMLElement): void {
	const anchor = button.getBoundingClientRect();
	const edge = 8;
	const left = Math.min(
		anchor.right - panel.offsetWidth,
		window.innerWidth - panel.offsetWidth - edge
	);
	const top = anchor.top - panel.offsetHeight - edge;
	panel.style.left = `${Math.max(edge, left)}px`;
	panel.style.top = `${top >= edge ? top : Math.min(anchor.bottom + edge, Math.max(edge, window.innerHeight - panel.offsetHeight - edge))}px`;
	panel.focus({ preventScroll: true });
}
