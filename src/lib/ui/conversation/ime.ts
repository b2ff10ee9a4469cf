/**
 * Whether a key belongs to an input method that is still composing. Safari sends the Enter that confirms a candidate
 * after `compositionend`, with `isComposing` false and the old key code 229.
 */
export function isComposing(event: KeyboardEvent): boolean {
	return event.isComposing || event.keyCode === 229;
}
