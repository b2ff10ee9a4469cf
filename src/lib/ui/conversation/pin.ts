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
 * Whether the view stays pinned to the bottom after a scroll. The reader unpins by moving up, at once, however little;
 * it pins again only when they move down to the bottom. Content that shrinks or grows is not the reader, nor is the
 * list correcting the position after measuring an item (then the content's height changes with it).
 * @param held whether the reader holds the scrollbar, so that every movement is theirs
 * @param aim the content's height when the reader set off downwards: a smooth scroll ends there, however much has
 * arrived below in the meantime
 */
export function pinnedAfter(
	pinned: boolean,
	before: Stand,
	now: Stand,
	held: boolean,
	aim: number = before.height
): boolean {
	const moved = now.top - before.top;
	const same = Math.abs(now.height - before.height) < 1 && now.viewport === before.viewport;
	if (moved < 0 && (same || held) && restOf(now) > restOf(before)) return false;
	const bottom = Math.min(aim, now.height);
	if (!pinned && moved > 0 && bottom - now.viewport - now.top <= tolerance) return true;
	return pinned;
}
