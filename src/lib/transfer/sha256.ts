/** Round constants: the first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4). */
const K = new Uint32Array(64);
/** Initial state: the same of the square roots of the first 8 primes. */
const H = new Uint32Array(8);

for (let candidate = 2, found = 0; found < 64; candidate++) {
	let prime = true;
	for (let divisor = 2; divisor * divisor <= candidate && prime; divisor++)
		prime = candidate % divisor !== 0;
	if (!prime) continue;
	const fraction = (root: number) => ((root - Math.floor(root)) * 2 ** 32) >>> 0;
	K[found] = fraction(Math.cbrt(candidate));
	if (found < 8) H[found] = fraction(Math.sqrt(candidate));
	found++;
}

/**
 * SHA-256 of bytes, or of a text's UTF-8, as lower-case hexadecimal. Synchronous and pure, because `crypto.subtle` is
 * neither: decoding a file stays one function of its text.
 */
export function sha256(data: Uint8Array | string): string {
	const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
	const state = new Uint32Array(H);
	const whole = bytes.length - (bytes.length % 64);
	const words = new Uint32Array(64);
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	for (let offset = 0; offset < whole; offset += 64) block(view, offset, words, state);

	// The rest, a 1 bit, zeros, and the length in bits: one block or two.
	const rest = bytes.subarray(whole);
	const last = new DataView(new ArrayBuffer(rest.length < 56 ? 64 : 128));
	rest.forEach((byte, i) => last.setUint8(i, byte));
	last.setUint8(rest.length, 0x80);
	last.setUint32(last.byteLength - 8, Math.floor(bytes.length / 2 ** 29));
	last.setUint32(last.byteLength - 4, (bytes.length << 3) >>> 0);
	for (let offset = 0; offset < last.byteLength; offset += 64) block(last, offset, words, state);

	return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function block(data: DataView, offset: number, w: Uint32Array, state: Uint32Array): void {
	const at = (array: Uint32Array, i: number): number => array[i] ?? 0;
	for (let i = 0; i < 16; i++) w[i] = data.getUint32(offset + i * 4);
	for (let i = 16; i < 64; i++) {
		const x = at(w, i - 15);
		const y = at(w, i - 2);
		const s0 = rotate(x, 7) ^ rotate(x, 18) ^ (x >>> 3);
		const s1 = rotate(y, 17) ^ rotate(y, 19) ^ (y >>> 10);
		w[i] = at(w, i - 16) + s0 + at(w, i - 7) + s1;
	}
	let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
	for (let i = 0; i < 64; i++) {
		const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
		const t1 = (h + s1 + ((e & f) ^ (~e & g)) + at(K, i) + at(w, i)) | 0;
		const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
		const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
		[h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
	}
	[a, b, c, d, e, f, g, h].forEach((value, i) => (state[i] = at(state, i) + value));
}

function rotate(x: number, by: number): number {
	return (x >>> by) | (x << (32 - by));
}
