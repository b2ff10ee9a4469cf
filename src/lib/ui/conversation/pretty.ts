import { visible } from '$lib/markdown/visible';

/** A tool's value as text to read: a text as it is, anything else as JSON. Never throws: a provider may send anything. */
export function prettyValue(value: unknown): string {
	if (typeof value === 'string') return visible(value);
	try {
		return visible(JSON.stringify(value, null, 2) ?? '');
	} catch {
		return 'This value cannot be written as JSON.';
	}
}

/** The one argument that tells calls apart, in short: the first text of an object, else its first number. */
export function argumentOf(input: unknown): string {
	const short = (text: string) => visible(text.replace(/\s+/g, ' ').trim()).slice(0, 160);
	if (typeof input === 'string') return short(input);
	if (typeof input !== 'object' || input === null) return '';
	const values: unknown[] = Object.values(input);
	const text = values.find((value) => typeof value === 'string' && value.trim() !== '');
	if (typeof text === 'string') return short(text);
	const number = values.find((value) => typeof value === 'number');
	return number === undefined ? '' : String(number);
}
