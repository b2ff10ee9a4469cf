import { Arguments } from '../../../lab/arguments';
import type { Outcome, User } from '../../../lab/command';
import { noSettings } from '../../../lab/terms';
import type { Workbench } from '../../../lab/workbench';
import type { World } from '../../../lab/world';
import { Fault } from '../../../lab/fault';
import { grow, messageId, words, type Grower } from '../../support/tree';

/** A machine whose clock stands still, whose ids count, and whose files are these. */
export function worldOf(files: Readonly<Record<string, string>> = {}): World {
	let next = 1000;
	return {
		now: () => 5000,
		newId: () => messageId(++next) as ReturnType<World['newId']>,
		read: async (path) => {
			const text = files[path];
			if (text === undefined) throw new Fault(`${path} cannot be read.`);
			return text;
		}
	};
}

/** Turns of a question and an answer of about `tokens` tokens each, with a reference in each. */
export function talk(turns: number, tokens: number): Grower {
	const tree = grow();
	for (let turn = 1; turn <= turns; turn++) {
		tree.user(
			`Question ${turn}: what does https://example.org/paper/${turn} say? ${words(20, turn)}`
		);
		tree.answer(`It reports ${turn}00 mg in doi:10.1000/study.${turn}. ${words(tokens, turn)}`);
	}
	return tree;
}

export function benchOf(tree: Grower, more: Partial<Workbench> = {}): Workbench {
	return {
		session: tree.session(),
		messages: [...tree.rows.values()],
		attachments: [],
		settings: { ...noSettings, window: 8192 },
		underWay: null,
		...more
	};
}

/** Runs a command as the program does, without the program: `run(planCommand, bench, '--trigger auto')`. */
export function run(
	command: User,
	bench: Workbench,
	line = '',
	world: World = worldOf()
): Promise<Outcome> {
	const typed = line.split(' ').filter((word) => word !== '');
	return command.run(bench, Arguments.parse(typed, command.options, command.operands), world);
}
