import type { Finish, Message, MessageId } from '../src/lib/history/message';
import type { Session } from '../src/lib/history/session';
import { decodeHilo, encodeHilo } from '../src/lib/transfer/hilo';
import type { AttachmentRow } from '../src/lib/transfer/result';
import { Fault } from './fault';
import { noSettings, type Settings, type Terms } from './terms';

/** What a model answered to one pass. */
export interface Reply {
	readonly text: string;
	readonly finish: Finish;
}

/** A compaction whose last pass is not answered yet. */
export interface UnderWay {
	readonly terms: Terms;
	/** The leaf it was begun on. */
	readonly leafId: MessageId;
	/** Accepted answers, first pass first. */
	readonly replies: readonly Reply[];
}

/** What the laboratory works on: one session with its whole tree. */
export interface Workbench {
	readonly session: Session;
	readonly messages: readonly Message[];
	readonly attachments: readonly AttachmentRow[];
	/** Of the model the session is tried with. */
	readonly settings: Settings;
	readonly underWay: UnderWay | null;
}

/**
 * The working file: Hilo JSON, which the app imports as any other, with one more key at the top. The app reads none of
 * that key, so nothing of the laboratory reaches a session.
 */
export async function encodeWorkbench(bench: Workbench, now: number): Promise<string> {
	let text = '';
	const { session, messages, attachments, settings, underWay } = bench;
	const rows = { sessions: [session], messages, attachments };
	for await (const chunk of encodeHilo({ app: 'laboratory', exportedAt: now, ...rows })) {
		text += chunk;
	}
	const end = text.lastIndexOf('}');
	return `${text.slice(0, end)},\n"lab":${JSON.stringify({ settings, underWay })}}\n`;
}

/** @throws Fault where the file is damaged, or is one that no laboratory wrote */
export function decodeWorkbench(text: string): Workbench {
	const result = decodeHilo(text);
	if (!result.ok) throw new Fault(`The working file cannot be read. ${result.problem.title}`);
	const [session, ...others] = result.sessions;
	const [skipped] = result.report.skipped;
	if (skipped) {
		throw new Fault(`The working file is damaged: ${skipped.what}: ${skipped.why}`);
	}
	if (!session || others.length > 0) {
		throw new Fault('The working file must hold one session. Make it with “import”.');
	}
	// decodeHilo has just read it as an object.
	const { lab } = JSON.parse(text.replace(/^\ufeff/, '')) as { lab?: unknown };
	return {
		session,
		messages: result.messages,
		attachments: result.attachments,
		...ownPart(lab, session.leafId)
	};
}

/** What the laboratory keeps for itself. A file that the app has written has none. */
function ownPart(lab: unknown, leafId: MessageId | null): Pick<Workbench, 'settings' | 'underWay'> {
	if (lab === undefined) return { settings: noSettings, underWay: null };
	if (!isObject(lab) || !isObject(lab.settings) || !isUnderWay(lab.underWay)) {
		throw new Fault(
			'The part of the working file that the laboratory keeps for itself is damaged.'
		);
	}
	// A compaction under way counts only on the leaf it was begun on: on another it would ask other things.
	const isHere = lab.underWay?.leafId === leafId;
	return {
		settings: { ...noSettings, ...lab.settings },
		underWay: isHere ? lab.underWay : null
	};
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
	typeof value === 'object' && value !== null;

function isUnderWay(value: unknown): value is UnderWay | null {
	if (value === null) return true;
	return (
		isObject(value) &&
		isObject(value.terms) &&
		Array.isArray(value.replies) &&
		value.replies.every((reply: unknown) => isObject(reply) && typeof reply.text === 'string')
	);
}
