import type { ParseArgsConfig } from 'node:util';
import type { Arguments } from './arguments';
import type { Workbench } from './workbench';
import type { World } from './world';

/** What a command found or did. Nothing is written or printed by the command itself. */
export interface Outcome {
	/** For people. */
	readonly text: string;
	/** The same for programs: `--json`. */
	readonly data: unknown;
	/** The working file to be, where it changes. */
	readonly bench?: Workbench;
	/** The value itself that was asked for: goes to `--out`, else to the standard output. */
	readonly product?: unknown;
	readonly exitCode?: 1;
}

type OptionTable = NonNullable<ParseArgsConfig['options']>;

interface Described {
	readonly usage: string;
	readonly about: string;
	/** Options of its own, besides those of all commands. */
	readonly options: OptionTable;
	/** Operands it takes, by name. All are required. */
	readonly operands: readonly string[];
}

/** Makes a working file. */
export interface Maker extends Described {
	readonly kind: 'makes';
	run(args: Arguments, world: World): Promise<Outcome>;
}

/** Reads the working file, and may change it. */
export interface User extends Described {
	readonly kind: 'uses';
	run(bench: Workbench, args: Arguments, world: World): Promise<Outcome>;
}

export type Command = Maker | User;
