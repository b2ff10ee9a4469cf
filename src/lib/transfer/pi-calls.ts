import type { Ancestry } from './ancestry';

/** Where a tool call stands that has no result yet. */
export interface OpenCall {
	/** Index of the entry. */
	readonly entry: number;
	/** Index among the message's parts. */
	readonly part: number;
}

/** How many calls of one id are looked at. Local models count `call_0`, `call_1` anew in each answer. */
const LOOK_BACK = 16;

/** Finds the call a result belongs to: the newest above it with that id, and the first where one answer has several. */
export class OpenCalls {
	readonly #byId = new Map<string, OpenCall[]>();

	add(id: string, call: OpenCall): void {
		const calls = this.#byId.get(id);
		if (calls) calls.push(call);
		else this.#byId.set(id, [call]);
	}

	/** Takes the call out, so that a second result of the same id cannot overwrite the first. */
	take(id: unknown, result: number, isAbove: Ancestry): OpenCall | null {
		const calls = typeof id === 'string' ? this.#byId.get(id) : undefined;
		if (!calls) return null;
		let found = -1;
		for (let k = calls.length - 1; k >= 0 && k >= calls.length - LOOK_BACK; k--) {
			const call = calls[k];
			if (!call || !isAbove(call.entry, result)) continue;
			if (found !== -1 && calls[found]?.entry !== call.entry) break;
			found = k;
		}
		return found === -1 ? null : (calls.splice(found, 1)[0] ?? null);
	}

	/** All calls that were never answered. */
	*rest(): Iterable<OpenCall> {
		for (const calls of this.#byId.values()) yield* calls;
	}
}
