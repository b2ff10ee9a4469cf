import type { ReferenceKind } from '../history/message';

/**
 * Which words of a message a kind is taken from. `all`: everything, tool results too. `spoken`: what people and models
 * wrote. `prose`: that, without fenced code. `user`: what people wrote. Rule C71.
 */
export type Source = 'all' | 'spoken' | 'prose' | 'user';

/**
 * One way to find a kind of reference. `regex` must be linear in the text, whatever the text (rule C72): one class and a
 * quantifier, or bounded quantifiers. What a regular expression cannot say without backtracking, `take` says.
 */
export interface Pattern {
	readonly kind: ReferenceKind;
	readonly regex: RegExp;
	/** The exact text of a match, several, or null where it is none. Without it: the first group, or the whole match. */
	readonly take?: (match: string, group: string | undefined) => string | readonly string[] | null;
	readonly source: Source;
}

/** How much each kind matters. Higher is put back first when a summary dropped it. */
export const weights: Readonly<Record<ReferenceKind, number>> = {
	doi: 10,
	arxiv: 10,
	'zotero-key': 10,
	isbn: 9,
	decision: 9,
	file: 9,
	url: 8,
	citekey: 8,
	command: 7,
	path: 6,
	quotation: 6,
	quantity: 5,
	page: 5,
	date: 4,
	identifier: 4
};

const space = '[ \\u00a0\\u202f]?';
const unit = [
	'%|‰|°C|°F|kg|mg|[µμ]g|ng|g|km|cm|mm|nm|[µμ]m|m|ms|[µμ]s|ns|s|min|h|kHz|MHz|GHz|Hz|kB|MB|GB|TB|KiB|MiB|GiB',
	'mmol|[µμ]mol|nmol|mol|[µμ]M|mM|nM|dL|mL|[µμ]L|ml|L|mV|kV|V|mA|A|kW|kWh|W|hPa|kPa|MPa|Pa|mmHg|kcal|kJ|dB|ppm|ppb|IU|keV|MeV|eV|px|rpm|bpm|ha',
	'days?|weeks?|months?|years?|hours?|minutes?|seconds?|tokens?|participants?|patients?|subjects?|respondents?|adults?|children|students?|trials?|studies|items?|percent|percentage points',
	'días?|semanas?|meses|años?|horas?|minutos?|segundos?|participantes?|pacientes?|estudiantes?|ensayos?|estudios?',
	'€|\\$|£|¥|USD|EUR|GBP|CHF|JPY'
].join('|');
const digits = '\\d(?:[\\d,.]{0,30}\\d)?';
const value = `[-−+]?(?:${digits}|\\.\\d{1,12})`;
const power = `(?:${space}[×x·]${space}10(?:\\^[-−+]?\\d{1,3}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,3}))?`;
const bare = '(?<![\\p{L}\\d_.,$])';
const interval = `${value}(?:${space}[,;–-]${space}| (?:to|a|bis) )${value}`;
const confidence = `(?:95|99|90)${space}%${space}(?:CI|CrI|HDI|KI)[:=,]?${space}(?:\\[${interval}\\]|\\(${interval}\\)|${interval})`;
const confidenceEs = `I[CK] (?:del )?(?:95|99|90)${space}%[:=,]?${space}(?:\\[${interval}\\]|\\(${interval}\\)|${interval})`;
const measured = `[±≈<>≤≥~]?${space}[-−]?${digits}${power}(?:${space}[–±-]${space}${digits}${power})?${space}(?:${unit})(?:\\/(?:${unit}))?(?:[²³]|\\^-?\\d)?(?![\\p{L}\\d_])`;
const power10 = `[-−]?${digits}${space}[×x]${space}10(?:\\^[-−+]?\\d{1,3}|[⁻⁺]?[⁰¹²³⁴-⁹]{1,3})`;
const price = `(?:(?:US|A|C)?\\$|€|£|¥|₹|(?:USD|EUR|GBP|CHF) )${space}${digits}(?: (?:million|billion|millones)|[kM](?![\\p{L}\\d_]))?(?![^\\s$]{0,20}[\\\\$])`;
const statistic = `(?:[npkNgdrtFzM]|OR|RR|HR|SD|SE|SMD|AUC|ICC|[χηR]²|I²|[βακρητω])(?:\\(\\d{1,5}(?:, ?\\d{1,5})?\\))?${space}[=<>≤≥≈]${space}${value}(?!\\d)`;

const month = [
	'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?',
	'enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre',
	'januar|februar|märz|april|mai|juni|juli|oktober|dezember',
	'janvier|février|mars|avril|juin|juillet|août|septembre|octobre|décembre'
].join('|');
const day = '\\d{1,2}(?:st|nd|rd|th|\\.|º|er)?';
const dayFirst = `${day} (?:de )?(?:${month})\\.?,?(?: del?)? \\d{4}`;
const monthFirst = `(?:${month})\\.? ${day},? \\d{4}`;

const pageWord =
	'pp?\\.|pages?|Seiten?|págs?\\.|páginas?|chs?\\.|chapters?|caps?\\.|capítulos?|§{1,2}|sections?|tables?|tablas?|figs?\\.|figures?|figuras?|eqs?\\.|Abb\\.|Tab\\.|Kap\\.';
const pageNumber = '\\d{1,5}(?:\\.\\d{1,3}){0,3}[a-z]?(?:[-–]\\d{1,5})?(?![\\p{L}\\d])';

const shells = 'sh|bash|zsh|shell|shell-session|console|terminal|powershell|ps1|cmd';
const programs = new Set(
	`git gh npm npx pnpm yarn bun deno node tsc python python3 pip pip3 pipx uv poetry conda mamba ruby gem bundle cargo rustc rustup go make cmake ninja gcc clang java javac mvn gradle docker docker-compose podman kubectl helm terraform curl wget ssh scp rsync ls cd cp mv rm mkdir touch cat head tail grep rg sed awk find xargs tar zip unzip chmod chown sudo apt apt-get brew dnf pacman systemctl journalctl psql sqlite3 mysql ffmpeg pandoc latexmk pdflatex xelatex biber pdftotext Rscript quarto jupyter pytest vitest jest playwright eslint prettier svelte-check echo export`.split(
		' '
	)
);

/** How a line begins by which a person decides, rejects or corrects. */
const decided = [
	"(?:final )?decision ?[:：]|decided ?[:：]|correction ?[:：]|(?:we|i)(?: have|[’']ve)? (?:decided|rejected|ruled out|agreed|chose|chosen)\\b",
	'decisión ?[:：]|decidido ?[:：]|corrección ?[:：]|(?:decidimos|descartamos|rechazamos|acordamos|elegimos)\\b|hemos (?:decidido|descartado|rechazado|acordado|elegido)\\b',
	'entscheidung ?[:：]|entschieden ?[:：]|wir haben entschieden\\b|décision ?[:：]|nous avons décidé|decisão ?[:：]|decisione ?[:：]|[决決]定[:：]'
].join('|');

/** How a sentence begins by which a person steers: what was rejected, what not to do, what to leave out. */
const steering = [
	"rejected ?[:：]|(?:please,? )?(?:do not|don[’']t)(?! (?:worry|hesitate|mind|know|bother|think|you)\\b)|(?:please,? )?never(?! ?mind\\b)|(?:please,? )?exclude",
	'rechazad[oa]s? ?[:：]|descartad[oa]s? ?[:：]|nunca|no (?:usar|uses|use|usemos|incluir|incluyas|incluya|citar|cites|cite)|exclu(?:ir|ye|ya)',
	'abgelehnt ?[:：]|verworfen ?[:：]|(?:bitte )?niemals|rejetée?s? ?[:：]|(?:ne jamais|jamais|exclure)|rejeitad[oa]s? ?[:：]|não (?:usar|use|incluir|inclua|citar|cite)'
].join('|');
const steeringUnspaced = '请?不要(?:使用|用|引用|包括|加)|请?勿|切勿|排除';
/** Where a sentence may begin: a line, its bullet aside, or behind the end of another. */
const sentenceStart =
	'(?:^[ \\t]{0,8}(?:(?:[-*+•]|\\d{1,3}[.)])[ \\t]{1,4})?|(?<=[.!?;:][”"’\')]?[ \\t])|(?<=[。！？；]))';

/** The kinds, each with how it is found. */
export const patterns: readonly Pattern[] = [
	{
		kind: 'doi',
		// A backslash ends it: in the JSON of a tool it begins the next line.
		regex: /\b10\.\d{4,9}\/[^\s"'<>|`\\\u3000-\uffff]+/g,
		take: withoutTrailing,
		source: 'all'
	},
	{
		kind: 'url',
		regex: /\b(?:https?:\/\/|arxiv\.org\/(?:abs|pdf)\/)[^\s"'<>|`\\\u3000-\uffff]+/g,
		take: withoutTrailing,
		source: 'all'
	},
	{
		kind: 'arxiv',
		regex:
			/\barXiv(?::\s?| )((?:\d{4}\.\d{4,5}|[a-z-]{2,10}(?:\.[a-z]{2})?\/\d{7})(?:v\d{1,3})?)(?!\d)/gi,
		source: 'all'
	},
	{
		kind: 'isbn',
		regex: /\bISBN(?:-1[03])?:?[ ]?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])\b/g,
		source: 'all'
	},
	// A Zotero key is eight of these characters; asking for a digit and a letter keeps out shouted words.
	{
		kind: 'zotero-key',
		regex: /(?<![\w-])[23456789ABCDEFGHIJKLMNPQRSTUVWXYZ]{8}(?![\w-])/g,
		take: (match) =>
			/\d/.test(match) && /[A-Z]/.test(match) && !/^(?:PMC|GS[EM])\d+$/.test(match) ? match : null,
		source: 'all'
	},
	// One key in nine is letters only: it is a key where something says so.
	{
		kind: 'zotero-key',
		regex:
			/(?:\bitems\/|\b(?:item|parent|attachment|annotation)?[kK]ey"?:\s?"?)([A-Z]{8})(?![\w-])/g,
		source: 'all'
	},
	{ kind: 'citekey', regex: /(?<![\w.@])@[a-z][\w:.-]*/gi, take: citekey, source: 'all' },
	{
		kind: 'citekey',
		regex: /\\[a-z]{0,8}cite[a-z]{0,8}\*?(?:\[[^\]\n]{0,60}\]){0,2}\{([^{}\n]{1,200})\}/gi,
		take: (_, keys = '') => keys.split(',').map((key) => key.trim()),
		source: 'all'
	},
	{ kind: 'citekey', regex: /@[a-z]{4,16}\{\s?([\w:.+-]{3,80}),/gi, source: 'all' },
	{ kind: 'path', regex: /[\w@.~/\\:-]+/g, take: path, source: 'spoken' },
	{ kind: 'command', regex: /^[ \t]{0,8}\$ [a-z./~][^\n]*/gim, take: prompted, source: 'spoken' },
	{
		kind: 'command',
		regex: new RegExp(`^[ \\t]{0,8}\`\`\`(?:${shells})\\b[^\\n\`]{0,80}\\n([^\`]*)`, 'gim'),
		take: (_, block = '') => commandsOf(block),
		source: 'spoken'
	},
	{ kind: 'command', regex: /`[^`\n]*`/g, take: inlineCommand, source: 'prose' },
	// Registries and databases, each by a form that nothing else has.
	{
		kind: 'identifier',
		regex: /(?<![\w-])(?:PMID:?\s?\d{1,8}|PMC\d{4,9}|NCT\d{8}|GS[EM]\d{2,9}|rs\d{3,10})(?![\w-])/g,
		source: 'all'
	},
	{
		kind: 'identifier',
		regex: /(?<![\w-])\d{4}-\d{4}-\d{4}-\d{3}[\dX](?![\w-])/g,
		take: orcid,
		source: 'all'
	},
	{
		kind: 'identifier',
		regex: /`[^`\n]*`/g,
		take: (match) => inner(match, 2, 80),
		source: 'spoken'
	},
	{
		kind: 'identifier',
		// With a backtick in it a word is a kind of its own, found above.
		regex: /[^\s"'“”„«»‘’[\]{}<>,;|\u3000-\uffff]+/g,
		take: codeWord,
		source: 'prose'
	},
	{ kind: 'date', regex: /\b\d{4}-\d{2}-\d{2}\b/g, source: 'spoken' },
	{
		kind: 'date',
		regex: new RegExp(`${bare}(?:${dayFirst}|${monthFirst})(?!\\d)`, 'giu'),
		source: 'spoken'
	},
	{ kind: 'date', regex: /(?<!\d)\d{4}年\d{1,2}月\d{1,2}[日号]/g, source: 'spoken' },
	{
		kind: 'quantity',
		regex: new RegExp(
			`${bare}(?:${confidence}|${confidenceEs}|${measured}|${price}|${statistic}|${power10})`,
			'gu'
		),
		source: 'spoken'
	},
	{
		kind: 'page',
		regex: new RegExp(
			`${bare}(?:(?:${pageWord})${space}${pageNumber}|pp?\\. ?[ivxlc]{1,7}(?![\\p{L}\\d]))`,
			'giu'
		),
		source: 'spoken'
	},
	// Of these a small letter, or none, would be something else: seconds, a plain 12.
	{
		kind: 'page',
		regex: new RegExp(`${bare}S\\.${space}${pageNumber}|第 ?\\d{1,5} ?[页頁章节節]`, 'gu'),
		source: 'spoken'
	},
	{
		kind: 'quotation',
		// Marks are taken in pairs, whatever is between them: else the text between two quotations would be one.
		regex: /"[^"\n]*"|„[^„“”\n]*[“”]|“[^“”\n]*”|«[^«»\n]*»|»[^«»\n]*«/g,
		take: (match) => inner(match, 12, 240),
		source: 'prose'
	},
	{
		kind: 'quotation',
		// The closing mark is an apostrophe too, so short ones are left alone.
		regex: /‘(?:[^‘’\n]|’(?=\p{L})){0,240}’/gu,
		take: (match) => inner(match, 20, 240),
		source: 'prose'
	},
	{
		kind: 'quotation',
		regex: /「[^「」\n]*」|『[^『』\n]*』/g,
		take: (match) => inner(match, 6, 240),
		source: 'prose'
	},
	{
		kind: 'decision',
		regex: new RegExp(
			`^[ \\t]{0,8}(?:(?:[-*+•]|\\d{1,3}[.)])[ \\t]{1,4})?(?:\\*\\*|__)?(?:${decided})[^\\n]*`,
			'gimu'
		),
		take: decision,
		source: 'user'
	},
	{
		kind: 'decision',
		// What follows is only looked at, so that the next sentence of the line is found too.
		regex: new RegExp(
			`${sentenceStart}(?=((?:\\*\\*|__)?(?:(?:${steering})(?![\\p{L}\\d])|${steeringUnspaced})[^\\n]{0,301}))\\S`,
			'gimu'
		),
		take: (_, rest = '') => firstSentence(rest),
		source: 'user'
	}
];

/** A URL or DOI without the punctuation of the sentence around it; brackets stay where they are in pairs. */
function withoutTrailing(match: string): string | null {
	const open = { ')': count(match, '('), ']': count(match, '['), '}': count(match, '{') };
	const close = { ')': count(match, ')'), ']': count(match, ']'), '}': count(match, '}') };
	let end = match.length;
	for (; end > 0; end--) {
		const last = match.charAt(end - 1);
		if (last === ')' || last === ']' || last === '}') {
			if (close[last] <= open[last]) break;
			close[last]--;
		} else if (!'.,;:!?*_…·'.includes(last)) break;
	}
	const text = match.slice(0, end);
	return /^(?:https?:\/*|10\.\d+\/|arxiv\.org\/(?:abs|pdf)\/)$/.test(text) ? null : text;
}

function count(text: string, char: string): number {
	let found = 0;
	for (let at = text.indexOf(char); at !== -1; at = text.indexOf(char, at + 1)) found++;
	return found;
}

function trimEnd(text: string, chars: string): string {
	let end = text.length;
	while (end > 0 && chars.includes(text.charAt(end - 1))) end--;
	return text.slice(0, end);
}

/** `@smith2020` without the sign; a name without a year is a person, not a citation. */
function citekey(match: string): string | null {
	const key = trimEnd(match.slice(1), ':.-');
	return key.length <= 80 && /(?:1[5-9]|20)\d{2}(?!\d)/.test(key) ? key : null;
}

/** Endings that make a name without a folder a file. `.js` is not among them: it ends names of projects. */
const fileName =
	/^[\w-][\w.-]{0,80}\.(?:pdf|epub|csv|tsv|jsonl?|xlsx?|docx?|pptx?|md|tex|txt|py|ts|tsx|svelte|R|Rmd|qmd|ipynb|bib|ris|ya?ml|toml|sql|html|css|rs|sav|dta|rds|zip|png|jpe?g|svg)$/;
/** Beginnings that make a path of a name without an ending. */
const rooted = /^(?:~|\.{1,2}|\/(?:etc|usr|var|home|Users|opt|tmp|mnt|media|srv|Volumes|data))\/\w/;

/** A path: rooted, or one that ends in a file name with an ending. URLs and DOIs are kinds of their own. */
function path(match: string): string | null {
	const drive = /^[a-z]:[\\/]/i.exec(match)?.[0] ?? '';
	if (match.includes('//') || /^10\.\d{4}/.test(match)) return null;
	// What stands after a colon is a line of the file.
	const name = trimEnd(drive + (match.slice(drive.length).split(':', 1)[0] ?? ''), '.-\\');
	if (name.includes('\\') && drive === '' && !/^(?:~|\.{1,2})\\/.test(name)) return null;
	const separator = Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\'));
	if (separator === -1) return fileName.test(name) ? name : null;
	const last = name.slice(separator + 1).slice(-80);
	return rooted.test(name) || /\.[a-z][a-z0-9]{0,7}$/i.test(last) ? name : null;
}

/** Characters. A longer command is a script. */
const COMMAND_MAX = 300;

function prompted(line: string): string | null {
	return command(line.trim().slice(2));
}

/** The commands of a block: its lines but comments. With prompts they are found line by line, and the rest is output. */
function commandsOf(block: string): readonly string[] {
	const lines = block.split('\n').map((line) => line.trim());
	if (lines.some((line) => line.startsWith('$ '))) return [];
	return lines.map(command).filter((line) => line !== null);
}

/** A line of a shell without the comment behind it; null where nothing else is there. */
function command(line: string): string | null {
	const comment = line.indexOf(' # ');
	const text = (comment === -1 ? line : line.slice(0, comment)).trim();
	return text.startsWith('#') || text.length < 2 || text.length > COMMAND_MAX ? null : text;
}

function inlineCommand(match: string): string | null {
	const line = inner(match, 4, COMMAND_MAX)?.replace(/^\$ /, '') ?? '';
	const gap = line.indexOf(' ');
	return gap > 0 && programs.has(line.slice(0, gap)) ? line : null;
}

/** A word that only code writes: snake_case, camelCase, CONSTANT_CASE, a call. Names of things humped alike are none. */
function codeWord(match: string): string | null {
	if (match.length > 120) return null;
	const word = trimEnd(match.replace(/^[(*_]+/, ''), '.:!?*…');
	const name = word.endsWith('()') ? word : trimEnd(word, ')');
	if (name.length < 5 || name.length > 80 || /[^\w.$()]/.test(name)) return null;
	if (/^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)*\(\)$/i.test(name)) return name;
	if (/[.()$]/.test(name)) return null;
	if (/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/i.test(name)) return name;
	return /^[a-z]{2}[a-z0-9]*(?:[A-Z][a-z0-9]+)+$/.test(name) &&
		!/xiv$/i.test(name) &&
		name.length > 5
		? name
		: null;
}

/** Characters. What is longer is an essay: half of a decision would be none. */
const DECISION_MAX = 300;

/** A line in which a person decides, without its bullet. A question decides nothing, nor does a heading of a list. */
function decision(line: string): string | null {
	const text = line.trim().replace(/^(?:[-*+•]|\d{1,3}[.)])[ \t]+/, '');
	const isEmpty = /[:：](?:\*\*|__)?$/.test(text);
	return isEmpty || text.endsWith('?') || text.length > DECISION_MAX ? null : text;
}

/** Words whose full stop ends no sentence. */
const shortened = /(?:^|[\s(])(?:e\.g|i\.e|al|vs|cf|ca|approx|etc|p|pp|Dr|Fig|No|Nr|z\.B|bzw)\.$/i;

/** The sentence a text begins with; null where it is a question, says nothing, or is too long to be a decision. */
function firstSentence(text: string): string | null {
	for (const { index, 0: mark } of text.matchAll(/[.!?](?=[”"’')*_]{0,3}(?:\s|$))|[。！？]/gu)) {
		const end = index + mark.length;
		if (end < text.length && shortened.test(text.slice(Math.max(0, end - 8), end))) continue;
		return decision(text.slice(0, end));
	}
	return decision(text);
}

/** An ORCID iD, whose last character checks the others (ISO 7064 mod 11-2): other numbers look like it. */
function orcid(match: string): string | null {
	const total = [...match.slice(0, -1)]
		.filter((char) => char !== '-')
		.reduce((sum, digit) => (sum + Number(digit)) * 2, 0);
	const check = (12 - (total % 11)) % 11;
	return match.endsWith(check === 10 ? 'X' : String(check)) ? match : null;
}

function inner(match: string, min: number, max: number): string | null {
	const text = match.slice(1, -1).trim();
	return text.length >= min && text.length <= max ? text : null;
}
