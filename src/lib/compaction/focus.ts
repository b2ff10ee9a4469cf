import type { ReferenceKind } from '../history/message';
import type { FoundReference } from './references';

/** What a focus asks for, in words people use for it, in English, Spanish, German and French. */
const asked: readonly (readonly [RegExp, (reference: FoundReference) => boolean])[] = [
	[
		/sample sizes?|tamaños? de (?:la )?muestra|stichprobe|effectifs?|\bn\s?=/i,
		({ text }) => /\bn\s?=|participants?|patients?|students?|participantes?/i.test(text)
	],
	[/numbers?|quantit|figures?|units?|percent|cifras?|números?|zahlen|chiffres/i, of('quantity')],
	[/files?|paths?|archivos?|rutas?|dateien|fichiers?/i, of('path', 'file')],
	[/commands?|comandos?|befehle?|commandes?/i, of('command')],
	[/identifiers?|functions?|variables?|symbols?|identificador|bezeichner/i, of('identifier')],
	[/urls?|links?|address|enlaces?|adressen?|liens?/i, of('url')],
	[/dois?|papers?|articles?|artículos?|literatur/i, of('doi', 'arxiv', 'citekey', 'zotero-key')],
	[/zotero|keys?\b|claves?/i, of('zotero-key', 'citekey')],
	[/citekeys?|citations?|citas?/i, of('citekey', 'quotation')],
	[/isbns?|books?|libros?|bücher|livres?/i, of('isbn')],
	[/quot|citas? textual|zitate?|citations? textuelles/i, of('quotation')],
	[/pages?|páginas?|seiten?|locators?/i, of('page')],
	[/dates?|deadlines?|fechas?|termine?/i, of('date')],
	[/decisions?|decisiones|entscheidungen|décisions/i, of('decision')]
];

function of(...kinds: readonly ReferenceKind[]) {
	return ({ kind }: FoundReference) => kinds.includes(kind);
}

/**
 * A ledger with what the focus asks for first, each part in its order: "keep every sample size" is meant for what a
 * summariser drops as well. Rule C77.
 */
export function byFocus(
	references: readonly FoundReference[],
	focus: string | undefined
): readonly FoundReference[] {
	if (!focus) return references;
	const tests = asked.filter(([words]) => words.test(focus)).map(([, isAsked]) => isAsked);
	/** What is named comes before what is of a kind that is asked for. */
	const rank = (reference: FoundReference) => {
		if (focus.includes(reference.text)) return 0;
		return tests.some((isAsked) => isAsked(reference)) ? 1 : 2;
	};
	return [0, 1, 2].flatMap((wanted) => references.filter((each) => rank(each) === wanted));
}
