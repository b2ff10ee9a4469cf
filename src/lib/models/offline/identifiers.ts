/** Concrete things a sentence must not lose: what makes it worth quoting, and what may never be cut through. */
const shapes: readonly RegExp[] = [
	/\bhttps?:\/\/[^\s"'<>]+[^\s"'<>.,;:!?)\]}]/g,
	/\b10\.\d{4,9}\/[^\s"'<>]+[^\s"'<>.,;:)\]}]/g,
	/\barXiv:\s?\d{4}\.\d{4,5}/gi,
	// Zotero keys, as in compaction/references.ts.
	/(?<![\w-])(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[2-9A-HIJ-NP-Z]{8}(?![\w-])/g,
	/(?<![\w.@])@[a-z][\w-]*\d{4}\w*/gi,
	/(?<![\w:/])(?:\.{0,2}\/)?(?:[\w@.-]+\/)+[\w@.-]*\.[a-z][a-z0-9]{0,7}\b/gi,
	/\b[\w-]+\.(?:pdf|epub|csv|tsv|json|xlsx?|docx?|md|txt|py|ts|js|svelte|R|ipynb|bib|ris)\b/g,
	/`[^`\n]{2,120}`/g,
	/\b\d{4}-\d{2}-\d{2}\b/g,
	/[±≈<>≤≥]?\d[\d.,]*\s?(?:%|‰|°C|kg|mg|µg|g|km|cm|mm|nm|ms|s|min|h|days?|weeks?|months?|years?|días?|semanas?|meses|años|Hz|kHz|MHz|GHz|kB|MB|GB|mmol|mL|ml|tokens?|participants?|participantes|items?|€|\$|USD|EUR)(?![\p{L}\d])/gu,
	/\b[npkrd]\s?[=<>≤≥]\s?-?\d[\d.,]*/gi,
	/\b\p{Lu}[\p{L}'’-]+(?: et al\.| (?:and|y|&) \p{Lu}[\p{L}'’-]+)?,? \(?(?:19|20)\d{2}[a-z]?\)?/gu,
	/\bpp?\.\s?\d+(?:[–-]\d+)?/g,
	/[“«"][^“”«»"\n]{8,240}[”»"]/g
];

export interface Span {
	readonly from: number;
	readonly to: number;
}

/** Where identifiers stand in a text, in order; overlapping ones are merged. Characters. */
export function identifierSpans(text: string): Span[] {
	const spans: Span[] = [];
	for (const shape of shapes)
		for (const match of text.matchAll(shape))
			spans.push({ from: match.index, to: match.index + match[0].length });
	spans.sort((a, b) => a.from - b.from || b.to - a.to);
	const merged: { from: number; to: number }[] = [];
	for (const span of spans) {
		const last = merged.at(-1);
		if (last && span.from < last.to) last.to = Math.max(last.to, span.to);
		else merged.push({ ...span });
	}
	return merged;
}

/**
 * A text shortened to about `max` characters with …, never through an identifier. The beginning stays, then the words
 * around as many identifiers as there is room for.
 */
export function shorten(text: string, max: number, spans = identifierSpans(text)): string {
	if (text.length <= max) return text;
	let end = wordBreak(text, Math.floor(max * 0.6), spans);
	let out = text.slice(0, end).trimEnd();
	for (const span of spans) {
		if (span.to <= end) continue;
		const from = Math.max(end, wordBreak(text, Math.max(end, span.from - 40), spans));
		const piece = text.slice(from, span.to).trim();
		if (out.length + piece.length + 5 > max) break;
		out += from > end ? ` … ${piece}` : ` ${piece}`;
		end = span.to;
	}
	return end < text.length ? `${out} …` : out;
}

/** The last break between words at or before `at` that is not inside an identifier. */
function wordBreak(text: string, at: number, spans: readonly Span[]): number {
	const inside = spans.find((span) => span.from < at && at < span.to);
	// A quotation longer than the room is kept whole rather than falsified.
	if (inside) return inside.from > 0 ? inside.from : inside.to;
	if (at === 0 || /\s/.test(text[at] ?? ' ')) return at;
	const space = text.lastIndexOf(' ', at);
	if (space <= 0) return at;
	const cut = spans.find((span) => span.from < space && space < span.to);
	return cut ? cut.from : space;
}
