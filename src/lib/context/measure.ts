import type { ConversationMessage, FilePart, Message, Part, ToolPart } from '../history/message';
import { estimateText } from './estimate';
import { imagesOf, type ImageCount } from './images';

/** Tokens of one message as it is sent verbatim. A port, so that measures can be cached or made in a worker. */
export type Measure = (message: ConversationMessage) => number;

/** What the provider adds around each message: role, separators. Tokens. */
const MESSAGE_FRAME = 4;
/** What the provider adds around a tool call and its result: ids, names, JSON braces. Tokens. */
const TOOL_FRAME = 16;

/**
 * Estimated tokens of one part. Reasoning counts nothing here: it is not replayed to a model (see `request.ts`).
 * @param resultLimit the most a tool result takes in what is sent, as `sentMessages` cuts it. Default: no limit
 */
export function partTokens(part: Part, resultLimit = Infinity): number {
	switch (part.type) {
		case 'text':
			return estimateText(part.text);
		case 'file':
			return part.tokens + estimateText(part.filename) + TOOL_FRAME;
		case 'dynamic-tool':
			return toolTokens(part, resultLimit);
		case 'reasoning':
		case 'step-start':
			return 0;
	}
}

function toolTokens(part: ToolPart, resultLimit: number): number {
	return (
		TOOL_FRAME +
		estimateText(part.toolName) +
		estimateText(asText(part.input)) +
		Math.min(resultLimit, estimateText(part.errorText ?? asText(part.output)))
	);
}

/** A tool's input or output as the text a model reads: strings as they are, everything else as JSON. */
export function asText(value: unknown): string {
	if (value === undefined) return '';
	return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Estimated tokens of one whole message, by part. Rule C12. */
export const measureMessage: Measure = (message) =>
	message.parts.reduce((sum, part) => sum + partTokens(part), MESSAGE_FRAME);

/** Measures messages as they are sent, where one tool result may take `resultLimit` tokens. Rules C12, C110. */
export function measureWithin(resultLimit: number): Measure {
	return (message) =>
		message.parts.reduce((sum, part) => sum + partTokens(part, resultLimit), MESSAGE_FRAME);
}

/** Measures each message once: messages are immutable, so the figure can be kept as long as the message lives. */
export function cachedMeasure(measure: Measure = measureMessage): Measure {
	const known = new WeakMap<Message, number>();
	return (message) => {
		const before = known.get(message);
		if (before !== undefined) return before;
		const tokens = measure(message);
		known.set(message, tokens);
		return tokens;
	};
}

/** What estimates the tokens of a request: texts and messages by the same measure. */
export interface Estimator {
	readonly text: (text: string) => number;
	readonly message: Measure;
	/** The images of a message alone, as part of `message`. */
	readonly images: Measure;
	/** Tokens estimated without calibration, as this estimator would have said. */
	readonly scale: (tokens: number) => number;
}

/**
 * An estimator for one model.
 * @param factor what usage reports have taught of its tokenizer (`factorOf`); 1 where nothing is known
 * @param measure uncalibrated tokens of a message
 * @param images how the model counts images, which no factor corrects; without it they cost what was measured when they
 * were attached
 */
export function estimatorOf(
	factor = 1,
	measure: Measure = measureMessage,
	images?: ImageCount
): Estimator {
	const scale = (tokens: number) => Math.ceil(tokens * factor);
	const seen = ({ width, height, tokens }: FilePart) =>
		images ? images(width ?? 0, height ?? 0) : tokens;
	const imageTokens: Measure = (message) =>
		imagesOf(message).reduce((sum, picture) => sum + seen(picture), 0);
	return {
		text: (text) => scale(estimateText(text)),
		message: (message) => {
			const attached = imagesOf(message).reduce((sum, { tokens }) => sum + tokens, 0);
			return scale(measure(message) - attached) + imageTokens(message);
		},
		images: imageTokens,
		scale
	};
}

/** Estimates as they are without any usage report. */
export const uncalibrated: Estimator = estimatorOf();
