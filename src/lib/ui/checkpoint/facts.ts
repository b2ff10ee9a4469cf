import type { Reference, ReferenceKind, Trigger } from '$lib/history/message';

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
	const missing = new Map<ReferenceKind, Reference[]>();
	let kept = 0;
	for (const reference of references) {
		if (reference.kept) kept += 1;
		else missing.set(reference.kind, [...(missing.get(reference.kind) ?? []), reference]);
	}
	return {
		kept,
		found: references.length,
		missing: [...missing].map(([kind, list]) => ({ kind, references: list }))
	};
}
