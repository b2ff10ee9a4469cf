import type { Message, MessageId, Part, ReferenceKind } from '../../src/lib/history/message';
import { grow, text, tool, type Grower } from './tree';

/** What a chat was given to keep: a reference, or a sentence by which a person steered. */
export interface Planted {
	readonly kind: ReferenceKind | 'correction' | 'negation' | 'rejection';
	readonly text: string;
	readonly turn: number;
	readonly messageId: MessageId;
}

export interface ResearchChatOptions {
	readonly seed: number;
	/** Sentences that a tool returns in each turn: how much text stands around what is planted. */
	readonly toolSentences?: number;
}

/** A seeded literature review that grows turn by turn: `const chat = researchChat({ seed: 1 }); chat.next();` */
export function researchChat(options: ResearchChatOptions): ResearchChat {
	return new ResearchChat(options);
}

type Kind = Planted['kind'];
/** One message as it is composed: parts, and what of them is planted. */
interface Draft {
	readonly parts: Part[];
	readonly planted: { readonly kind: Kind; readonly text: string }[];
}

export class ResearchChat {
	readonly tree: Grower = grow();
	readonly planted: Planted[] = [];
	/** Identifiers that only another branch holds. */
	readonly foreign: string[] = [];
	#turns = 0;
	#queue: (() => readonly [Draft, Draft])[] = [];
	readonly #used = new Set<string>();
	readonly #state = { seed: 0 };
	readonly #toolSentences: number;

	constructor({ seed, toolSentences = 8 }: ResearchChatOptions) {
		this.#state.seed = seed >>> 0;
		this.#toolSentences = toolSentences;
	}

	/** Adds a turn at the leaf. */
	next(): void {
		const turn = ++this.#turns;
		if (turn === 1) return this.#put(this.#opening(), turn);
		if (this.#queue.length === 0) this.#queue = this.#shuffled(this.#scenes());
		const scene = this.#queue.pop();
		if (scene) this.#put(scene(), turn);
	}

	/**
	 * Edits an early user message: a branch of two turns whose identifiers must never be seen on this one. The leaf is
	 * where it was afterwards.
	 */
	detour(): void {
		const here = this.tree.leaf;
		const early = this.tree.branch().find((message) => message.role === 'user' && message.parentId);
		const parent = this.tree.branch().find(({ id }) => id === early?.parentId) ?? null;
		this.tree.at(parent);
		for (let turn = 0; turn < 2; turn++) {
			const secrets = [this.#doi(), this.#key(), this.#path(), this.#citekey()];
			const [doi = '', key = '', path = '', cite = ''] = secrets;
			this.tree.user(`Decision: build on doi:${doi} instead, item ${key}, see @${cite}.`);
			this.tree.answer(`Noted ${key}; the notes are in ${path}.`);
			this.foreign.push(...secrets);
		}
		this.tree.at(here);
	}

	/** What is planted in messages before `kept` on the branch: what only a checkpoint can still say. */
	coveredBy(kept: MessageId | null): readonly Planted[] {
		const branch = this.tree.branch();
		const end = kept === null ? branch.length : branch.findIndex(({ id }) => id === kept);
		const covered = new Set(branch.slice(0, end).map(({ id }) => id));
		return this.planted.filter(({ messageId }) => covered.has(messageId));
	}

	#put([user, answer]: readonly [Draft, Draft], turn: number): void {
		const note = ({ planted }: Draft, { id }: Message) => {
			for (const { kind, text: value } of planted)
				this.planted.push({ kind, text: value, turn, messageId: id });
		};
		note(user, this.tree.user(user.parts));
		const hasTool = answer.parts.some((part) => part.type === 'dynamic-tool');
		note(answer, this.tree.answer(hasTool ? answer.parts : [this.#notes(), ...answer.parts]));
	}

	#opening(): readonly [Draft, Draft] {
		const user = draft(
			'I am writing a systematic review on spaced retrieval practice in adults. Please work from my Zotero library, cite with page numbers, and keep every sample size.'
		);
		return [user, draft(`Understood. ${this.#filler(2)}`)];
	}

	#scenes(): (() => readonly [Draft, Draft])[] {
		return [
			() => this.#search(),
			() => this.#read(),
			() => this.#read(),
			() => this.#readSpanish(),
			() => this.#correct(),
			() => this.#exclude(),
			() => this.#reject(),
			() => this.#decide(),
			() => this.#analyse(),
			() => this.#web()
		];
	}

	#search(): readonly [Draft, Draft] {
		const subject = this.#pick(subjects);
		const [key, doi, cite] = [this.#key(), this.#doi(), this.#citekey()];
		const hits = Array.from({ length: 4 }, () => ({
			key: this.#key(),
			title: this.#title(),
			creators: [this.#pick(authors), this.#pick(authors)],
			year: 1990 + this.#below(34),
			DOI: this.#doi()
		}));
		hits[this.#below(4)] = {
			key,
			title: this.#title(),
			creators: [this.#pick(authors)],
			year: 2015,
			DOI: doi
		};
		return [
			draft(
				`${this.#pick(['What do we have on', 'Search my library for', 'Is there anything about'])} ${subject}?`
			),
			draft(
				[
					tool(
						'search_library',
						{ query: subject, limit: 4 },
						JSON.stringify({ items: hits, abstracts: this.#filler(this.#toolSentences) })
					),
					text(
						`Four items match. The one that fits is ${key} (@${cite}), doi:${doi}. ${this.#filler(2)}`
					)
				],
				['zotero-key', key],
				['doi', doi],
				['citekey', cite]
			)
		];
	}

	#read(): readonly [Draft, Draft] {
		const key = this.#key();
		const page = this.#once(() => `p. ${1 + this.#below(480)}`);
		const sample = this.#once(() => `n = ${20 + this.#below(900)}`);
		const effect = this.#once(
			() => `95% CI [0.${10 + this.#below(30)}, 0.${50 + this.#below(45)}]`
		);
		const quotation = this.#quotation();
		return [
			draft(
				`Read ${key} and tell me ${this.#pick(['what they found', 'how large the effect was', 'who took part'])}.`,
				['zotero-key', key]
			),
			draft(
				[
					this.#pdf(key, Number(page.slice(3))),
					text(
						`${this.#pick(authors)} and colleagues tested adults (${sample}) and report d = 0.6, ${effect}. They write “${quotation}” (${page}). ${this.#filler(2)}`
					)
				],
				['quantity', sample],
				['quantity', effect],
				['quotation', quotation],
				['page', page]
			)
		];
	}

	#readSpanish(): readonly [Draft, Draft] {
		const page = this.#once(() => `pág. ${1 + this.#below(300)}`);
		const weeks = this.#once(() => `${13 + this.#below(400)} participantes`);
		return [
			draft(`¿Qué dice el capítulo de ${this.#pick(authors)} sobre el intervalo?`),
			draft(
				`Según ${this.#pick(authors)}, el estudio con ${weeks} muestra que ${this.#pick(spanish)} (${page}). ${this.#filler(1)}`,
				['quantity', weeks],
				['page', page]
			)
		];
	}

	#correct(): readonly [Draft, Draft] {
		const right = this.#once(() => `n = ${20 + this.#below(900)}`);
		const wrong = this.#once(() => `n = ${20 + this.#below(900)}`);
		const sentence = `Actually the sample of ${this.#pick(authors)} was ${right}, not ${wrong}.`;
		return [
			draft(sentence, ['correction', sentence], ['quantity', right]),
			draft(`Corrected in the table. ${this.#filler(2)}`)
		];
	}

	#exclude(): readonly [Draft, Draft] {
		const sentence = `Do not include ${this.#once(() => `${this.#pick(exclusions)} ${this.#pick(samples)}`)} in the review.`;
		return [
			draft(`${sentence} ${this.#pick(['They differ too much.', 'The supervisor insists.', ''])}`, [
				'negation',
				sentence
			]),
			draft(`They stay out. ${this.#filler(3)}`)
		];
	}

	#reject(): readonly [Draft, Draft] {
		const option = this.#once(() => `${this.#pick(options)} for ${this.#pick(subjects)}`);
		const sentence = `We rejected ${option} because ${this.#pick(reasons)}.`;
		return [
			draft(sentence, ['rejection', sentence]),
			draft(`That leaves the others. ${this.#filler(2)}`)
		];
	}

	#decide(): readonly [Draft, Draft] {
		const what = this.#once(
			() =>
				`${this.#pick(['use', 'report', 'begin with'])} ${this.#pick(options)} for ${this.#pick(subjects)}`
		);
		const line = `${this.#pick(['Decision:', 'Decided:', 'Decisión:'])} ${what}.`;
		return [
			draft(`I have talked to the team.\n\n${line}\n\nPlease go on from there.`, [
				'decision',
				line
			]),
			draft(`Good. ${this.#filler(2)}`)
		];
	}

	#analyse(): readonly [Draft, Draft] {
		const path = this.#path();
		const command = this.#once(
			() =>
				`python ${this.#pick(['fit', 'clean', 'plot'])}.py --model ${this.#pick(['reml', 'ml', 'eb'])}${this.#below(900)}`
		);
		const name = this.#once(
			() =>
				`${this.#pick(['effect', 'sample', 'study'])}_${this.#pick(['size', 'weight', 'label'])}_${this.#below(400)}`
		);
		return [
			draft(`The extraction table is in ${path}. How do I fit the model?`, ['path', path]),
			draft(
				`Rename the column to \`${name}\`, then run:\n\n\`\`\`sh\n${command}\n\`\`\`\n\n${this.#filler(2)}`,
				['identifier', name],
				['command', command]
			)
		];
	}

	#web(): readonly [Draft, Draft] {
		const url = this.#once(
			() => `https://${this.#pick(hosts)}/${this.#pick(slugs)}/${this.#below(99999)}`
		);
		const arxiv = this.#once(
			() => `${20 + this.#below(5)}0${1 + this.#below(9)}.${10000 + this.#below(89999)}`
		);
		const date = this.#once(
			() => `2024-0${1 + this.#below(9)}-${String(1 + this.#below(28)).padStart(2, '0')}`
		);
		return [
			draft(`The protocol is at ${url}, registered on ${date}.`, ['url', url], ['date', date]),
			draft(`There is also a preprint of it, arXiv:${arxiv}. ${this.#filler(2)}`, ['arxiv', arxiv])
		];
	}

	#pdf(itemKey: string, page: number): Part {
		return tool(
			'read_pdf',
			{ itemKey, page },
			JSON.stringify({
				itemKey,
				title: this.#title(),
				pageLabel: String(page),
				text: this.#filler(this.#toolSentences)
			})
		);
	}

	#notes(): Part {
		const notes = this.#filler(this.#toolSentences);
		return tool('search_notes', { query: this.#pick(subjects) }, JSON.stringify({ notes }));
	}

	#filler(sentences: number): string {
		return Array.from(
			{ length: sentences },
			() =>
				`${this.#pick(openings)} ${this.#pick(subjects)} ${this.#pick(verbs)} ${this.#pick(samples)} ${this.#pick(endings)}.`
		).join(' ');
	}

	#quotation(): string {
		return this.#once(
			() =>
				`${this.#pick(subjects)} ${this.#pick(verbs)} ${this.#pick(samples)} ${this.#pick(endings)}`
		);
	}

	#title(): string {
		return `${this.#pick(openings)} ${this.#pick(subjects)} in ${this.#pick(samples)}`;
	}

	#key(): string {
		const alphabet = '23456789ABCDEFGHIJKLMNPQRSTUVWXYZ';
		return this.#once(() => {
			const rest = Array.from({ length: 6 }, () => alphabet[this.#below(alphabet.length)] ?? 'A');
			return `${2 + this.#below(8)}${rest.join('')}${'QRSTUVWX'[this.#below(8)]}`;
		});
	}

	#doi(): string {
		return this.#once(
			() =>
				`10.${1000 + this.#below(8999)}/${this.#pick(journals)}.${2000 + this.#below(25)}.${10000 + this.#below(89999)}`
		);
	}

	#citekey(): string {
		return this.#once(
			() =>
				`${this.#pick(authors).toLowerCase()}${1990 + this.#below(34)}${this.#pick(['a', 'b', 'c'])}`
		);
	}

	#path(): string {
		return this.#once(
			() =>
				`${this.#pick(['data', '~/review', 'notes', 'src/analysis'])}/${this.#pick(slugs)}-${this.#below(900)}.${this.#pick(['csv', 'md', 'R', 'py'])}`
		);
	}

	/** Makes until it is something new, so that no two planted texts are one. */
	#once(make: () => string): string {
		for (;;) {
			const made = make();
			if (this.#used.has(made)) continue;
			this.#used.add(made);
			return made;
		}
	}

	#pick<T>(from: readonly [T, ...T[]] | readonly T[]): T {
		const picked = from[this.#below(from.length)];
		if (picked === undefined) throw new Error('Nothing to pick from.');
		return picked;
	}

	#shuffled<T>(items: readonly T[]): T[] {
		const out = [...items];
		for (let last = out.length - 1; last > 0; last--) {
			const other = this.#below(last + 1);
			const [a, b] = [out[last], out[other]];
			if (a !== undefined && b !== undefined) [out[last], out[other]] = [b, a];
		}
		return out;
	}

	/** mulberry32: small, seeded, the same everywhere. */
	#below(limit: number): number {
		this.#state.seed = (this.#state.seed + 0x6d2b79f5) >>> 0;
		let t = this.#state.seed;
		t = Math.imul(t ^ (t >>> 15), t | 1);
		t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
		return ((t ^ (t >>> 14)) >>> 0) % limit;
	}
}

function draft(
	content: string | readonly Part[],
	...planted: readonly (readonly [Kind, string])[]
): Draft {
	return {
		parts: typeof content === 'string' ? [text(content)] : [...content],
		planted: planted.map(([kind, value]) => ({ kind, text: value }))
	};
}

const list = (items: string) => items.split('|');
const authors = list(
	'Roediger|Karpicke|Cepeda|Pashler|Bjork|Kornell|Dunlosky|Rawson|Carpenter|Delaney|Smolen|Toppino|Kang|Rohrer|Vlach|Sandhofer|Ortega|Ibarra'
);
const subjects = list(
	'the spacing effect|delayed recall|retrieval practice|the retention interval|feedback timing|interleaved practice|the testing effect|sleep after study|vocabulary learning|transfer to new material|metacognitive judgement|expanding schedules'
);
const verbs = list(
	'depends on|was reduced in|is larger for|was absent in|is mediated by|was replicated in|is weaker for|was stronger in'
);
const samples = list(
	'older adults|university students|learners with little prior knowledge|the control group|online samples|clinical samples|bilingual speakers|the delayed condition|classroom cohorts'
);
const endings = list(
	'after a long delay|when feedback is immediate|under divided attention|across two sessions|with self-paced study|in both experiments|once fatigue is controlled|only without hints|whatever the material'
);
const openings = list(
	'The authors argue that|A later paper claims that|In the second experiment|One limitation is that|Taken together|Against expectation|The table suggests that|By contrast'
);
const spanish = list(
	'el intervalo importa más que la dosis|la práctica distribuida mejora el recuerdo|no hubo diferencias entre los grupos|el efecto desaparece con retroalimentación inmediata'
);
const exclusions = list(
	'unpublished theses on|animal studies beside|single-case reports on|studies without a control group of|conference abstracts on'
);
const options = list(
	'the PEDro scale|Cochrane RoB 2|a random-effects model|a fixed-effect model|the trim-and-fill method|Hedges’ correction|a Bayesian model|robust variance estimation|the GRADE table'
);
const reasons = list(
	'it assumes one true effect|nobody on the team has used it|the trials are too few|its scores hide the risk|reviewers distrust it|it needs individual data'
);
const hosts = list(
	'osf.io|www.crd.york.ac.uk|www.cochranelibrary.com|clinicaltrials.gov|zenodo.org'
);
const slugs = list('spacing|extraction|screening|protocol|retrieval|coding|moderators');
const journals = list('j.cogpsych|s41539|memlang|edupsy|psychsci|j.learninstruc');
