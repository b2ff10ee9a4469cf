import type { Command } from './command';
import { applyCommand } from './commands/apply';
import { compactCommand } from './commands/compact';
import { importCommand } from './commands/import';
import { occupancyCommand } from './commands/occupancy';
import { planCommand } from './commands/plan';
import { projectionCommand } from './commands/projection';
import { requestCommand } from './commands/request';
import { retentionCommand } from './commands/retention';

export const commands: Readonly<Record<string, Command>> = {
	import: importCommand,
	occupancy: occupancyCommand,
	plan: planCommand,
	request: requestCommand,
	apply: applyCommand,
	projection: projectionCommand,
	retention: retentionCommand,
	compact: compactCommand
};

/** What `help` and a wrong use print. */
export const usage = `npm run lab -- COMMAND

${Object.values(commands)
	.map((command) => `  ${command.usage}\n      ${command.about}`)
	.join('\n')}

For all commands
  --store PATH          the working file, by default .lab/session.json
  --window N            the model's context window, in tokens
  --max-output N        its maximum output, in tokens
  --ratio R             the auto ratio, 0.5 to 0.95
  --provider ID         the provider that will be asked: only its usage reports count
  --template NAME       research, general or code
  --instructions FILE   the session's instructions
  --json                for programs

Options given to import stay with the working file; given to another command they hold for that one.
Exit codes: 0 done, also where there was nothing to do; 1 refused or rejected; 2 wrong use.`;
