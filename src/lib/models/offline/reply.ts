import { languageOf, phrases, type Phrases } from './language';
import { central } from './central';
import type { Conversation, Origin, Passage } from './passages';
import { rank, weakCoverage, type Ranked } from './rank';
import { fold, likeness, terms } from './words';

/** What the offline model does next: say something, or call a tool. */
export type Reply =
	| { readonly kind: 'text'; readonly text: string }
	| {
			readonly kind: 'tool-call';
			readonly toolName: string;
			readonly input: { readonly query: string };
	  };

const SEARCH = 'search_history';
/** Passages quoted in one answer: more would bury the best. */
const quotesMax = 4;

const greeting =
	/^(?:hi|hello|hey|hiya|good (?:morning|afternoon|evening)|greetings|hola|buenas|buenos dias|buenas (?:tardes|noches)|que tal|saludos)(?: (?:there|hilo|all|a todos))?$/;
const help =
	/\b(?:what (?:can|do) you do|who are you|what are you|what is (?:this|hilo)|how does (?:this|hilo|it) work|how do you work|help me start|que puedes hacer|que haces|quien eres|que eres|que es (?:esto|hilo)|como funciona(?:s)?(?: (?:esto|hilo))?)\b|^(?:help|ayuda|start|test|prueba)$/;
const thanks =
	/^(?:thanks|thank you|many thanks|great|perfect|ok|okay|gracias|muchas gracias|perfecto|vale|genial)(?: .{0,20})?$/;
const summary =
	/\b(?:summari[sz]e|summary|recap|overview|tl;?dr|main (?:points|ideas)|key points|resume(?:n|lo)?|resumir|resumeme|puntos principales|ideas principales)\b/;
const earlier =
	/\b(?:earlier|before|previously|so far|at the (?:start|beginning)|in the beginning|originally|remember|recall|(?:did|had|have) (?:i|we|you) (?:say|said|decide|decided|agree|agreed|mention|mentioned|write|written|find|found|tell|told)|what (?:i|we|you) (?:said|decided|agreed)|antes|anteriormente|al principio|recuerdas|recuerda|dijimos|dije|dijiste|decidimos|acordamos|mencionamos|hablamos|quedamos)\b/;
const asking =
	/[?¿]|^(?:please |por favor )?(?:what|which|who|whom|whose|where|when|why|how|is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|find|show|list|tell|give|search|look|quote|cite|name|recall|remind|explain|describe|compare|extract|que|cual|cuales|quien|quienes|donde|cuando|cuanto|cuantos|cuanta|cuantas|como|por que|hay|busca|muestra|lista|dime|dame|cita|encuentra|recuerda|explica|describe|compara|extrae)\b/;
/** Words about the asking, not about the subject. */
const aboutAsking = new Set(
	terms(
		'earlier before previously start beginning originally remember recall say said decide decided agree agreed mention mentioned tell told find show list search look quote cite remind explain describe conversation chat antes anteriormente principio recuerdas recuerda dijimos dije dijiste decidimos acordamos mencionamos hablamos quedamos busca muestra dime dame cita encuentra explica conversación'
	)
);

/**
 * Answers from the prompt alone.
 * @param tools names of the tools that may be called
 */
export function reply(conversation: Conversation, tools: ReadonlySet<string>): Reply {
	const { question, attached } = conversation;
	const say = phrases[languageOf(question || (attached[0]?.passages[0]?.text ?? ''))];
	const plain = fold(question)
		.replace(/[^\p{L}\p{N}\s;]/gu, ' ')
		.replace(/\s+/g, ' ')
		.trim();
	const text = (value: string): Reply => ({ kind: 'text', text: value });

	if (attached.length === 0 && (greeting.test(plain) || help.test(plain))) return text(say.welcome);
	if (attached.length === 0 && thanks.test(plain)) return text(say.thanks);

	const isQuestion = asking.test(plain) || /[?¿]/.test(question) || plain.split(' ').length <= 6;
	if (summary.test(plain) && (isQuestion || attached.length > 0)) {
		const from =
			attached.length > 0 ? attached.flatMap((file) => file.passages) : conversation.passages;
		const best = central(from, quotesMax + 2);
		return text(best.length > 0 ? quoted(say.central, best, say) : say.nothingSaid);
	}
	const file = attached[0];
	if (file && (plain === '' || !isQuestion))
		return text(quoted(say.read(file.name, file.passages.length), file.passages.slice(0, 1), say));

	const subject = terms(question).filter((word) => !aboutAsking.has(word));
	const about = new Set(terms(question));
	// A search also finds the question itself: it answers nothing.
	const others = conversation.passages.filter(
		({ text: passage }) => passage !== question && likeness(new Set(terms(passage)), about) < 0.85
	);
	const asked = subjectWords(question);
	const hits = rank(asked.join(' ') || question, others, quotesMax);
	const isStrong =
		(hits[0]?.coverage ?? 0) >= weakCoverage || hits.some((h) => h.coverage >= weakCoverage);

	if (!isQuestion) {
		const strong = hits.filter((hit) => hit.coverage >= weakCoverage).slice(0, 2);
		return text(
			strong.length > 0
				? `${say.noted}\n\n${quoted(say.related, passagesOf(strong), say)}`
				: say.noted
		);
	}
	const maySearch =
		tools.has(SEARCH) &&
		!conversation.answeredTools.has(SEARCH) &&
		(conversation.earlierTurns > 0 || conversation.hasCheckpoint);
	if (maySearch && asked.length > 0 && (!isStrong || earlier.test(plain)))
		return { kind: 'tool-call', toolName: SEARCH, input: { query: asked.join(' ') } };

	if (subject.length === 0 && hits.length === 0) return text(say.nothingSaid);
	if (hits.length === 0) return text(say.nothing(listed(asked)));
	const fromSearch = hits.every(
		({ passage: { origin } }) => origin.kind === 'tool' && origin.fresh
	);
	const lead = !isStrong ? say.closest : fromSearch ? say.foundEarlier : say.found;
	return text(quoted(lead, passagesOf(hits), say));
}

const passagesOf = (hits: readonly Ranked[]): Passage[] => hits.map((hit) => hit.passage);

/** The question's own words that say what it is about, as they were written. */
function subjectWords(question: string): string[] {
	const words = question.match(/[\p{L}\p{N}][\p{L}\p{N}.,'’/:-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu) ?? [];
	const seen = new Set<string>();
	return words.filter((word) => {
		const [term] = terms(word);
		if (term === undefined || aboutAsking.has(term) || seen.has(term)) return false;
		seen.add(term);
		return true;
	});
}

const listed = (words: readonly string[]): string =>
	words
		.slice(0, 6)
		.map((word) => `“${word}”`)
		.join(', ');

function quoted(lead: string, passages: readonly Passage[], say: Phrases): string {
	return [
		lead,
		...passages.map(({ text, origin }) => `> ${text}\n\n— ${source(origin, say)}`)
	].join('\n\n');
}

function source(origin: Origin, say: Phrases): string {
	switch (origin.kind) {
		case 'user':
			return say.you(origin.turns);
		case 'model':
			return say.model(origin.turns);
		case 'checkpoint':
			return say.checkpoint(origin.section, origin.ids);
		case 'attachment':
			return say.attachment(origin.name, origin.at);
		case 'tool':
			return say.tool(origin.name, origin.detail);
	}
}
