import { imageTokens } from '$lib/context/images';
import type { FilePart, MessageId, SessionId, TreeId, UserMessage } from '$lib/history/message';
import type { Draft } from '$lib/history/session';
import { addAttachment } from '$lib/storage/attachments';
import type { HiloDatabase } from '$lib/storage/database';
import type { Compute } from '$lib/worker/client';

/** Whether there is nothing to send. */
export function isEmptyDraft(draft: Draft): boolean {
	return draft.text.trim() === '' && draft.files.length === 0;
}

/** Two drafts as one, neither lost: a message that came back, and what was typed meanwhile. */
export function mergeDrafts(first: Draft, second: Draft): Draft {
	const texts = [first.text, second.text].filter((text) => text.trim() !== '');
	const known = new Set(first.files.map((file) => file.sha256));
	return {
		text: texts.join('\n\n'),
		files: [...first.files, ...second.files.filter((file) => !known.has(file.sha256))]
	};
}

/** The content of the user message a draft becomes. */
export function draftParts(draft: Draft): UserMessage['parts'] {
	const text = draft.text.trim();
	return [...draft.files, ...(text === '' ? [] : [{ type: 'text' as const, text }])];
}

/** The message a draft would become, to be measured and shown; it has no place in the tree yet. */
export function pendingMessage(draft: Draft): UserMessage | null {
	if (isEmptyDraft(draft)) return null;
	return {
		// Never stored: these ids only fill the shape.
		id: 'pending' as MessageId,
		treeId: 'pending' as TreeId,
		originSessionId: 'pending' as SessionId,
		parentId: null,
		checkpointId: null,
		depth: 0,
		createdAt: 0,
		role: 'user',
		parts: draftParts(draft),
		metadata: {}
	};
}

/** A file that cannot be attached, and why. */
export class AttachError extends Error {
	override readonly name = 'AttachError';
}

/** The largest file one can attach, in bytes: larger ones would not fit any model's window. */
const FILE_MAX = 64 * 1024 * 1024;
const textTypes =
	/^(text\/|application\/(json|xml|x-ndjson|yaml|toml|javascript|typescript|x-tex|x-bibtex))/;
const textNames =
	/\.(txt|md|markdown|csv|tsv|json|jsonl|ya?ml|toml|tex|bib|ris|ts|js|mjs|py|r|sql|xml|html|css|sh|log|svelte|java|c|h|cpp|rs|go)$/i;
const imageTypes = /^image\/(png|jpeg|webp|gif)$/;

/** Stores a file's bytes and gives the part that stands for it in a message. Estimates are made in the worker. */
export async function attach(db: HiloDatabase, worker: Compute, file: File): Promise<FilePart> {
	if (file.size > FILE_MAX) {
		throw new AttachError(`${file.name} is larger than 64 MB and was not attached.`);
	}
	const isImage = imageTypes.test(file.type);
	if (!isImage && !textTypes.test(file.type) && !textNames.test(file.name)) {
		throw new AttachError(
			`${file.name} was not attached: text files and images (PNG, JPEG, WebP, GIF) can be.`
		);
	}
	const bytes = await file.arrayBuffer();
	const sha256 = hex(await crypto.subtle.digest('SHA-256', bytes));
	const size = isImage ? await imageSize(file) : null;
	const tokens = size
		? imageTokens(size.width, size.height)
		: await worker.estimate(new TextDecoder().decode(bytes));
	const mediaType = file.type || 'text/plain';
	await addAttachment(db, {
		sha256,
		mediaType,
		filename: file.name,
		blob: new Blob([bytes], { type: mediaType })
	});
	return {
		type: 'file',
		mediaType,
		filename: file.name,
		sha256,
		size: file.size,
		tokens,
		...(size ?? {})
	};
}

async function imageSize(file: File): Promise<{ width: number; height: number }> {
	try {
		const bitmap = await createImageBitmap(file);
		const { width, height } = bitmap;
		bitmap.close();
		return { width, height };
	} catch {
		throw new AttachError(`${file.name} could not be read as an image and was not attached.`);
	}
}

function hex(buffer: ArrayBuffer): string {
	return [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
