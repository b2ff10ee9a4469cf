/** Case and the accents of Latin, Greek, Cyrillic, Hebrew and Arabic aside. Plain ASCII is most of what is folded. */
export function fold(text: string): string {
	const lower = text.toLowerCase();
	return isAscii.test(lower) ? lower : lower.normalize('NFD').replace(accents, '');
}

const isAscii = /^[\0-\x7f]*$/;
const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f]/g;

/**
 * The terms by which an index finds a text: words, folded. Scripts written without spaces, and Korean, whose words carry
 * endings, have no words to go by: each two neighbouring characters are a term, and so is the last one alone, so that a
 * single character is the beginning of a term wherever it stands.
 */
export function searchTerms(text: string): string[] {
	const folded = fold(text);
	if (isAscii.test(folded)) return folded.match(asciiWords) ?? [];
	const terms: string[] = [];
	// Folding took Hangul and voiced kana apart.
	for (const [word] of folded.normalize('NFC').matchAll(words)) {
		if (!unspaced.test(word)) terms.push(word);
		else for (const [run] of word.matchAll(runs)) addRun(run, terms);
	}
	return terms;
}

/** The terms a query asks for: of a run of characters without spaces only the pairs, where there are any. */
export function queryTerms(query: string): string[] {
	const terms = searchTerms(query);
	const isEnd = (term: string, index: number) =>
		isOneUnspaced(term) && index > 0 && (terms[index - 1] ?? '').endsWith(term);
	return [...new Set(terms.filter((term, index) => isSearchable(term) && !isEnd(term, index)))];
}

/** One Latin letter stands in every message; one ideograph is a word. */
export function isSearchable(word: string): boolean {
	return word.length > 1 || word > '\u2e80';
}

/** One character of a script without spaces: it is looked for as the beginning of a term. */
export function isOneUnspaced(term: string): boolean {
	return [...term].length === 1 && unspaced.test(term);
}

const asciiWords = /[a-z0-9]+/g;
const words = /[\p{L}\p{N}\p{M}]+/gu;
const script = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`;
const unspaced = new RegExp(`[${script}]`, 'u');
const runs = new RegExp(`[${script}]+|[^${script}]+`, 'gu');

function addRun(run: string, terms: string[]): void {
	if (!unspaced.test(run)) {
		terms.push(run);
		return;
	}
	const chars = [...run];
	for (const [index, char] of chars.entries()) terms.push(char + (chars[index + 1] ?? ''));
}
