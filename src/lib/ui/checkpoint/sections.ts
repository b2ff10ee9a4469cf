/** Who a claim of a summary comes from. */
export type ClaimSource = 'user' | 'tool' | 'model';

/** One bullet or paragraph of a summary. */
export interface Claim {
	/** 0 for a bullet of the first level. */
	readonly depth: number;
	readonly source: ClaimSource | null;
	/** Markdown, without the mark and the citations. */
	readonly text: string;
	/** Short ids of the messages it rests on. */
	readonly citations: readonly string[];
}

export interface Section {
	/** Empty for what stands before the first heading. */
	readonly heading: string;
	readonly level: number;
	readonly claims: readonly Claim[];
}

const citation = /\(?\bm:([0-9a-f]{6,32})\b\)?/gi;
const cited = /\s*\((?:m:[0-9a-f]{6,32}[,;\s]*)+\)/gi;

/** One line of a summary: its mark and citations apart from its words. */
export function claimOf(line: string): Claim {
	const indent = /^[ \t]*/.exec(line)?.[0].replace(/\t/g, '  ').length ?? 0;
	const body = line.trim().replace(/^(?:[-*+]|\d+[.)])\s+/, '');
	const mark = /^(\[[ x]\]\s*)?\[(user|tool|model)\]\s*/i.exec(body);
	const text = mark ? (mark[1] ?? '') + body.slice(mark[0].length) : body;
	return {
		depth: Math.min(Math.floor(indent / 2), 4),
		source: (mark?.[2]?.toLowerCase() as ClaimSource | undefined) ?? null,
		text: text.replace(cited, '').trim(),
		citations: [...new Set([...body.matchAll(citation)].map(([, id]) => (id ?? '').toLowerCase()))]
	};
}

/**
 * The sections of a summary, each claim with the messages it cites. A summary is a model's text, so anything is
 * accepted: what is no bullet is a paragraph of its own; a program or a table stays one claim.
 */
export function sectionsOf(summary: string): readonly Section[] {
	const sections: { heading: string; level: number; claims: Claim[] }[] = [];
	const current = () => {
		const last = sections.at(-1);
		if (last) return last;
		const first = { heading: '', level: 2, claims: [] };
		sections.push(first);
		return first;
	};
	let whole: string[] = [];
	let fence: string | null = null;
	const flush = () => {
		const text = whole.join('\n');
		whole = [];
		if (text.trim() !== '') current().claims.push({ depth: 0, source: null, text, citations: [] });
	};
	for (const line of summary.replace(/\r\n?/g, '\n').split('\n')) {
		const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
		if (fence !== null) {
			whole.push(line);
			if (mark?.startsWith(fence)) fence = null;
			if (fence === null) flush();
			continue;
		}
		const isTable = /^\s*\|/.test(line);
		if (!isTable && !mark) flush();
		const heading = /^(#{1,6})\s+(.*?)\s*#*$/.exec(line);
		if (heading) {
			sections.push({ heading: heading[2] ?? '', level: heading[1]?.length ?? 2, claims: [] });
		} else if (mark) {
			flush();
			fence = mark;
			whole.push(line);
		} else if (isTable) whole.push(line);
		else if (line.trim() !== '') current().claims.push(claimOf(line));
	}
	flush();
	return sections;
}
