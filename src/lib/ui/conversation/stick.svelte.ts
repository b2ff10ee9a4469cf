/**
 * Keeps a scroller at its bottom while it grows, for as long as the reader wants that.
 *
 * Replaces "scroll down at every token". There are no timers: the content's size is observed, and a wheel, finger or
 * key that goes up unpins before the browser has scrolled, so that no growth in between can pull the reader back.
 */
import { getContext, setContext } from 'svelte';
import { pinnedAfter, restOf, tolerance, type Stand } from './pin';

const upKeys = new Set(['ArrowUp', 'PageUp', 'Home']);
/**
 * A scroll within so many frames after a change of size is the list correcting the position of what it has just measured,
 * unless a key or the scrollbar says otherwise. Frames, not milliseconds: a busy machine draws few of them.
 */
const settling = 3;
/** How long after a key a scroll may still be its doing. Milliseconds. */
const keyReach = 200;
const standOf = (element: HTMLElement): Stand => ({
	top: element.scrollTop,
	height: element.scrollHeight,
	viewport: element.clientHeight
});
const isEditable = (target: EventTarget | null) =>
	target instanceof HTMLElement &&
	target.closest('textarea, input, select, [contenteditable]') !== null;

export class Stick {
	/** Whether the bottom is kept in view. */
	pinned = $state(true);
	#element: HTMLElement | null = null;
	#before: Stand = { top: 0, height: 0, viewport: 0 };
	/** The content's height before its last change. */
	#earlier = 0;
	/** Frames until the list has settled after a change of size. */
	#unsettled = 0;
	readonly #onresize: () => void;

	/** @param onresize called after the content or the viewport changed its size */
	constructor(onresize: () => void = () => {}) {
		this.#onresize = onresize;
	}

	toBottom(): void {
		this.pinned = true;
		this.#snap();
	}

	release(): void {
		this.pinned = false;
	}

	/** Whether the reader is at the end, also where something was opened there and the end is no longer kept in view. */
	get isAtEnd(): boolean {
		if (this.pinned || !this.#element) return this.pinned;
		const stand = standOf(this.#element);
		return restOf(stand) < stand.viewport / 2;
	}

	#snap(): void {
		const element = this.#element;
		if (!element) return;
		if (this.pinned) element.scrollTop = element.scrollHeight;
		this.#before = standOf(element);
	}

	#settle(): void {
		const started = this.#unsettled > 0;
		this.#unsettled = settling;
		const frame = () => {
			this.#unsettled -= 1;
			if (this.#unsettled > 0) requestAnimationFrame(frame);
		};
		if (!started) requestAnimationFrame(frame);
	}

	/** For the scrolling element; its first child is the content. */
	readonly attach = (element: HTMLElement): (() => void) => {
		this.#element = element;
		let held = false;
		let finger = 0;
		let keyAt = -Infinity;
		/** Where the last gesture went: a scroll that only follows our own must not undo a way up. */
		let downwards = false;
		const up = () => {
			downwards = false;
			if (element.scrollHeight > element.clientHeight && element.scrollTop > 0) this.pinned = false;
		};
		/** A movement down by so many pixels. One that would reach the bottom pins before more can arrive below. */
		const down = (pixels: number) => {
			downwards = true;
			if (!this.pinned && restOf(standOf(element)) <= pixels) this.toBottom();
		};
		const page = () => element.clientHeight;
		const steps: Readonly<Record<string, () => number>> = {
			ArrowDown: () => 40,
			PageDown: page,
			' ': page,
			End: () => Infinity
		};
		const listening = new AbortController();
		const listen = <Name extends keyof HTMLElementEventMap>(
			name: Name,
			handle: (event: HTMLElementEventMap[Name]) => void
		) => element.addEventListener(name, handle, { passive: true, signal: listening.signal });

		listen('wheel', (event) => {
			if (event.ctrlKey) return;
			if (event.deltaY < 0) up();
			else if (event.deltaY > 0) {
				// 0: pixels, 1: lines, 2: pages.
				down(event.deltaY * ([1, 16, page()][event.deltaMode] ?? 1));
			}
		});
		listen('touchstart', (event) => (finger = event.touches[0]?.clientY ?? 0));
		listen('touchmove', (event) => {
			const y = event.touches[0]?.clientY ?? finger;
			if (y > finger) up();
			else down(finger - y);
			finger = y;
		});
		listen('keydown', (event) => {
			if (isEditable(event.target)) return;
			// Any key may scroll: Tab brings the focused button into view.
			keyAt = event.timeStamp;
			if (upKeys.has(event.key) || (event.key === ' ' && event.shiftKey)) up();
			else if (event.key in steps) down(steps[event.key]?.() ?? 0);
		});
		// A press on the element itself, not on its content, is one on its scrollbar; the middle button scrolls by itself.
		listen('pointerdown', (event) => (held = event.target === element || event.button === 1));
		listen('pointerup', (event) => (held &&= event.button === 1));
		listen('scroll', (event) => {
			const at = event.timeStamp;
			const sure = held || at - keyAt < keyReach;
			const by = { up: sure || this.#unsettled === 0, down: sure || downwards };
			const now = standOf(element);
			this.pinned = pinnedAfter(this.pinned, this.#before, now, by, this.#earlier);
			this.#before = now;
			if (this.pinned && restOf(now) > tolerance) this.#snap();
		});

		const sizes = new ResizeObserver(() => {
			this.#settle();
			this.#earlier = this.#before.height;
			this.#snap();
			this.#onresize();
		});
		sizes.observe(element);
		if (element.firstElementChild) sizes.observe(element.firstElementChild);
		this.#snap();
		return () => {
			listening.abort();
			sizes.disconnect();
			this.#element = null;
		};
	};
}

const key = Symbol('stick');
/** Gives the rows of a list the stick that moves them. */
export const provideStick = (stick: Stick): Stick => setContext(key, stick);
/** Null outside a list. */
export const useStick = (): Stick | null => (getContext(key) as Stick | undefined) ?? null;
