/** A seeded source of choices: the same seed makes the same ones. */
export class Random {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** From 0 up to, but not including, 1. Mulberry32. */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = this.#state;
		mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	/** A whole number below `end`. */
	below(end: number): number {
		return Math.floor(this.next() * end);
	}

	/** One of `from`; undefined of nothing. */
	of<T>(from: readonly T[]): T | undefined {
		return from[this.below(from.length)];
	}

	/** True with this chance. */
	chance(probability: number): boolean {
		return this.next() < probability;
	}
}
