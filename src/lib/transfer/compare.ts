/**
 * Whether two rows say the same, so that importing them again can be skipped. The order of keys does not matter; a key
 * with the value `undefined` is the same as no key, because JSON cannot write it.
 */
export function sameRow(a: unknown, b: unknown): boolean {
	if (a === b) return true;
	// NaN is the one value that is not equal to itself.
	if (typeof a === 'number' && typeof b === 'number') return Number.isNaN(a) && Number.isNaN(b);
	if (Array.isArray(a) && Array.isArray(b))
		return a.length === b.length && a.every((value, i) => sameRow(value, b[i]));
	if (!isPlain(a) || !isPlain(b)) return false;
	const keys = definedKeys(a);
	return (
		keys.length === definedKeys(b).length &&
		keys.every((key) => Object.hasOwn(b, key) && sameRow(a[key], b[key]))
	);
}

function isPlain(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function definedKeys(value: Record<string, unknown>): string[] {
	return Object.keys(value).filter((key) => value[key] !== undefined);
}
