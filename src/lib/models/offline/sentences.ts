/** Abbreviations whose point ends no sentence, in English and Spanish. */
const abbreviation =
	/(?:^|[\s(])(?:et al|e\.g|i\.e|cf|vs|approx|ca|resp|dr|prof|mr|mrs|ms|st|fig|figs|eq|sec|ch|vol|no|nos|pp?|ed|eds|p\. ?ej|sr|sra|ej|pág|págs|núm|art|\p{Lu})\.$/iu;

/** Splits a line of prose into sentences. Points inside numbers, names and abbreviations do not end one. */
export function sentencesOf(line: string): string[] {
	const pieces = line.split(/(?<=[.!?…][)"”»']?)\s+(?=[\p{Lu}\p{N}¿¡"“«([])/u);
	const sentences: string[] = [];
	for (const piece of pieces) {
		const last = sentences.at(-1);
		if (last !== undefined && abbreviation.test(last))
			sentences[sentences.length - 1] = `${last} ${piece}`;
		else sentences.push(piece);
	}
	return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
}

/** A line without the marks that only say how it is laid out: bullets, numbers, quotes, emphasis around the whole. */
export function plainLine(line: string): string {
	return line
		.replace(/^\s*(?:>\s*)*/, '')
		.replace(/^(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
		.replace(/^(\*\*|__)(.+)\1$/, '$2')
		.trim();
}

/** Whether a line is furniture: a heading, a rule, a table's rule, a fence. */
export const isFurniture = (line: string): boolean =>
	/^\s*(?:#{1,6}\s|```|~~~|[-=*_|:\s]+$)/.test(line);

/**
 * The text in a JSON value as `key: value` pairs, one line for each innermost object. Values stay as they are.
 * JSON that was cut gives the pairs that are whole.
 * @returns null when `text` is no JSON object or array
 */
export function linesOfJson(text: string): string[] | null {
	if (!/^\s*[[{]/.test(text)) return null;
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch {
		return linesOfCutJson(text);
	}
	const lines: string[] = [];
	const walk = (node: unknown): void => {
		if (Array.isArray(node)) {
			const plain = node.filter((item) => typeof item !== 'object');
			if (plain.length > 0) lines.push(plain.join('; '));
			node.filter((item) => typeof item === 'object').forEach(walk);
		} else if (typeof node === 'object' && node !== null) {
			const pairs = Object.entries(node);
			const own = pairs
				.filter(([, v]) => v !== null && v !== '' && typeof v !== 'object')
				.map(([key, v]) => `${key}: ${String(v).replace(/\s+/g, ' ')}`);
			if (own.length > 0) lines.push(own.join('; '));
			pairs.forEach(([, v]) => typeof v === 'object' && walk(v));
		} else if (typeof node === 'string') lines.push(node);
	};
	walk(value);
	return lines;
}

/** A pair whose value may have lost its end: then there is no closing quote. */
const pair = /"([\w-]{1,40})":\s?(?:"((?:[^"\\]|\\.){0,2000})|(-?\d[\d.]{0,20}|true|false))/g;

/** The pairs of JSON without its end, a line for each object. Null where it is something else, a list in brackets say. */
function linesOfCutJson(text: string): string[] | null {
	const lines = text
		.split(/(?<=[[,:]\s?)\{/)
		.map((piece) =>
			[...piece.matchAll(pair)]
				.map(([, key = '', quoted, plain = '']) => {
					const value = (quoted ?? plain).replace(/\\[nrt]/g, ' ').replace(/\\(.)/g, '$1');
					return `${key}: ${value.replace(/\s+/g, ' ').trim()}`;
				})
				.join('; ')
		)
		.filter((line) => line !== '');
	return lines.length > 0 ? lines : null;
}

const codeStart =
	/^(?:import|export|const|let|var|function|class|return|def|elif|#include|public|private|protected|async|await|if \(|for \(|while \(|switch \(|case |[}\])]|\/\/|\/\*|\* |@\w+\(|at \S.*:\d+|<\/?[a-z][\w-]*[\s>]|\d+[:|] |[-+]{1,3}\s*\d*\s{2,})/;
const codeInside = /[;{}]\s*$|=>|\)\s*\{|\(\)\s*[;.]|\w+\(["'`\w][^)]*\)[;,]|&&|\|\||===/;

/** Whether a line is code, a diff, a trace or a log rather than something said. */
export function isCodeLike(line: string): boolean {
	if (codeStart.test(line) || codeInside.test(line)) return true;
	if (line.length < 24) return false;
	const letters = line.match(/[\p{L}\s]/gu)?.length ?? 0;
	return letters < 0.6 * line.length;
}

/** A table's row is worth quoting for its figures; one without any is a list of names. */
export const isBareRow = (line: string): boolean => /^\|.*\|$/.test(line) && !/\d/.test(line);
