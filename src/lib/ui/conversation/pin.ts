/** Where a scroller stands. CSS pixels, possibly fractions of them. */
export interface Stand {
	readonly top: number;
	/** Of the content. */
	readonly height: number;
	readonly viewport: number;
}

/** Browser zoom leaves fractions of a pixel: a strict comparison would never reach the bottom. CSS pixels. */
export const tolerance = 4;

export const restOf = ({ top, height, viewport }: Stand) => height - viewport - top;

/**
 * Whether the view stays pinned to the bottom after a scroll. The reader unpins by moving up, however little; it pins
 * again only when they move down to the bottom. Content that shrinks or grows is not the reader, nor is the list
 * correcting the position after it has measured an item.
 * @param by what the movement can be: the reader's way up, the reader's way down, or only the list's correction
 * @param reached the height the content had a moment ago: the browser scrolls on a thread of its own, to the bottom it
 * knows, and more may have arrived below in the meantime
 */
export function pinnedAfter(
	pinned: boolean,
	before: Stand,
	now: Stand,
	by: { readonly up: boolean; readonly down: boolean },
	reached: number = before.height
): boolean {
	const moved = now.top - before.top;
	if (by.up && moved < 0 && restOf(now) > restOf(before)) return false;
	const bottom = Math.min(reached, now.height);
	if (!pinned && by.down && moved > 0 && bottom - now.viewport - now.top <= tolerance) return true;
	return pinned;
}
