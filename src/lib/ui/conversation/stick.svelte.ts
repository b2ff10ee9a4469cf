/**
 * Keeps a scroller at its bottom while it grows, for as long as the reader wants that.
 *
 * Replaces "scroll down at every token". There are no timers: the content's size is observed, and a wheel, finger or
 * key that goes up unpins before the browser has scrolled, so that no growth in between can pull the reader back.
 */
import { pinnedAfter, type Stand } from './pin';

const upKeys = new Set(['ArrowUp', 'PageUp', 'Home']);
const downKeys = new Set(['ArrowDown', 'PageDown', 'End']);
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

	#snap(): void {
		const element = this.#element;
		if (!element) return;
		if (this.pinned) element.scrollTop = element.scrollHeight;
		this.#before = standOf(element);
	}

	/** For the scrolling element; its first child is the content. */
	readonly attach = (element: HTMLElement): (() => void) => {
		this.#element = element;
		let held = false;
		let finger = 0;
		const scrollable = () => element.scrollHeight > element.clientHeight;
		let aim: number | undefined;
		const up = () => {
			aim = undefined;
			if (scrollable() && element.scrollTop > 0) this.pinned = false;
		};
		const down = () => (aim = element.scrollHeight);
		const listening = new AbortController();
		const listen = <Name extends keyof HTMLElementEventMap>(
			name: Name,
			handle: (event: HTMLElementEventMap[Name]) => void
		) => element.addEventListener(name, handle, { passive: true, signal: listening.signal });

		listen('wheel', (event) => {
			if (event.ctrlKey) return;
			if (event.deltaY < 0) up();
			else if (event.deltaY > 0) down();
		});
		listen('touchstart', (event) => (finger = event.touches[0]?.clientY ?? 0));
		listen('touchmove', (event) => {
			const y = event.touches[0]?.clientY ?? finger;
			if (y > finger) up();
			else if (y < finger) down();
			finger = y;
		});
		listen('keydown', (event) => {
			if (isEditable(event.target)) return;
			if (upKeys.has(event.key) || (event.key === ' ' && event.shiftKey)) up();
			else if (downKeys.has(event.key) || event.key === ' ') down();
		});
		// A press on the element itself, not on its content, is one on its scrollbar.
		listen('pointerdown', (event) => (held = event.target === element));
		listen('pointerup', () => (held = false));
		listen('scroll', () => {
			const now = standOf(element);
			this.pinned = pinnedAfter(this.pinned, this.#before, now, held, aim);
			this.#before = now;
		});

		const sizes = new ResizeObserver(() => {
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
