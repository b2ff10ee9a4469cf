/** Words for numbers and times, in one place so that the same quantity reads the same everywhere. */

const whole = new Intl.NumberFormat('en');

/** A whole number with its separators: 142000 → "142,000". */
export function formatCount(value: number): string {
	return whole.format(Math.round(value));
}

/** Tokens in short, rounded: 812, 1.2k, 142k, 1.3M. */
export function formatTokens(tokens: number): string {
	const size = Math.round(Math.abs(tokens));
	const sign = tokens < 0 ? '−' : '';
	const short = (unit: number, name: string) => {
		const tenths = Math.round((size * 10) / unit);
		return `${sign}${tenths < 100 ? tenths / 10 : Math.round(size / unit)}${name}`;
	};
	if (size < 1000) return `${sign}${size}`;
	// What would round to 1000k is a million.
	return Math.round(size / 1000) < 1000 ? short(1000, 'k') : short(1_000_000, 'M');
}

/** Bytes in short, decimal units as disks and browsers count them: 0 B, 812 B, 1.2 kB, 142 MB. */
export function formatBytes(bytes: number): string {
	const units = ['B', 'kB', 'MB', 'GB', 'TB'];
	let value = bytes;
	let step = 0;
	while (value >= 1000 && step < units.length - 1) {
		value /= 1000;
		step += 1;
	}
	const shown = step > 0 && value < 10 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value);
	return `${shown} ${units[step] ?? 'B'}`;
}

/** US dollars, two digits that count: $0.0034, $0.012, $1.20, $142. Nothing at all is "free". */
export function formatDollars(value: number): string {
	if (value === 0) return 'free';
	if (value < 0.0001) return 'under $0.0001';
	if (value >= 100) return `$${formatCount(value)}`;
	// The decimals that two digits need, with two for anything that reads as money.
	const decimals = Math.max(2, 1 - Math.floor(Math.log10(value)));
	return `$${value.toFixed(decimals)}`;
}

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/**
 * How long ago, in short words.
 * @param at epoch milliseconds
 * @param now epoch milliseconds
 */
export function formatAgo(at: number, now: number): string {
	const gone = now - at;
	if (gone < minute) return 'just now';
	if (gone < hour) return `${Math.floor(gone / minute)} min ago`;
	if (gone < day) return `${Math.floor(gone / hour)} h ago`;
	if (gone < 2 * day) return 'yesterday';
	if (gone < 30 * day) return `${Math.floor(gone / day)} days ago`;
	const date = new Date(at);
	return date.toLocaleDateString('en', {
		day: 'numeric',
		month: 'short',
		...(date.getFullYear() === new Date(now).getFullYear() ? {} : { year: 'numeric' })
	});
}

/** A key combination as this keyboard prints it. `Mod` is ⌘ on a Mac and Ctrl elsewhere. */
export function formatKeys(keys: string, mac: boolean): string[] {
	const names: Readonly<Record<string, string>> = mac
		? { Mod: '⌘', Shift: '⇧', Alt: '⌥', Enter: '↵', Esc: 'Esc' }
		: { Mod: 'Ctrl' };
	return keys.split('+').map((key) => names[key] ?? key);
}
