import type { MessageId, SessionId, TreeId } from '../src/lib/history/message';

/** What a command may ask of the machine. Everything else it is given, so that it gives the same for the same. */
export interface World {
	/** Epoch milliseconds. */
	now(): number;
	newId(): MessageId & SessionId & TreeId;
	/** @throws Fault where there is no such file */
	read(path: string): Promise<string>;
}
