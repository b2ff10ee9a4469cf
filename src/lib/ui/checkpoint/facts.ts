import type { CheckpointCost } from '$lib/context/price';
import type { Reference, ReferenceKind, Trigger } from '$lib/history/message';
import { formatCount, formatDollars } from '../kit/format';

export const triggerWords: Record<Trigger, string> = {
	manual: 'asked for',
	auto: 'automatic, after a turn',
	preflight: 'before a message was sent'
};

export const kindWords: Record<ReferenceKind, string> = {
	url: 'Addresses',
	doi: 'DOIs',
	arxiv: 'arXiv numbers',
	isbn: 'ISBNs',
	'zotero-key': 'Zotero keys',
	citekey: 'Citation keys',
	path: 'Paths',
	command: 'Commands',
	identifier: 'Identifiers',
	page: 'Pages',
	quantity: 'Quantities',
	date: 'Dates',
	quotation: 'Quotations',
	decision: 'Decisions you marked',
	file: 'Files'
};

/** What a summary carries of the references found in what it covers, and what it does not, by kind. */
export interface Retention {
	readonly kept: number;
	readonly found: number;
	readonly missing: readonly {
		readonly kind: ReferenceKind;
		readonly references: readonly Reference[];
	}[];
}

export function retentionOf(references: readonly Reference[]): Retention {
	const missing = references.filter((reference) => !reference.kept);
	return {
		kept: references.length - missing.length,
		found: references.length,
		missing: byKind(missing)
	};
}

/** References by kind, in the order in which the kinds first come. */
export function byKind(
	references: readonly Reference[]
): readonly { readonly kind: ReferenceKind; readonly references: readonly Reference[] }[] {
	const kinds = new Map<ReferenceKind, Reference[]>();
	for (const reference of references) {
		const list = kinds.get(reference.kind);
		if (list) list.push(reference);
		else kinds.set(reference.kind, [reference]);
	}
	return [...kinds].map(([kind, list]) => ({ kind, references: list }));
}

/** "1 turn", "46 messages": a count with its noun. */
export const counted = (count: number, noun: string) =>
	`${formatCount(count)} ${noun}${count === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}`;

/**
 * What a checkpoint costs, in words.
 * @param about before it is made
 */
export function costWords(cost: CheckpointCost, about: boolean): string {
	const { summary, firstRequest, paysOffAfter } = cost;
	if (summary === 0 && firstRequest === 0) return 'Free';
	const price = (value: number) => `${about && value > 0 ? 'about ' : ''}${formatDollars(value)}`;
	const pays =
		paysOffAfter === null
			? 'never pays off'
			: paysOffAfter === 0
				? 'pays off at once'
				: `pays off after ${counted(paysOffAfter, 'turn')}`;
	return `Summary ${price(summary)} · first request after it ${price(firstRequest)} · ${pays}`;
}
