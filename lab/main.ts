import { v7 } from 'uuid';
import type { MessageId, SessionId, TreeId } from '../src/lib/history/message';
import { Arguments } from './arguments';
import type { Command, Outcome } from './command';
import { commands, usage } from './commands';
import { Fault } from './fault';
import { readText, writeWhole } from './files';
import { decodeWorkbench, encodeWorkbench, type Workbench } from './workbench';
import type { World } from './world';

// The laboratory: the core without a browser, so that any model and any file can be tried.

const DEFAULT_STORE = '.lab/session.json';

const world: World = {
	now: Date.now,
	// The brand is given where an id is born.
	newId: () => v7() as MessageId & SessionId & TreeId,
	read: readText
};

async function main(words: readonly string[]): Promise<number> {
	const [name, ...rest] = words;
	if (name === undefined) throw new Fault(`A command is missing.\n\n${usage}`, 2);
	if (name === 'help' || words.includes('--help')) {
		console.log(usage);
		return 0;
	}
	const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
	if (!command) throw new Fault(`There is no command “${name}”.\n\n${usage}`, 2);
	const args = argumentsOf(command, rest);
	const store = args.text('store') ?? DEFAULT_STORE;
	const outcome =
		command.kind === 'makes'
			? await command.run(args, world)
			: await command.run(await benchAt(store), args, world);
	if (outcome.bench) await writeWhole(store, await encodeWorkbench(outcome.bench, world.now()));
	await print(outcome, args);
	return outcome.exitCode ?? 0;
}

function argumentsOf(command: Command, words: readonly string[]): Arguments {
	try {
		return Arguments.parse(words, command.options, command.operands);
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		throw new Fault(`${error.message}\n\n${command.usage}`, error.exitCode);
	}
}

async function benchAt(store: string): Promise<Workbench> {
	try {
		return decodeWorkbench(await readText(store));
	} catch (error) {
		if (!(error instanceof Fault)) throw error;
		throw new Fault(`${error.message} Make a working file with “import FILE”.`, error.exitCode);
	}
}

/** What a program wants goes to the standard output alone; what is said about it, beside it. */
async function print(outcome: Outcome, args: Arguments): Promise<void> {
	const told = args.flag('json') ? JSON.stringify(outcome.data) : outcome.text;
	if (outcome.product === undefined) return console.log(told);
	const product = `${JSON.stringify(outcome.product, null, '\t')}\n`;
	const out = args.text('out');
	if (out === undefined) {
		process.stdout.write(product);
		console.error(told);
		return;
	}
	await writeWhole(out, product);
	console.log(told);
}

main(process.argv.slice(2)).then(
	(code) => (process.exitCode = code),
	(error: unknown) => {
		if (!(error instanceof Fault)) throw error;
		console.error(error.message);
		process.exitCode = error.exitCode;
	}
);
