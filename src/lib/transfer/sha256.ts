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

/** One block of 64 bytes. Plain variables and no tuples: an attachment of 10 MB has 160,000 blocks. */
function block(data: DataView, offset: number, w: Uint32Array, state: Uint32Array): void {
	for (let i = 0; i < 16; i++) w[i] = data.getUint32(offset + i * 4);
	for (let i = 16; i < 64; i++) {
		const x = w[i - 15] ?? 0;
		const y = w[i - 2] ?? 0;
		const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
		const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
		w[i] = ((w[i - 16] ?? 0) + s0 + (w[i - 7] ?? 0) + s1) | 0;
	}
	let a = state[0] ?? 0;
	let b = state[1] ?? 0;
	let c = state[2] ?? 0;
	let d = state[3] ?? 0;
	let e = state[4] ?? 0;
	let f = state[5] ?? 0;
	let g = state[6] ?? 0;
	let h = state[7] ?? 0;
	for (let i = 0; i < 64; i++) {
		const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
		const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[i] ?? 0) + (w[i] ?? 0)) | 0;
		const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
		const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
		h = g;
		g = f;
		f = e;
		e = (d + t1) | 0;
		d = c;
		c = b;
		b = a;
		a = (t1 + t2) | 0;
	}
	// Assignment to a Uint32Array wraps at 32 bits by itself.
	state[0] = (state[0] ?? 0) + a;
	state[1] = (state[1] ?? 0) + b;
	state[2] = (state[2] ?? 0) + c;
	state[3] = (state[3] ?? 0) + d;
	state[4] = (state[4] ?? 0) + e;
	state[5] = (state[5] ?? 0) + f;
	state[6] = (state[6] ?? 0) + g;
	state[7] = (state[7] ?? 0) + h;
}
