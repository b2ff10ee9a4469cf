/** Copies the program whose Copy button was pressed, and says so on the button. One listener serves all of a message. */
export async function copyCode(event: MouseEvent): Promise<void> {
	const button = event.target instanceof Element ? event.target.closest('button.copy') : null;
	const code = button?.closest('.program')?.querySelector('code');
	if (!button || !code) return;
	const said = await navigator.clipboard.writeText(code.textContent ?? '').then(
		() => 'Copied',
		() => 'Not copied'
	);
	button.textContent = said;
	setTimeout(() => (button.textContent = 'Copy'), 1600);
}
