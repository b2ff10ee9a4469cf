import { asText } from '../context/measure';

interface Call {
	/** As the server gave it. */
	readonly id: string;
	/** As it is stored: the second `call_0` of a step is `call_0-2`. */
	readonly ownId: string;
	/** Its input as text; null while it is still arriving. */
	input: string | null;
	isSettled: boolean;
}

/**
 * Tells the tool calls of one model call apart. Some servers give parallel calls one id: an event belongs to the first call
 * of its id that still waits for such an event, a result to the one with its input. Places count from 0, in the order in
 * which the calls began.
 */
export class StepCalls {
	readonly #calls: Call[] = [];
	/** Places by the id, in the order in which the calls were settled. */
	readonly #settled = new Map<string, number[]>();

	get count(): number {
		return this.#calls.length;
	}

	/** A call begins; its input is still arriving. */
	begin(id: string): number {
		return this.#first(id, (call) => call.input === null) ?? this.#add(id, null);
	}

	/** The input of a call has arrived. */
	call(id: string, input: unknown): number {
		const place = this.#first(id, (call) => call.input === null && !call.isSettled);
		if (place === null) return this.#add(id, asText(input));
		const call = this.#calls[place];
		if (call) call.input = asText(input);
		return place;
	}

	/** A call has its result, or failed. */
	settle(id: string, input: unknown): number {
		const text = asText(input);
		const place =
			this.#first(id, (call) => !call.isSettled && call.input === text) ??
			this.#first(id, (call) => !call.isSettled) ??
			this.#add(id, text);
		const call = this.#calls[place];
		if (call) call.isSettled = true;
		this.#settled.set(id, [...(this.#settled.get(id) ?? []), place]);
		return place;
	}

	/** The place of the result that came as number `nth`, from 0, of those with this id; null where there is none. */
	settled(id: string, nth: number): number | null {
		return this.#settled.get(id)?.[nth] ?? null;
	}

	/** An id of the call that no other call of the step has. */
	ownId(place: number): string {
		return this.#calls[place]?.ownId ?? '';
	}

	#first(id: string, waits: (call: Call) => boolean): number | null {
		const place = this.#calls.findIndex((call) => call.id === id && waits(call));
		return place === -1 ? null : place;
	}

	#add(id: string, input: string | null): number {
		const taken = new Set(this.#calls.map((call) => call.ownId));
		let ownId = id;
		for (let ordinal = 2; taken.has(ownId); ordinal++) ownId = `${id}-${ordinal}`;
		return this.#calls.push({ id, ownId, input, isSettled: false }) - 1;
	}
}
