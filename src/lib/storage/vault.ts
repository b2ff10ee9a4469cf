import type { HiloDatabase, SealedKey } from './database';
import { atomic } from './atomic';

const DEVICE_KEY = 'device-key';

/**
 * Seals a provider's key with this device's own key: AES-GCM, non-extractable, so that a copy of the database opens
 * nothing elsewhere. The sealed key is bound to one origin and refused for any other.
 */
export async function sealKey(
	db: HiloDatabase,
	apiKey: string,
	origin: string
): Promise<SealedKey> {
	const iv = crypto.getRandomValues(new Uint8Array(12));
	const bytes = await crypto.subtle.encrypt(
		{ name: 'AES-GCM', iv, additionalData: new TextEncoder().encode(origin) },
		await deviceKey(db),
		new TextEncoder().encode(apiKey)
	);
	return { iv, bytes, origin };
}

/** Opens a sealed key for the origin it was saved for. Null when it belongs to another origin or device. */
export async function openKey(
	db: HiloDatabase,
	sealed: SealedKey,
	origin: string
): Promise<string | null> {
	if (sealed.origin !== origin) return null;
	try {
		const bytes = await crypto.subtle.decrypt(
			{ name: 'AES-GCM', iv: sealed.iv, additionalData: new TextEncoder().encode(origin) },
			await deviceKey(db),
			sealed.bytes
		);
		return new TextDecoder().decode(bytes);
	} catch {
		return null;
	}
}

async function deviceKey(db: HiloDatabase): Promise<CryptoKey> {
	const row = await db.meta.get(DEVICE_KEY);
	if (row?.value instanceof CryptoKey) return row.value;
	const fresh = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, [
		'encrypt',
		'decrypt'
	]);
	// Two tabs may both find none: the first to write wins, and the other uses that one.
	return atomic(db, [db.meta], async () => {
		const other = await db.meta.get(DEVICE_KEY);
		if (other?.value instanceof CryptoKey) return other.value;
		await db.meta.put({ key: DEVICE_KEY, value: fresh });
		return fresh;
	});
}
