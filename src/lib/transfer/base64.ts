/** Bytes read at once: `String.fromCharCode` takes its characters as arguments, and a call has a limit of them. */
const SLICE = 0x8000;

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
	let binary = '';
	for (let i = 0; i < bytes.length; i += SLICE)
		binary += String.fromCharCode(...bytes.subarray(i, i + SLICE));
	return btoa(binary);
}

/** The bytes of a base64 text, or null where it is none. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
	try {
		const binary = atob(text);
		const bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
		return bytes;
	} catch {
		return null;
	}
}
