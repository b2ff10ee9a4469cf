/** Words too common in English or Spanish to say what a text is about. */
const common = new Set(
	`a about above after again all also am an and any are as at be because been before being below between both but by can could did do does doing down during each else ever few for from further get got had has have having he her here hers him his how i if in into is it its itself just let like me might more most much my no nor not now of off on once one only or other our out over own please per same say says she should so some such tell than that the their them then there these they this those through to too under until up us use very was we were what when where which while who whom why will with would yes you your
	al algo algun alguna ante antes aqui asi aun aunque cada como con cual cuales cuando cuanto cuantos de del desde donde dos e el ella ellas ellos en entre era eran es esa esas ese eso esos esta estaba estan estas este esto estos fue fueron ha han hasta hay he la las le les lo los mas me mi mis mucho muy nada ni no nos nosotros o os otra otro para pero por porque pues que quien se ser si sin sobre solo son su sus tambien te tiene tienen todo todos tu tus un una unas uno unos y ya yo`.split(
		/\s+/
	)
);

/** Case and accents aside, so that a question finds what was written with other ones. */
export const fold = (text: string): string =>
	text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** A word without the endings that most often differ between a question and its answer. Crude on purpose. */
function stem(word: string): string {
	if (/\d/.test(word)) return word;
	if (word.length < 5) return word.length === 4 ? word.replace(/(?<!s)s$/, '') : word;
	return word
		.replace(/(?:ies)$/, 'y')
		.replace(/(?<=[sxz]|ch|sh)es$/, '')
		.replace(/(?:ing|ed|iones|ion)$/, '')
		.replace(/s$/, '');
}

/** The meaningful words of a text, stemmed, in order, repeated as they stand. */
export function terms(text: string): string[] {
	return (fold(text).match(/[\p{L}\p{N}]+(?:[.'’-][\p{L}\p{N}]+)*/gu) ?? [])
		.filter((word) => (word.length > 1 || /\d/.test(word)) && !common.has(word))
		.map(stem);
}

/** How much two texts share: shared words over all words, 0 to 1. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
	if (a.size === 0 || b.size === 0) return 0;
	let shared = 0;
	for (const word of a) if (b.has(word)) shared++;
	return shared / (a.size + b.size - shared);
}
