/** Tokens; null where unknown. */
export interface KnownLimits {
	readonly contextWindow: number | null;
	readonly maxOutput: number | null;
}

const unknown: KnownLimits = { contextWindow: null, maxOutput: null };

/**
 * Context windows and maximum outputs in tokens, from the providers' model pages. Only what does not depend on who
 * serves the model; a dash means that the maximum output does. A name missing here is `unknown`, never a guess.
 */
const table = `
gpt-5 400000 128000
gpt-5-mini 400000 128000
gpt-5-nano 400000 128000
gpt-5.1 400000 128000
gpt-5-chat 128000 16384
gpt-4.1 1047576 32768
gpt-4.1-mini 1047576 32768
gpt-4.1-nano 1047576 32768
gpt-4o 128000 16384
gpt-4o-mini 128000 16384
chatgpt-4o 128000 16384
gpt-4-turbo 128000 4096
gpt-4 8192 8192
gpt-4-1106-preview 128000 4096
gpt-4-0125-preview 128000 4096
gpt-3.5-turbo 16385 4096
o1 200000 100000
o1-mini 128000 65536
o3 200000 100000
o3-mini 200000 100000
o4-mini 200000 100000
gpt-oss-20b 131072 -
gpt-oss-120b 131072 -
claude-3-haiku 200000 4096
claude-3-opus 200000 4096
claude-3-5-haiku 200000 8192
claude-3-5-sonnet 200000 8192
claude-3-7-sonnet 200000 64000
claude-sonnet-4 200000 64000
claude-sonnet-4-5 200000 64000
claude-haiku-4-5 200000 64000
claude-opus-4 200000 32000
claude-opus-4-1 200000 32000
claude-opus-4-5 200000 64000
gemini-1.5-pro 2097152 8192
gemini-1.5-flash 1048576 8192
gemini-2.0-flash 1048576 8192
gemini-2.5-pro 1048576 65536
gemini-2.5-flash 1048576 65536
gemini-2.5-flash-lite 1048576 65536
deepseek-chat 128000 8192
deepseek-reasoner 128000 65536
mistral-large 131072 -
mistral-small 131072 -
mistral-nemo 131072 -
open-mistral-nemo 131072 -
ministral-8b 131072 -
mixtral-8x7b-instruct 32768 -
mixtral-8x22b-instruct 65536 -
llama-3.1-8b-instruct 131072 -
llama-3.1-8b-instant 131072 -
llama-3.1-70b-instruct 131072 -
llama-3.1-405b-instruct 131072 -
llama-3.3-70b-instruct 131072 -
llama-3.3-70b-versatile 131072 32768
gemma-2-9b-it 8192 -
gemma-2-27b-it 8192 -
gemma-3-12b-it 131072 8192
gemma-3-27b-it 131072 8192
grok-3 131072 -
grok-3-mini 131072 -
grok-4 256000 -
command-r 128000 4096
command-r-plus 128000 4096
command-a 256000 8192
phi-4 16384 -
sonar-pro 200000 8000
kimi-k2-instruct 131072 -
`;

const limits = new Map<string, KnownLimits>(
	table
		.trim()
		.split('\n')
		.map((line) => {
			const [name = '', window, output] = line.split(' ');
			return [
				name,
				{ contextWindow: Number(window), maxOutput: output === '-' ? null : Number(output) }
			];
		})
);

/**
 * What is known of a model by its name, tolerant of vendor prefixes (`openai/gpt-4o`), tags (`:free`), dates
 * (`-2024-08-06`, `-20241022`), `-latest`, and dots in Claude's version (`claude-3.5-sonnet`).
 */
export function limitsOf(model: string): KnownLimits {
	return knownName(model, limits) ?? unknown;
}

/** What a table says of a model's name, as `limitsOf` reads names. */
export function knownName<Known>(model: string, table: ReadonlyMap<string, Known>): Known | null {
	let name = model.trim().toLowerCase();
	name = name.slice(name.lastIndexOf('/') + 1).replace(/[:@].*$/, '');
	if (name.startsWith('claude')) name = name.replaceAll('.', '-');
	const dated =
		/^(?:gpt|gemini|grok)-/.test(name) && !name.startsWith('gpt-3')
			? /-(?:20\d{2}-\d{2}-\d{2}|\d{3,4})$/
			: /-(?:20\d{2}-?\d{2}-?\d{2}|\d{2}-20\d{2})$/;
	const plain = name.replace(/-latest$/, '').replace(dated, '');
	return table.get(name) ?? table.get(plain) ?? null;
}
