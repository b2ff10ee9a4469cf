import type { FilePart, Message } from '../history/message';
import type { Session } from '../history/session';
import { fromBase64 } from './base64';
import { findings, type Findings } from './findings';
import { hazardIn, isObject } from './json';
import { refuse, type AttachmentRow, type ImportResult } from './result';
import { attachmentSchema, check, messageSchema, sessionSchema, type Checked } from './schema';
import { sha256 } from './sha256';
import { faultsOf } from './structure';

/**
 * The sound part of an export: every session whose row, tree and leaf are whole, with all messages of its tree. Sessions
 * that share a tree stand or fall with it: half a tree would lose branches without a word.
 */
export function soundPart(
	sessionRows: readonly unknown[],
	messageRows: readonly unknown[],
	attachmentRows: readonly unknown[]
): ImportResult {
	const found = findings();
	const claimed = new Set<unknown>(
		sessionRows.map((row) => (isObject(row) ? row['treeId'] : undefined))
	);
	const { messages, faults } = readMessages(messageRows, claimed, found);
	const attachments = readAttachments(attachmentRows, found);

	const candidates = readSessions(sessionRows, found);
	const byId = new Map(messages.map((message) => [message.id, message]));
	const sessions = candidates.filter((session) => {
		const fault = faults.get(session.treeId) ?? leafFault(session, byId);
		if (fault) found.add(nameOf(session), fault);
		return !fault;
	});

	const sound = new Set(sessions.map((session) => session.treeId));
	const kept = messages.filter((message) => sound.has(message.treeId));
	const orphans = messages.filter((message) => !claimed.has(message.treeId)).length;
	if (orphans)
		found.add(
			orphans === 1 ? '1 message' : `${orphans} messages`,
			'no session in the file has their tree'
		);
	missingBytes(sessions, kept, attachments, found);

	const skipped = found.all();
	if (sessions.length === 0 && sessionRows.length + messageRows.length > 0)
		return refuse(
			sessionRows.length === 0
				? 'The file holds messages, but no session that has them.'
				: sessionRows.length === 1 && skipped[0]
					? `${skipped[0].what} cannot be imported: ${skipped[0].why}.`
					: `None of the ${sessionRows.length} sessions in the file can be imported.`,
			'Use an undamaged copy of the file, or export it again where it came from.',
			skipped.map(({ what, why }) => `${what}: ${why}`).join('\n')
		);

	return {
		ok: true,
		format: 'hilo',
		sessions,
		messages: kept,
		attachments,
		report: {
			format: 'hilo',
			counts: [
				{ label: 'Sessions', in: sessionRows.length, out: sessions.length },
				{ label: 'Messages', in: messageRows.length, out: kept.length },
				{ label: 'Attachments', in: attachmentRows.length, out: attachments.length }
			],
			skipped,
			notes: []
		}
	};
}

function readMessages(rows: readonly unknown[], claimed: ReadonlySet<unknown>, found: Findings) {
	const messages: Message[] = [];
	/** The first thing wrong with each tree. Keys as they stand in the file: an unreadable row may name anything. */
	const faults = new Map<unknown, string>();
	rows.forEach((row, index) => {
		const checked = checkRow(messageSchema, row);
		if (checked.ok) return messages.push(checked.row);
		const tree = isObject(row) ? row['treeId'] : undefined;
		// The sessions of its tree are told; where it names none that is here, it is reported by itself.
		if (tree === undefined || !claimed.has(tree)) found.add(`messages[${index}]`, checked.why);
		else if (!faults.has(tree)) faults.set(tree, `in messages[${index}], ${checked.why}`);
	});
	for (const [tree, fault] of faultsOf(messages)) if (!faults.has(tree)) faults.set(tree, fault);
	return { messages, faults };
}

function readSessions(rows: readonly unknown[], found: Findings): Session[] {
	const sessions: Session[] = [];
	const times = new Map<string, number>();
	rows.forEach((row, index) => {
		const checked = checkRow(sessionSchema, row);
		if (checked.ok) {
			sessions.push(checked.row);
			times.set(checked.row.id, (times.get(checked.row.id) ?? 0) + 1);
		} else {
			const title = isObject(row) && typeof row['title'] === 'string' ? `"${row['title']}" ` : '';
			found.add(`Session ${title}(sessions[${index}])`, checked.why);
		}
	});
	return sessions.filter((session) => {
		if (times.get(session.id) === 1) return true;
		// Which of them is the right one cannot be known.
		found.add(nameOf(session), `two sessions have the same id ${session.id}`);
		return false;
	});
}

function readAttachments(rows: readonly unknown[], found: Findings): AttachmentRow[] {
	const attachments = new Map<string, AttachmentRow>();
	rows.forEach((row, index) => {
		const checked = checkRow(attachmentSchema, row);
		const what = `attachments[${index}]`;
		if (!checked.ok) return found.add(what, checked.why);
		const { sha256: name, base64 } = checked.row;
		if (attachments.has(name)) return found.add(what, 'the same file stands earlier in the list');
		const bytes = fromBase64(base64);
		if (!bytes) return found.add(what, '"base64": is not base64');
		// A file part finds its bytes by their hash: other bytes under that name would be another file.
		if (sha256(bytes) !== name) return found.add(what, 'its bytes do not match their SHA-256');
		attachments.set(name, checked.row);
	});
	return [...attachments.values()];
}

function checkRow<T>(schema: Parameters<typeof check<T>>[0], row: unknown): Checked<T> {
	const hazard = hazardIn(row);
	return hazard ? { ok: false, why: hazard } : check(schema, row);
}

function leafFault(session: Session, byId: ReadonlyMap<string, Message>): string | null {
	if (session.leafId === null) return null;
	const leaf = byId.get(session.leafId);
	if (!leaf) return `its newest message ${session.leafId} is not in the file`;
	return leaf.treeId === session.treeId ? null : `its newest message ${leaf.id} is in another tree`;
}

/** Files that a message or a draft names and the export does not have. Their messages are whole, so this stops nothing. */
function missingBytes(
	sessions: readonly Session[],
	messages: readonly Message[],
	attachments: readonly AttachmentRow[],
	found: Findings
): void {
	const known = new Set(attachments.map((row) => row.sha256));
	const files: FilePart[] = sessions.flatMap((session) => session.draft.files);
	for (const message of messages)
		for (const part of message.parts) if (part.type === 'file') files.push(part);
	for (const { sha256: name, filename } of files) {
		if (known.has(name)) continue;
		known.add(name);
		found.add(
			`The file "${filename}"`,
			'its bytes are not in the export; the message keeps its name'
		);
	}
}

function nameOf(session: Session): string {
	return `Session "${session.title}"`;
}
