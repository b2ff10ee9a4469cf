import type { Part, ToolPart } from '../history/message';
import { StepCalls } from './step-calls';

/**
 * Collects an answer as its stream arrives. Every change makes a new array, in which unchanged parts are the same
 * objects, so that a view can tell by identity what to draw again.
 */
export class PartsCollector {
	#parts: readonly Part[] = [];
	/** Position of the open text or reasoning part by the stream's id. Providers reuse ids within one answer. */
	readonly #open = new Map<string, number>();
	#calls = new StepCalls();
	/** Position of each call of the newest step. */
	#positions: number[] = [];
	#step = 0;
	#stepStart = 0;

	get parts(): readonly Part[] {
		return this.#parts;
	}
	/** The parts of the newest step. */
	get stepParts(): readonly Part[] {
		return this.#parts.slice(this.#stepStart);
	}

	startStep(): void {
		if (this.#step++ > 0) this.#push({ type: 'step-start' });
		this.#stepStart = this.#parts.length;
		this.#open.clear();
		this.#calls = new StepCalls();
		this.#positions = [];
	}

	/** Appends to the open part with this id, or begins one. */
	append(
		type: 'text' | 'reasoning',
		id: string,
		delta: string,
		providerMetadata?: Readonly<Record<string, unknown>>
	): void {
		if (delta === '' && !providerMetadata) return;
		const key = `${type} ${id}`;
		const at = this.#open.get(key);
		const old = at === undefined ? undefined : this.#parts[at];
		if (at !== undefined && old && (old.type === 'text' || old.type === 'reasoning')) {
			const metadata = type === 'reasoning' && providerMetadata ? { providerMetadata } : {};
			this.#replace(at, { ...old, text: old.text + delta, ...metadata });
			return;
		}
		if (delta === '') return;
		this.#open.set(key, this.#parts.length);
		this.#push(
			type === 'reasoning' && providerMetadata
				? { type, text: delta, providerMetadata }
				: { type, text: delta }
		);
	}

	close(type: 'text' | 'reasoning', id: string): void {
		this.#open.delete(`${type} ${id}`);
	}

	/**
	 * Sets what is known of a tool call of the newest step, or begins it. Parallel calls to which a server gave one id are
	 * parts with ids of their own, each with its result.
	 */
	tool(part: ToolPart): void {
		const place = this.#placeOf(part);
		const toolCallId = this.#calls.ownId(place);
		const own = toolCallId === part.toolCallId ? part : { ...part, toolCallId };
		const at = this.#positions[place];
		if (at !== undefined) return this.#replace(at, own);
		this.#positions[place] = this.#parts.length;
		this.#push(own);
	}

	#placeOf(part: ToolPart): number {
		if (isSettled(part)) return this.#calls.settle(part.toolCallId, part.input);
		return part.state === 'input-streaming'
			? this.#calls.begin(part.toolCallId)
			: this.#calls.call(part.toolCallId, part.input);
	}

	/** Closes calls that never got a result: a durable message must not hold a call that waits for ever. */
	settle(reason: string): void {
		this.#parts.forEach((part, index) => {
			if (part.type !== 'dynamic-tool' || isSettled(part)) return;
			this.#replace(index, { ...part, state: 'output-error', errorText: reason });
		});
	}

	#push(part: Part): void {
		this.#parts = [...this.#parts, part];
	}
	#replace(at: number, part: Part): void {
		this.#parts = this.#parts.with(at, part);
	}
}

/** Whether a tool call has its outcome. */
export function isSettled(part: ToolPart): boolean {
	return (
		part.state === 'output-available' ||
		part.state === 'output-error' ||
		part.state === 'output-denied'
	);
}
