import type { ConversationMessage, FilePart } from '../history/message';

/** How a provider family counts an image of so many pixels. Tokens. */
export type ImageCount = (width: number, height: number) => number;

/** Where no formula is published: about the largest image of a family that has one. Tokens. */
const FIXED = 1600;

/** Anthropic: width × height / 750 after scaling to at most 1568 px on the long side. */
const byArea: ImageCount = (width, height) => {
	const scale = Math.min(1, 1568 / Math.max(width, height));
	return Math.ceil((width * scale * height * scale) / 750);
};

/** OpenAI at high detail: within 2048 px, the short side to 768, then so much a tile of 512 px. */
const byTiles =
	(base: number, tile: number): ImageCount =>
	(width, height) => {
		const within = Math.min(1, 2048 / Math.max(width, height));
		const short = Math.min(1, 768 / (Math.min(width, height) * within));
		const across = Math.ceil((width * within * short) / 512);
		const down = Math.ceil((height * within * short) / 512);
		return base + tile * across * down;
	};

/** OpenAI's smaller models: patches of 32 px, at most 1,536 of them, times a factor of the model. */
const byPatches =
	(factor: number): ImageCount =>
	(width, height) =>
		Math.ceil(factor * Math.min(1536, Math.ceil(width / 32) * Math.ceil(height / 32)));

/** Google: 258 for an image within 384 px, else for each tile of 768 px. */
const byGoogle: ImageCount = (width, height) =>
	width <= 384 && height <= 384 ? 258 : 258 * Math.ceil(width / 768) * Math.ceil(height / 768);

/** By the model's name, first match first, from the providers' pages on images. */
const families: readonly (readonly [RegExp, ImageCount])[] = [
	[/claude/, byArea],
	[/gemini/, byGoogle],
	[/gpt-4\.1-mini|gpt-5-mini/, byPatches(1.62)],
	[/gpt-4\.1-nano|gpt-5-nano/, byPatches(2.46)],
	[/o4-mini/, byPatches(1.72)],
	[/gpt-4o-mini/, byTiles(2833, 5667)],
	[/gpt-5/, byTiles(70, 140)],
	[/\bo[13]\b/, byTiles(75, 150)],
	[/gpt-4/, byTiles(85, 170)]
];

/**
 * How a model counts images: by the formula its provider publishes, else a fixed cost. Never by bytes. Rule C13.
 * @param model the provider's name for it
 */
export function imageCountOf(model: string): ImageCount {
	const name = model.toLowerCase();
	const count = families.find(([pattern]) => pattern.test(name))?.[1];
	return (width, height) => (count && width > 0 && height > 0 ? count(width, height) : FIXED);
}

/** Tokens of an image before it is known who will see it: what most models count at most. */
export function imageTokens(width: number, height: number): number {
	return width > 0 && height > 0 ? byArea(width, height) : byArea(1568, 1568);
}

/** The images of a message. */
export function imagesOf(message: ConversationMessage): FilePart[] {
	return message.parts.filter(
		(part): part is FilePart => part.type === 'file' && part.mediaType.startsWith('image/')
	);
}
