/**
 * Estimated tokens of a text, without a tokenizer: one pass over its characters, each run priced by its class.
 * The prices were fitted to o200k on `tests/fixtures/corpus.ts` (`npm run bench` prints the table): between 0.9 and 1.5
 * of the real count for each language and notation there, leaning high, because an under-estimate is what overflows.
 * Rules C10, C11.
 */
export function estimateText(text: string): number {
	const end = text.length;
	let tokens = 0;
	for (let index = 0; index < end;) {
		const kind = classOf(text.charCodeAt(index));
		const next = runEnd(text, index, end, kind);
		tokens += runTokens(text, index, next, kind);
		index = next;
	}
	return Math.ceil(tokens);
}

/**
 * Where the longest piece of `text` ends that begins at `from` and is estimated at no more than `limit` tokens. One pass
 * over the piece, however long the rest is. At least one whole character is taken, so that whoever cuts makes headway;
 * never the half of a surrogate pair.
 */
export function prefixWithin(text: string, limit: number, from = 0): number {
	const end = text.length;
	let tokens = 0;
	let index = from;
	while (index < end) {
		const kind = classOf(text.charCodeAt(index));
		const next = runEnd(text, index, end, kind);
		const price = runTokens(text, index, next, kind);
		if (tokens + price > limit) {
			index = cutRun(text, index, next, kind, limit - tokens);
			break;
		}
		tokens += price;
		index = next;
	}
	return Math.min(end, Math.max(index, from + (isHighSurrogate(text.charCodeAt(from)) ? 2 : 1)));
}

/** How far into a run `room` tokens reach. Only long runs are worth dividing. */
function cutRun(text: string, from: number, to: number, kind: number, room: number): number {
	let cut = from + Math.floor(((to - from) * room) / runTokens(text, from, to, kind));
	while (cut > from && runTokens(text, from, cut, kind) > room) cut -= 1 + ((cut - from) >> 3);
	return cut > from && isHighSurrogate(text.charCodeAt(cut - 1)) ? cut - 1 : Math.max(from, cut);
}

const isHighSurrogate = (code: number) => code >= 0xd800 && code < 0xdc00;

/** Where the run of characters ends that begins at `index` and is priced as one. */
function runEnd(text: string, index: number, end: number, kind: number): number {
	let next = index + 1;
	switch (kind) {
		case LATIN:
			return wordEnd(text, next, end);
		case DIGIT:
			while (next < end && isDigit(text.charCodeAt(next))) next++;
			return next;
		case SPACE:
			while (next < end && text.charCodeAt(next) === 32) next++;
			return next;
		case BREAK:
			while (next < end && isBreak(text.charCodeAt(next))) next++;
			return next;
		case PUNCTUATION: {
			const code = text.charCodeAt(index);
			while (next < end && text.charCodeAt(next) === code) next++;
			return next;
		}
		default:
			while (next < end && classOf(text.charCodeAt(next)) === kind) next++;
			return next;
	}
}

/** Tokens of one run, fractions included. */
function runTokens(text: string, from: number, to: number, kind: number): number {
	const length = to - from;
	switch (kind) {
		case LATIN:
			return wordTokens(text, from, to);
		case DIGIT:
			// Modern tokenizers group digits by three.
			return Math.ceil(length / 3);
		case SPACE:
			// One space belongs to the word after it, but never to a number; a longer run is a token for each 16 or so.
			if (length > 1) return Math.ceil(length / 16);
			return to < text.length && isDigit(text.charCodeAt(to)) ? 1 : 0;
		case BREAK:
			return Math.ceil(length / 4);
		case PUNCTUATION:
			return punctuationTokens(length);
		case HANGUL:
			return hangulTokens(length);
		default:
			return scriptTokens(kind, length);
	}
}

const LATIN = 0;
const DIGIT = 1;
const SPACE = 2;
const BREAK = 3;
const PUNCTUATION = 4;
const CYRILLIC = 5;
const GREEK = 6;
const HEBREW = 7;
const ARABIC = 8;
const INDIC = 9;
const THAI = 10;
const HAN = 11;
const KANA = 12;
const HANGUL = 13;
const WIDE_PUNCTUATION = 14;
const SURROGATE = 15;
const OTHER = 16;

/**
 * Price of a run of `length` characters in a script: `word` for the run, `letter` for each character of it.
 * Scripts written without spaces are priced by the character alone.
 */
const scripts: Readonly<Record<number, { readonly word: number; readonly letter: number }>> = {
	[CYRILLIC]: { word: 0.35, letter: 0.24 },
	[GREEK]: { word: 0.4, letter: 0.33 },
	[HEBREW]: { word: 0.3, letter: 0.4 },
	[ARABIC]: { word: 0.3, letter: 0.33 },
	[INDIC]: { word: 0.2, letter: 0.32 },
	[THAI]: { word: 0, letter: 0.5 },
	[HAN]: { word: 0, letter: 0.85 },
	[KANA]: { word: 0, letter: 0.78 },
	[WIDE_PUNCTUATION]: { word: 0, letter: 1 },
	// A surrogate is half a character: emoji cost two to three tokens.
	[SURROGATE]: { word: 0, letter: 1.1 },
	[OTHER]: { word: 0, letter: 1 }
};

function scriptTokens(kind: number, length: number): number {
	const price = scripts[kind];
	return price ? price.word + price.letter * length : length;
}

/** Korean words of a few letters are in the vocabulary; text without spaces falls apart into letters. */
function hangulTokens(length: number): number {
	return Math.min(length, HANGUL_WORD) * 0.82 + Math.max(0, length - HANGUL_WORD) * 0.96;
}

const HANGUL_WORD = 8;

function punctuationTokens(length: number): number {
	return length === 1 ? 0.85 : Math.max(1, length / 8);
}

/** Letters that most often stand in words of several tokens are outside ASCII: each adds to the word's price. */
function wordTokens(text: string, from: number, to: number): number {
	const length = to - from;
	if (length > 24) return hashTokens(length);
	let accents = 0;
	let extended = 0;
	let tones = 0;
	let humps = 0;
	let lower = false;
	for (let index = from; index < to; index++) {
		const code = text.charCodeAt(index);
		if (code >= 0x1e00) tones++;
		else if (code >= 0x100) extended++;
		else if (code > 127) accents++;
		const isUpper = code >= 65 && code <= 90;
		if (isUpper && lower) humps++;
		lower = !isUpper;
	}
	// A word of up to 5 letters is one token; longer words split now and then, capitals and accents inside split them too.
	return (
		1 +
		(length > 5 ? (length - 5) * 0.085 : 0) +
		accents * 0.55 +
		extended * 1.1 +
		tones * 0.1 +
		humps * 0.45
	);
}

/** Long unbroken runs are hashes and base64, which no vocabulary knows. */
function hashTokens(length: number): number {
	return length * 0.85;
}

function wordEnd(text: string, from: number, end: number): number {
	let index = from;
	let digits = 0;
	while (index < end) {
		const code = text.charCodeAt(index);
		if (isDigit(code)) digits++;
		else if (classOf(code) !== LATIN) break;
		index++;
	}
	if (digits === 0 || index - from >= 23) return index;
	// A short word with digits in it is a word and a number.
	let stop = from;
	while (stop < index && !isDigit(text.charCodeAt(stop))) stop++;
	return stop;
}

const isDigit = (code: number) => code >= 48 && code <= 57;
const isBreak = (code: number) => code === 10 || code === 13 || code === 9;

function classOf(code: number): number {
	if (code < 128) {
		if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return LATIN;
		if (isDigit(code)) return DIGIT;
		if (code === 32) return SPACE;
		if (isBreak(code)) return BREAK;
		return PUNCTUATION;
	}
	if (code < 0xc0) return PUNCTUATION;
	if (code < 0x370) return LATIN;
	if (code < 0x400) return GREEK;
	if (code < 0x530) return CYRILLIC;
	if (code >= 0x590 && code < 0x600) return HEBREW;
	if (code < 0x780 && code >= 0x600) return ARABIC;
	if (code >= 0x900 && code < 0xe00) return INDIC;
	if (code >= 0xe00 && code < 0xe80) return THAI;
	if (code >= 0x1e00 && code < 0x1f00) return LATIN;
	if (code >= 0x1f00 && code < 0x2000) return GREEK;
	if (code >= 0x2000 && code < 0x2070) return PUNCTUATION;
	if (code >= 0x3000 && code < 0x3040) return WIDE_PUNCTUATION;
	if (code >= 0x3040 && code < 0x3100) return KANA;
	if (code >= 0x3400 && code < 0xa000) return HAN;
	if (code >= 0xac00 && code < 0xd7b0) return HANGUL;
	if (code >= 0xd800 && code < 0xe000) return SURROGATE;
	if (code >= 0xff00 && code < 0xfff0) return WIDE_PUNCTUATION;
	return OTHER;
}
