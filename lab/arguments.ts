import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Fault } from './fault';

type OptionTable = NonNullable<ParseArgsConfig['options']>;

/** Options of all commands. */
export const commonOptions = {
	store: { type: 'string' },
	window: { type: 'string' },
	'max-output': { type: 'string' },
	ratio: { type: 'string' },
	provider: { type: 'string' },
	template: { type: 'string' },
	instructions: { type: 'string' },
	json: { type: 'boolean' }
} as const satisfies OptionTable;

/** What was given on the command line, read as what it must be. Each reader throws a `Fault` for wrong use. */
export class Arguments {
	constructor(
		readonly operands: readonly string[],
		private readonly values: Readonly<Record<string, unknown>> = {}
	) {}

	/** @throws Fault for an unknown option, or too many or too few operands */
	static parse(
		words: readonly string[],
		options: OptionTable,
		operands: readonly string[]
	): Arguments {
		try {
			const { values, positionals } = parseArgs({
				args: [...words],
				options: { ...commonOptions, ...options },
				allowPositionals: true,
				strict: true
			});
			if (positionals.length > operands.length) {
				throw new Fault(`“${positionals[operands.length]}” is one word too many.`, 2);
			}
			const missing = operands[positionals.length];
			if (missing !== undefined) throw new Fault(`${missing} is missing.`, 2);
			return new Arguments(positionals, values);
		} catch (error) {
			// Its messages are sentences about what was typed.
			if (error instanceof TypeError) throw new Fault(error.message, 2);
			throw error;
		}
	}

	flag(name: string): boolean {
		return this.values[name] === true;
	}

	text(name: string): string | undefined {
		const value = this.values[name];
		return typeof value === 'string' ? value : undefined;
	}

	/** A whole number, `least` or more. */
	count(name: string, least = 1): number | undefined {
		const value = this.text(name);
		if (value === undefined) return undefined;
		const number = Number(value);
		if (!/^\d+$/.test(value) || !Number.isSafeInteger(number) || number < least) {
			throw new Fault(`--${name} must be a whole number, ${least} or more, and is “${value}”.`, 2);
		}
		return number;
	}

	/** A number within two bounds. */
	share(name: string, low: number, high: number): number | undefined {
		const value = this.text(name);
		if (value === undefined) return undefined;
		const number = value.trim() === '' ? NaN : Number(value);
		if (!(number >= low && number <= high)) {
			throw new Fault(`--${name} must be from ${low} to ${high}, and is “${value}”.`, 2);
		}
		return number;
	}

	choice<T extends string>(name: string, choices: readonly T[]): T | undefined {
		const value = this.text(name);
		if (value === undefined) return undefined;
		const chosen = choices.find((choice) => choice === value);
		if (chosen === undefined) {
			throw new Fault(`--${name} must be one of ${choices.join(', ')}, and is “${value}”.`, 2);
		}
		return chosen;
	}
}
