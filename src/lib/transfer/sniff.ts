import { isObject } from './json';

/** What a file that is no text begins with, decoded as UTF-8: bytes that are none have become U+FFFD. */
const SIGNATURES: readonly (readonly [string, string])[] = [
	['%PDF-', 'a PDF document'],
	['PK\u0003\u0004', 'a ZIP archive (unpack it and choose the file inside)'],
	['PK\u0005\u0006', 'an empty ZIP archive'],
	['\u001f\ufffd', 'a gzip archive (unpack it and choose the file inside)'],
	['SQLite format 3', 'an SQLite database'],
	['\ufffdPNG', 'a picture'],
	['\ufffd\ufffd\ufffd\ufffd\u0000\u0010JFIF', 'a picture'],
	['GIF8', 'a picture']
];

const TEXTS: readonly (readonly [RegExp, string])[] = [
	[
		/^\s*<(?:!doctype html|html|head|body)/i,
		'a web page (perhaps a sign-in page saved instead of the file)'
	],
	[/^\s*<(?:\?xml|!--|[a-z])/i, 'an XML or HTML file'],
	[/^---\r?\n|^\s*#{1,6} /, 'a Markdown text']
];

/** What a text looks like that is neither JSON nor JSON lines. */
export function looksLike(text: string): string {
	if (text.trim() === '') return 'an empty file';
	const signature = SIGNATURES.find(([start]) => text.startsWith(start));
	if (signature) return signature[1];
	// UTF-16 read as UTF-8, or a binary format we do not know: text has no NUL.
	if (text.slice(0, 1000).includes('\u0000')) return 'a binary file';
	return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ?? 'a plain text';
}

/** Other products' exports by their shape, so that a refusal can name them. See the tests for one example each. */
const FLAVOURS: readonly (readonly [
	string,
	(value: Readonly<Record<string, unknown>>) => boolean
])[] = [
	['ChatGPT', (v) => isObject(v['mapping'])],
	['Claude', (v) => Array.isArray(v['chat_messages'])],
	['Open WebUI', (v) => isObject(v['chat']) && ('history' in v['chat'] || 'messages' in v['chat'])],
	['LibreChat', (v) => 'conversationId' in v && ('messages' in v || 'messagesTree' in v)],
	['llama.cpp', (v) => 'harness' in v || (isObject(v['conv']) && Array.isArray(v['messages']))],
	['big-AGI', (v) => v['schema'] === 'vnd.agi.flash-backup' || 'systemPurposeId' in v],
	['LobeHub', (v) => 'exportType' in v && isObject(v['state'])],
	['NextChat', (v) => 'chat-next-web-store' in v],
	['Google AI Studio', (v) => isObject(v['chunkedPrompt'])]
];

/** The product whose export a JSON value looks like, or null. */
export function productOf(value: unknown): string | null {
	const first: unknown = Array.isArray(value) ? value[0] : value;
	if (!isObject(first)) return null;
	return FLAVOURS.find(([, matches]) => matches(first))?.[0] ?? null;
}
