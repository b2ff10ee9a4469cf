export type Language = 'en' | 'es';

const spanish =
	/(?:^|[^\p{L}])(?:el|la|los|las|que|qué|de|del|y|en|un|una|por|para|con|cuál|cuáles|cómo|dónde|cuándo|cuántos|cuántas|quién|es|está|hay|hola|gracias|nuestro|nuestra|dime|decidimos|dijimos|sobre|este|esta)(?![\p{L}])/giu;
const english =
	/(?:^|[^\p{L}])(?:the|of|and|to|in|is|are|was|what|which|how|where|when|who|why|did|do|does|we|you|i|for|with|about|this|that|it|hello|hi|thanks|tell|me|our|have|has|say|said)(?![\p{L}])/giu;

/** English or Spanish, by the small words; English when undecided. */
export function languageOf(text: string): Language {
	const es = (text.match(spanish)?.length ?? 0) + (text.match(/[¿¡ñ]/gi)?.length ?? 0) * 2;
	const en = text.match(english)?.length ?? 0;
	return es > en ? 'es' : 'en';
}

/** What the offline model says in its own words. Everything else it says is quoted. */
export const phrases = {
	en: {
		welcome: `I am Hilo's built-in model. I run inside this page, without network and without a key. **I quote, I do not think:** ask about something in this conversation or in an attached text, and I find the passages that answer best and say where they come from.

A few things to try:

- Attach or paste a text and ask what it says about something.
- Write down a requirement or a decision, and ask for it much later.
- Keep going until the dial beside Send fills up, then press **Compact now**: older messages are folded into a checkpoint whose every line links to its source. Nothing is deleted; the whole history stays readable and searchable.

For reasoning and writing, connect a model with a key, or a local one, in Settings.`,
		thanks: 'You are welcome. I stay here, offline, whenever you want something found again.',
		found: 'The passages here that answer best:',
		foundEarlier: 'Found further back in this conversation:',
		closest: 'No passage here answers this whole. The closest:',
		central: 'I cannot retell it, but these passages carry most of it:',
		noted:
			'Noted: it is part of the conversation now, word for word. Ask for it whenever you need it.',
		related: 'Related passages so far:',
		read: (name: string, count: number) =>
			`I have read **${name}** (${count} ${count === 1 ? 'passage' : 'passages'}). Ask what it says about something. It begins:`,
		nothing: (subject: string) =>
			`I found no passage about ${subject} here. I quote, I do not think; connect a model with a key in Settings for reasoning.`,
		nothingSaid:
			'I cannot tell what to look for. Ask with a word that may stand in the conversation or in an attached text. I quote, I do not think; connect a model with a key in Settings for reasoning.',
		you: (turns: number) => `you, ${ago(turns)}`,
		model: (turns: number) => `an answer, ${ago(turns)}`,
		checkpoint: (section: string, ids: string) =>
			`checkpoint${section ? `, ${section}` : ''}${ids ? `, ${ids}` : ''}`,
		attachment: (name: string, at: number) => `${name}, passage ${at}`,
		tool: (name: string, detail: string) => `${name}${detail ? `, ${detail}` : ''}`
	},
	es: {
		welcome: `Soy el modelo incorporado de Hilo. Funciono dentro de esta página, sin red y sin clave. **Cito, no pienso:** pregunta por algo de esta conversación o de un texto adjunto, y busco los pasajes que mejor responden y digo de dónde salen.

Algunas cosas para probar:

- Adjunta o pega un texto y pregunta qué dice sobre algo.
- Escribe un requisito o una decisión, y pregunta por ello mucho después.
- Sigue hasta que se llene el indicador junto a Enviar y pulsa **Compactar ahora**: los mensajes antiguos se pliegan en un punto de control en el que cada línea enlaza con su origen. No se borra nada; todo el historial se puede leer y buscar.

Para razonar y redactar, conecta un modelo con clave, o uno local, en Ajustes.`,
		thanks: 'De nada. Sigo aquí, sin conexión, cuando quieras volver a encontrar algo.',
		found: 'Los pasajes de aquí que mejor responden:',
		foundEarlier: 'Encontrado más atrás en esta conversación:',
		closest: 'Ningún pasaje de aquí lo responde entero. Los más cercanos:',
		central: 'No puedo contarlo con mis palabras, pero estos pasajes llevan lo principal:',
		noted:
			'Anotado: ya forma parte de la conversación, palabra por palabra. Pregunta por ello cuando lo necesites.',
		related: 'Pasajes relacionados hasta ahora:',
		read: (name: string, count: number) =>
			`He leído **${name}** (${count} ${count === 1 ? 'pasaje' : 'pasajes'}). Pregunta qué dice sobre algo. Empieza así:`,
		nothing: (subject: string) =>
			`Nada en esta conversación menciona ${subject}. Cito, no pienso; conecta un modelo con clave en Ajustes para razonar.`,
		nothingSaid:
			'No sé qué buscar. Pregunta con una palabra que pueda estar en la conversación o en un texto adjunto. Cito, no pienso; conecta un modelo con clave en Ajustes para razonar.',
		you: (turns: number) => `tú, ${hace(turns)}`,
		model: (turns: number) => `una respuesta, ${hace(turns)}`,
		checkpoint: (section: string, ids: string) =>
			`punto de control${section ? `, ${section}` : ''}${ids ? `, ${ids}` : ''}`,
		attachment: (name: string, at: number) => `${name}, pasaje ${at}`,
		tool: (name: string, detail: string) => `${name}${detail ? `, ${detail}` : ''}`
	}
} as const;

export type Phrases = (typeof phrases)[Language];

const ago = (turns: number) =>
	turns === 0 ? 'just now' : turns === 1 ? 'one turn ago' : `${turns} turns ago`;
const hace = (turns: number) =>
	turns === 0 ? 'ahora mismo' : turns === 1 ? 'hace un turno' : `hace ${turns} turnos`;

const own = new Set(
	Object.values(phrases)
		.flatMap((p) => [
			...p.welcome.split('\n'),
			...[p.thanks, p.found, p.foundEarlier, p.closest, p.central, p.noted, p.related]
		])
		.map((line) => line.trim())
		.filter((line) => line !== '')
);

/** Whether a text is an answer of this model: its quotations are copies of passages that are there anyway. */
export function isOwnAnswer(text: string): boolean {
	return (
		/I quote, I do not think|Cito, no pienso/.test(text) ||
		text.split('\n').some((line) => own.has(line.trim()))
	);
}
