import { sha256 } from './sha256';

const LAST_MS = 2 ** 48 - 1;

/**
 * A UUID of version 7's shape whose "random" bits are a hash of `seed`: the same entry of the same file gets the same id
 * each time, so that importing it again adds nothing.
 * @param ms epoch milliseconds, clamped to the 48 bits a UUIDv7 has for them
 */
export function uuidFrom(ms: number, seed: string): string {
	const time = Math.min(Math.max(Math.trunc(ms) || 0, 0), LAST_MS)
		.toString(16)
		.padStart(12, '0');
	const hash = sha256(seed);
	// RFC 9562: the two top bits of the fourth group are 10.
	const variant = ((parseInt(hash.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
	return [
		time.slice(0, 8),
		time.slice(8, 12),
		`7${hash.slice(0, 3)}`,
		`${variant}${hash.slice(4, 7)}`,
		hash.slice(7, 19)
	].join('-');
}
