import type { Examination, Finding, Named, Piece } from '$lib/history/integrity';
import { shortId, type MessageId, type SessionId, type TreeId } from '$lib/history/message';
import { rebuild } from '$lib/history/rebuild';
import type { DamageView, Notice } from './view';

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });
const number = new Intl.NumberFormat('en');

/**
 * A damaged history in words: each finding, what is missing where, and what a repaired copy would hold.
 * @param what what was found first, by the read that met it
 * @param more what is wrong beside the branch: the session's own record, an answer in progress
 */
export function damageView(
	what: string,
	examination: Examination,
	more: readonly string[]
): DamageView {
	const findings = [...more, ...examination.findings.map(sentenceOf)];
	const gaps = gapsOf(examination.pieces);
	return {
		findings: findings.length > 0 ? findings : [what],
		shows: showsOf(examination),
		contains: containsOf(examination),
		canRepair: examination.readable > 0 || examination.total === 0,
		gapBefore: (id) => gaps.before.get(id) ?? null,
		gapAtEnd: gaps.atEnd
	};
}

export const brokenRunSentence = 'An answer that was in progress cannot be read.';

/** What of a session's own record cannot be read. */
export function recordSentence(faults: readonly string[]): string {
	return `Of this conversation’s own record, this cannot be read: ${faults.join(', ')}.`;
}

/** A branch one may not go to, because nothing could be done there, not even to come back. */
export function damagedBranchNotice(what: string): Notice {
	return {
		tone: 'warning',
		title: 'That branch is damaged, so you stay on this one.',
		safe: 'Nothing was changed.',
		advice: 'An export of this conversation holds what is left of it.',
		detail: what,
		actions: ['dismiss']
	};
}

function sentenceOf({ of, why }: Finding): string {
	return of === null ? `${why}.` : `Message ${nameOf(of)} ${why}.`;
}

/** Its short id, and when it was written and how it begins, as far as that can be read. */
function nameOf({ id, at, words }: Named): string {
	const told = [at === null ? '' : moment.format(at), words === '' ? '' : `“${words}”`];
	const text = told.filter((each) => each !== '').join(', ');
	return text === '' ? shortId(id) : `${shortId(id)} (${text})`;
}

function gapsOf(pieces: readonly Piece[]) {
	const before = new Map<MessageId, string>();
	let atEnd: string | null = null;
	for (const piece of pieces) {
		if (piece.kind === 'gap') atEnd = gapSentence(piece);
		else {
			const first = piece.messages[0];
			if (atEnd !== null && first) before.set(first.id, atEnd);
			atEnd = null;
		}
	}
	return { before, atEnd };
}

function gapSentence({ lost, isGuessed }: Piece & { kind: 'gap' }): string {
	const is =
		lost === null
			? 'At least one message is missing here.'
			: lost === 0
				? 'The link between these messages is broken.'
				: lost === 1
					? 'One message is missing here or cannot be read.'
					: `${number.format(lost)} messages are missing here or cannot be read.`;
	return isGuessed ? `${is} What stands above is the likeliest beginning, not a certain one.` : is;
}

function showsOf({ readable, total }: Examination): string {
	if (total === 0) return 'It has no messages yet.';
	if (readable === 0) return 'None of its messages can be read.';
	return 'All that can be read is shown below.';
}

/** What a repaired copy would hold, said before it is made. */
function containsOf(examination: Examination): string {
	const { readable, total, pieces } = examination;
	if (total === 0) return 'A repaired copy would hold what can be read of its record.';
	if (readable === 0) return 'No message can be read, so no copy can be made of them.';
	const lost = total - readable;
	const isKnown = pieces.every((piece) => piece.kind === 'stretch' || piece.lost !== null);
	const are = (count: number) => (count === 1 ? '1 is' : `${number.format(count)} are`);
	const { droppedCheckpoints } = rebuild(examination, rehearsal());
	const kept = readable - droppedCheckpoints;
	const sentences = [
		lost === 0
			? `A repaired copy would hold ${count(kept, 'message')}${droppedCheckpoints === 0 ? ': all of this branch' : ''}.`
			: `A repaired copy would hold ${number.format(kept)} of ${isKnown ? '' : 'at least '}${count(total, 'message')}; ${are(lost)} unreadable.`
	];
	if (droppedCheckpoints > 0) {
		sentences.push(
			`${count(droppedCheckpoints, 'checkpoint')} would be left out, because what ${droppedCheckpoints === 1 ? 'it refers' : 'they refer'} to is not there; the messages under ${droppedCheckpoints === 1 ? 'it' : 'them'} are kept.`
		);
	}
	return sentences.join(' ');
}

function count(of: number, noun: string): string {
	return of === 1 ? `1 ${noun}` : `${number.format(of)} ${noun}s`;
}

/** Ids for a copy that is only counted. */
function rehearsal() {
	let made = 0;
	return {
		treeId: 'rehearsal' as TreeId,
		sessionId: 'rehearsal' as SessionId,
		newId: () => `rehearsal-${++made}-0123456789` as MessageId
	};
}
