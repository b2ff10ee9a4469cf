import type { Speaker } from './checkpoint-request';

/** What a section of a checkpoint collects. Read off its heading, so that a new template needs no code here. */
export type SectionKind =
	| 'goal'
	| 'requirements'
	| 'progress'
	| 'findings'
	| 'resources'
	| 'decisions'
	| 'next'
	| 'questions'
	| 'actions'
	| 'files'
	| 'context';

const kinds: readonly (readonly [RegExp, SectionKind])[] = [
	[/goal|objective|objetivo/i, 'goal'],
	[/requirement|constraint|preference/i, 'requirements'],
	[/progress|status/i, 'progress'],
	[/finding|evidence|result/i, 'findings'],
	[/zotero|resource|source|literature/i, 'resources'],
	[/decision/i, 'decisions'],
	[/next/i, 'next'],
	[/question/i, 'questions'],
	[/action|to-?do|task/i, 'actions'],
	[/file|command|code/i, 'files']
];

/** The kind of a heading; anything unknown collects what else matters. */
export function kindOf(heading: string): SectionKind {
	return kinds.find(([pattern]) => pattern.test(heading))?.[1] ?? 'context';
}

interface Taste {
	/** Words that make a sentence belong here, in English and Spanish. */
	readonly cue: RegExp | null;
	readonly cueWeight: number;
	/** How much more a speaker's words belong here. */
	readonly speaker: Readonly<Record<Speaker, number>>;
	/** Without a cue a sentence may still stand here, but nowhere better. */
	readonly open?: boolean;
}

/** Whole words: "fix" is not in "fix-parser", which is a name. */
const word = (alternatives: string) =>
	new RegExp(
		`(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}][-_])(?:${alternatives})(?![\\p{L}\\p{N}]|[-_][\\p{L}\\p{N}])`,
		'iu'
	);

/** What each kind of section looks for. Weights are relative; a cue is worth about two identifiers. */
export const tastes: Readonly<Record<SectionKind, Taste>> = {
	goal: {
		cue: word(
			`goal|aim|objective|purpose|research question|systematic review|scoping review|meta-analysis|thesis|dissertation|i want to|we want to|i am (?:writing|working|reviewing|researching|planning|building|preparing)|i'm (?:writing|working|reviewing|researching|planning|building|preparing)|we are (?:studying|reviewing|investigating|writing|building|planning)|help me (?:write|find|review|plan|understand|build)|objetivo|meta|tesis|revisión sistemática|quiero|queremos|estoy (?:escribiendo|investigando|revisando|preparando)|estamos (?:estudiando|revisando|escribiendo)|ayúdame a`
		),
		cueWeight: 2.2,
		speaker: { user: 1.2, assistant: -1, tool: -3 }
	},
	requirements: {
		cue: word(
			`must|must not|mustn't|only|exclude[ds]?|excluding|include only|never|always|need|needs|require[ds]?|requirements?|criteria|criterion|constraints?|prefer|avoid|ignore|don't|do not|at least|at most|no more than|no fewer than|limit(?:ed)? to|deadline|should|stick to|actually|correction|deben?|debemos|solo|sólo|solamente|únicamente|excluye|excluir|excluimos|nunca|siempre|necesito|necesitamos|prefiero|preferimos|evita|al menos|como máximo|no uses|corrección|en realidad|criterios?|requisitos?`
		),
		cueWeight: 2,
		speaker: { user: 1.2, assistant: -0.8, tool: -3 }
	},
	progress: {
		cue: word(
			`done|finished|completed|searched|screened|extracted|imported|added|fixed|implemented|read|checked|reviewed|in progress|currently|working on|ongoing|started|blocked|cannot|can't|couldn't|could not|failed|unavailable|paywall(?:ed)?|no access|waiting (?:for|on)|denied|hecho|hemos|terminado|completado|extraído|importado|añadido|corregido|en curso|actualmente|empezado|bloqueado|no puedo|no se puede|falló|sin acceso|esperando`
		),
		cueWeight: 1.4,
		speaker: { user: 0.3, assistant: 0.3, tool: -0.6 }
	},
	findings: {
		cue: word(
			`found|finds?|show(?:s|ed|n)?|report(?:s|ed)?|result(?:s|ed)?|suggest(?:s|ed)?|conclude[ds]?|associated|increase[ds]?|decrease[ds]?|reduced|higher|lower|significant(?:ly)?|effect|evidence|hypothes[ie]s|according to|et al|encontr(?:ó|aron|amos)|mostr(?:ó|aron)|muestra|report(?:ó|aron)|resultados?|sugiere|concluye|aument(?:ó|a)|redujo|efecto|evidencia|hipótesis|según`
		),
		cueWeight: 1.3,
		speaker: { user: 0.1, assistant: 0.3, tool: 0.6 }
	},
	resources: {
		cue: word(
			`zotero|doi|isbn|arxiv|item key|key|collection|attachment|annotation|pdf|epub|title|citekey|clave|colección|adjunto|anotación|título`
		),
		cueWeight: 1.2,
		speaker: { user: 0.2, assistant: 0, tool: 0.8 }
	},
	decisions: {
		cue: word(
			`decide[ds]?|decision|we(?:'ll| will| are going to) (?:use|go|take|keep|drop|exclude|focus|start)|agreed?|chose|chosen|choose|let's|let us|go with|going with|settled? on|opt(?:ed)? for|rejected?|ruled out|instead of|no longer|drop the|will use|ya no|decidimos|decidido|decisión|acordamos|de acuerdo|elegimos|usaremos|vamos a|optamos|nos quedamos con|descartamos|descartado`
		),
		cueWeight: 2.7,
		speaker: { user: 1, assistant: 0.1, tool: -3 }
	},
	next: {
		cue: word(
			`next|next step|todo|to do|then|after that|later|plan to|remaining|still (?:need|have)|follow up|will (?:now|then)|tomorrow|siguiente|próximo|próxima|falta|faltan|pendientes?|queda por|luego|después|mañana|hay que`
		),
		cueWeight: 1.8,
		speaker: { user: 0.7, assistant: 0.2, tool: -3 }
	},
	questions: {
		cue: word(
			`unclear|unknown|open question|whether|not sure|unsure|undecided|to be decided|no sabemos|no está claro|pregunta abierta|sin decidir|por decidir`
		),
		cueWeight: 1.8,
		speaker: { user: 0.6, assistant: -0.2, tool: -3 }
	},
	actions: {
		cue: word(
			`todo|to do|next|need to|needs to|have to|please|plan to|remaining|follow up|action|task|fix|add|write|send|check|update|deadline|pendientes?|hay que|tenemos que|falta|siguiente|tarea|arreglar|añadir|escribir|enviar|revisar|actualizar`
		),
		cueWeight: 1.4,
		speaker: { user: 0.6, assistant: 0, tool: -3 }
	},
	files: {
		cue: /(?:^|\s)(?:npm|npx|pnpm|yarn|git|cargo|pip|python3?|node|docker|make|curl|bash|sh|cd|kubectl|go|rustc|deno|bun)\s+[\w./-]+|[\w-]+\/[\w./-]+\.\w+|\b[\w-]+\.(?:ts|js|py|rs|go|svelte|css|html|json|ya?ml|toml|sql|sh|md|c|cpp|h|java|rb)\b/,
		cueWeight: 2,
		// What a user says of a file is more often a task or a rule than news of the file.
		speaker: { user: -0.3, assistant: 0.2, tool: 0.2 }
	},
	context: {
		cue: word(
			`because|since|background|context|note|important|remember|assum(?:e|ing|ption)|definition|means|called|named|based on|porque|contexto|nota|importante|recuerda|supon(?:emos|go)|definición|significa|se llama|según`
		),
		cueWeight: 0.5,
		speaker: { user: 0.5, assistant: -0.1, tool: -0.7 },
		open: true
	}
};

/** The groups of a progress section. */
export const progressGroups = ['Done', 'Active', 'Blocked'] as const;
export type ProgressGroup = (typeof progressGroups)[number];

const blocked = word(
	`blocked|cannot|can't|couldn't|could not|failed|unavailable|paywall(?:ed)?|no access|waiting (?:for|on)|denied|bloqueado|no puedo|no se puede|falló|sin acceso|esperando`
);
const active = word(
	`in progress|currently|working on|ongoing|started|now|en curso|actualmente|empezado|trabajando en|ahora`
);

export function progressGroup(text: string): ProgressGroup {
	return blocked.test(text) ? 'Blocked' : active.test(text) ? 'Active' : 'Done';
}
