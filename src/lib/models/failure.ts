import { readEvidence } from './evidence';
import type { CallContext, Failure } from './failure-kinds';
import { rules, type Case, type Verdict } from './failure-rules';
import { shownAddress, withoutKeys } from './redact';

export {
	BlockedRequestError,
	type CallContext,
	type Failure,
	type FailureKind
} from './failure-kinds';

/** Longest text quoted from a server, in characters. */
const detailMax = 600;

/**
 * Puts any error of a model call into words.
 * @param error what was thrown, or the error object a server put into its stream
 */
export function classify(error: unknown, call: CallContext): Failure {
	const evidence = readEvidence(error);
	const address = shownAddress(call.baseURL) || 'The built-in model';
	const c: Case = {
		evidence,
		call,
		address,
		origin: /^https?:\/\/[^/]+/i.exec(address)?.[0] ?? address,
		says: (pattern) => pattern.test(evidence.words),
		named: (pattern) => evidence.names.some((name) => pattern.test(name))
	};
	let verdict: Verdict | null = null;
	for (const rule of rules) if ((verdict = rule(c))) break;
	verdict ??= {
		kind: 'unknown',
		title: evidence.status
			? `${c.origin} refused the request (${evidence.status}).`
			: 'The model could not be asked.',
		advice: 'The details say why. Try again, or choose another model.'
	};
	const clean = (text: string) => withoutKeys(text, call.apiKey);
	return {
		...verdict,
		title: clean(verdict.title),
		advice: clean(verdict.advice),
		detail: shorten(clean(evidence.message)),
		...(evidence.status === undefined ? {} : { status: evidence.status })
	};
}

function shorten(text: string): string {
	const line = text.replace(/\s+/g, ' ').trim();
	return line.length > detailMax ? `${line.slice(0, detailMax - 1)}…` : line;
}

/** The failure of an answer that came back whole and held nothing. */
export function emptyAnswer(model: string, onlyReasoned: boolean): Failure {
	return {
		kind: 'empty',
		title: onlyReasoned
			? `${model} thought, but wrote no answer.`
			: `${model} answered with nothing.`,
		advice: 'Try again, or choose another model.',
		detail: ''
	};
}
