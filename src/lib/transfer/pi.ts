import type {
	ConversationMessage,
	MessageDraft,
	MessageId,
	ModelRef,
	SessionId,
	TreeId
} from '../history/message';
import { emptyDraft, type Session } from '../history/session';
import { attach } from '../history/tree';
import { limits } from './limits';
import { draftMessages, type PiDraft, type PiRaw } from './pi-drafts';
import { readPiLines, type PiLines } from './pi-lines';
import { piReport } from './pi-report';
import { titleOf } from './pi-title';
import { refuse, type ImportResult } from './result';
import { sha256 } from './sha256';
import { uuidFrom } from './uuid';

export interface PiContext {
	/** The model the session goes on with; each imported answer keeps the one that wrote it. */
	readonly model: ModelRef;
}

/**
 * Reads a pi session (JSONL, versions 1 to 3) as one Hilo session with its whole tree. Pure and repeatable: the same file
 * gives the same ids and rows, so that importing it again adds nothing.
 */
export function decodePi(text: string, context: PiContext): ImportResult {
	const lines = readPiLines(text);
	const { entries } = lines;
	if (entries.length > limits.lines)
		return refuse(
			`The session has ${entries.length} lines; at most ${limits.lines} can be imported.`,
			'Split the session in pi, then import the parts.'
		);
	const { drafts, owner, attachments } = draftMessages(entries);
	const newest = [...drafts.keys()].at(-1);
	if (newest === undefined) {
		const unread = lines.found.all().map(({ what, why }) => `${what}: ${why}`);
		return refuse(
			'This pi session holds no messages.',
			'Choose another session file.',
			unread.length ? unread.join('\n') : undefined
		);
	}

	const key = keyOf(lines);
	const start = entries[0]?.time ?? 0;
	// Validated by construction: each is a UUID that was just made.
	const sessionId = uuidFrom(start, `pi session ${key}`) as SessionId;
	const treeId = uuidFrom(start, `pi tree ${key}`) as TreeId;
	const messages = new Map<number, ConversationMessage>();
	const raws: PiRaw[] = [];
	const ids = new Set<string>();
	for (const [index, draft] of drafts) {
		const entry = entries[index];
		if (!entry) continue;
		const own = entry.value['id'];
		const name = typeof own === 'string' && !ids.has(own) ? `id ${own}` : `line ${entry.line}`;
		if (typeof own === 'string') ids.add(own);
		const raw = rawOf(draft);
		raws.push(raw);
		const parent = messages.get(owner[entry.parent ?? -1] ?? -1) ?? null;
		const id = uuidFrom(entry.time ?? 0, `pi message ${key} ${name}`) as MessageId;
		messages.set(
			index,
			attach(messageOf(draft, raw), { id, treeId, sessionId, now: entry.time ?? 0, parent })
		);
	}

	const leaf = messages.get(owner[entries.length - 1] ?? newest);
	const rows = [...messages.values()];
	const session: Session = {
		id: sessionId,
		treeId,
		leafId: leaf?.id ?? null,
		branchRevision: 0,
		title: titleOf(entries, drafts.values()),
		createdAt: start,
		updatedAt: entries.reduce((latest, { time }) => Math.max(latest, time ?? 0), start),
		model: context.model,
		instructions: '',
		template: 'general',
		draft: emptyDraft,
		pinned: false
	};
	return {
		ok: true,
		format: 'pi',
		sessions: [session],
		messages: rows,
		attachments,
		report: piReport(lines, rows, raws)
	};
}

/** What tells this session from others in the ids made for it: its own id, or its first line where that is lost. */
function keyOf({ header, entries }: PiLines): string {
	const id = header?.['id'];
	return typeof id === 'string' ? id : sha256(JSON.stringify(entries[0]?.value ?? null));
}

function rawOf({ kept, before, after, results }: PiDraft): PiRaw {
	return {
		...kept,
		...(before.length ? { before } : {}),
		...(after.length ? { after } : {}),
		...(results.length ? { results } : {})
	};
}

function messageOf({ role, parts, metadata }: PiDraft, raw: PiRaw): MessageDraft {
	const source = { format: 'pi', raw };
	return role === 'user'
		? { role, parts, metadata: { source } }
		: { role, parts, metadata: { ...metadata, source } };
}
