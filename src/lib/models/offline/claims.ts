import type { CheckpointRequest, Speaker, TranscriptBlock } from './checkpoint-request';
import { identifierSpans, shorten } from './identifiers';
import { isOwnAnswer } from './language';
import { kindOf, progressGroups, type ProgressGroup } from './section-kinds';
import {
	isBareRow,
	isCodeLike,
	isFurniture,
	linesOfJson,
	plainLine,
	sentencesOf
} from './sentences';
import { terms } from './words';

/** One thing a checkpoint could say. */
export interface Claim {
	/** The bullet's text after its mark, verbatim or shortened with …, citation included for carried ones. */
	readonly text: string;
	readonly speaker: Speaker;
	/** Cited message; null for a carried claim, whose citation is part of its text. */
	readonly id: string | null;
	readonly words: ReadonlySet<string>;
	readonly identifiers: number;
	/** 0 for the oldest, 1 for the newest: of the transcript, or of its section in the previous summary. */
	readonly recency: number;
	readonly isQuestion: boolean;
	/** Stands in a fenced block: a command or code. */
	readonly isCode: boolean;
	/** The line that announces the list this stands in ("Please keep these criteria:"), or empty. */
	readonly intro: string;
	/** Where the previous summary had it. */
	readonly carried: {
		readonly heading: string;
		readonly group: ProgressGroup | null;
		readonly done: boolean;
	} | null;
}

/** Characters of a quoted bullet. A longer sentence is shortened around its identifiers. */
const bulletMax = 260;

const noise =
	/^(?:hi|hello|hey|hola|thanks|thank you|gracias|ok|okay|yes|no|sure|great|perfect|vale|sí|claro|of course|certainly)\b[^.?!]{0,24}[.!]?$|^\((?:stopped by the user|interrupted|cut at the output limit|empty message)\)$|\[about \d+ tokens cut here/iu;
/** A model saying what it is about to do: of no use once it has been done. */
const announcement =
	/^(?:i will|i'll|i can|i would|let me|i am going to|i'm going to|here (?:is|are)|understood|noted|voy a|puedo|aquí (?:está|están|tienes)|entendido|anotado)(?![\p{L}])/iu;
/** A quoted order to a model is no finding, whoever's text it stands in. */
const order =
	/\b(?:ignore|disregard|forget) (?:all |any |the )?(?:previous|prior|above|earlier) (?:instructions|messages|text)/i;

/** The claims of the transcript, oldest first. */
export function claimsOf(request: CheckpointRequest): Claim[] {
	const count = request.blocks.length;
	return request.blocks.flatMap((block, index) =>
		linesOf(block).flatMap(({ line, isCode, isCommand, intro }): Claim[] => {
			if (noise.test(line) || (block.speaker !== 'user' && order.test(line))) return [];
			// What tools return as code is in the files; only the talk about it belongs here.
			if (isCode && !isCommand && block.speaker === 'tool') return [];
			const words = new Set(terms(line));
			const spans = identifierSpans(line);
			if (words.size < 3 && spans.length === 0 && !isCommand) return [];
			if (block.speaker === 'assistant' && spans.length === 0 && announcement.test(line)) return [];
			if (/^[\p{Ps}\p{Pe}\p{Po}\p{Sm}\s]*$/u.test(line)) return [];
			return [
				{
					text: shorten(line, bulletMax, spans),
					speaker: block.speaker,
					id: block.id,
					words,
					identifiers: spans.length,
					recency: (index + 1) / count,
					isQuestion: /\?\s*$/.test(line) || line.startsWith('¿'),
					isCode,
					intro,
					carried: null
				}
			];
		})
	);
}

interface Line {
	readonly line: string;
	readonly isCode: boolean;
	/** What a tool was asked to run. */
	readonly isCommand?: boolean;
	readonly intro: string;
}

const listItem = /^\s*(?:[-*+•]|\d{1,3}[.)]|[a-z]\))\s+/i;

function linesOf(block: TranscriptBlock): Line[] {
	if (block.speaker === 'assistant' && isOwnAnswer(block.text)) return [];
	const out: Line[] = [];
	let isCode = false;
	let intro = '';
	for (const raw of block.text.split('\n')) {
		if (/^\s*(?:```|~~~)/.test(raw)) isCode = !isCode;
		else if (isCode) {
			if (raw.trim() !== '') out.push({ line: raw.trim(), isCode, intro: '' });
		} else if (!isFurniture(raw)) {
			const inList = listItem.test(raw);
			if (!inList && raw.trim() !== '') intro = /:\s*$/.test(raw) ? raw.trim() : '';
			// Tool blocks: "input: {…}" is the question asked of the tool, "result: …" is what it gave.
			const labelled = block.speaker === 'tool' ? /^(input|result): (.*)$/.exec(raw) : null;
			if (labelled?.[1] === 'input') {
				const command = commandIn(labelled[2] ?? '');
				if (command !== '') out.push({ line: command, isCode: true, isCommand: true, intro: '' });
				continue;
			}
			const text = labelled?.[2] ?? raw;
			const json = linesOfJson(text);
			for (const line of json ?? sentencesOf(plainLine(text)))
				if (line !== '' && !isBareRow(line))
					out.push({
						line: line.replace(/\s+/g, ' '),
						isCode: !json && isCodeLike(line),
						intro: inList ? intro : ''
					});
		}
	}
	return out;
}

/** The shell command a tool was called with, or nothing. A script of several lines is no command. */
function commandIn(input: string): string {
	const value = /"(?:command|cmd)":\s?("(?:[^"\\]|\\.){3,300}")/.exec(input)?.[1];
	if (value === undefined) return '';
	try {
		const command = String(JSON.parse(value)).trim();
		return command.includes('\n') ? '' : command;
	} catch {
		return '';
	}
}

/** The claims of the previous summary, oldest first within their sections, citations kept. */
export function carriedClaims(request: CheckpointRequest): Claim[] {
	const claims: { heading: string; group: ProgressGroup | null; line: string }[] = [];
	let heading = request.headings[0] ?? '';
	let group: ProgressGroup | null = null;
	let skip = false;
	for (const raw of request.previous.split('\n')) {
		const line = raw.trim();
		const title = /^#{1,4}\s+(.+?)\s*#*$/.exec(line)?.[1];
		if (title) {
			heading = placeOf(title, request.headings);
			group = null;
			// Written by code from its own records at every commit; carrying a copy would only double it.
			skip = /^(?:preserved references|pinned)$/i.test(title);
			continue;
		}
		const label = /^\*\*(\w+)\*\*:?$/.exec(line)?.[1];
		if (label)
			group = progressGroups.find((name) => name.toLowerCase() === label.toLowerCase()) ?? null;
		else if (!skip && line !== '' && !/^[—–-]$/.test(line)) claims.push({ heading, group, line });
	}
	const size = new Map<string, number>();
	for (const { heading: at } of claims) size.set(at, (size.get(at) ?? 0) + 1);
	const seen = new Map<string, number>();
	return claims.map(({ heading: at, group: under, line }): Claim => {
		const position = (seen.get(at) ?? 0) + 1;
		seen.set(at, position);
		const body = line.replace(/^[-*+]\s+/, '');
		const done = /^\[[xX]\]/.test(body);
		const unboxed = body.replace(/^\[[ xX]\]\s*/, '');
		const mark = /^\[(user|tool|model)\]\s*/.exec(unboxed);
		const text = unboxed.slice(mark?.[0].length ?? 0);
		const bare = text.replace(/\s*\((?:m:[^)]*)\)\s*$/, '');
		return {
			text,
			speaker: mark?.[1] === 'user' ? 'user' : mark?.[1] === 'tool' ? 'tool' : 'assistant',
			id: null,
			words: new Set(terms(bare)),
			identifiers: identifierSpans(bare).length,
			recency: position / (size.get(at) ?? 1),
			isQuestion: /\?$/.test(bare),
			isCode: false,
			intro: '',
			carried: { heading: at, group: under, done }
		};
	});
}

/** The section of this template that takes in a section of the previous summary: its own, its kind's, or the last. */
function placeOf(title: string, headings: readonly string[]): string {
	const same = headings.find((heading) => heading.toLowerCase() === title.toLowerCase());
	const kind = kindOf(title);
	return same ?? headings.find((heading) => kindOf(heading) === kind) ?? headings.at(-1) ?? title;
}
