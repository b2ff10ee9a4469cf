import { expect, type BrowserContext } from '@playwright/test';
import { App } from '../browser/app';
import { converse, KEY } from '../browser/provider';
import { OpenAIServer, type Behaviour } from '../support/openai-server';
import { wireText } from '../support/openai-answers';
import { Chromium, crasher } from './chromium';
import { Journal } from './journal';
import { Random } from './random';
import { tears, type Stored } from './verdict';

/** What is under way when the kill comes. */
export const phases = ['send', 'answer', 'checkpoint'] as const;
export const weapons = ['renderer', 'browser'] as const;
export type Phase = (typeof phases)[number];
export type Weapon = (typeof weapons)[number];

/** One kill, and how the database was found after it. */
export interface Kill {
	readonly number: number;
	readonly phase: Phase;
	readonly weapon: Weapon;
	/** Milliseconds between what was waited for and the kill. */
	readonly delay: number;
	/** What was under way had been stored when the kill came. */
	readonly isStored: boolean;
	/** Milliseconds by which a partial answer was behind the screen; null where none was under way. */
	readonly behind: number | null;
	readonly isAhead: boolean;
	/** Empty: every acknowledged write is there, nothing is torn, and the session goes on. */
	readonly violations: readonly string[];
}

/** What is asked of the kills. */
export interface KillOptions {
	/** The browser's executable. */
	readonly executablePath: string;
	/** Where the built app is served. */
	readonly url: string;
	readonly seed: number;
	readonly count: number;
	/** A partial answer may be this far behind the screen, in milliseconds. */
	readonly behindMax: number;
}

/** The conversation under torture: one profile, one session, one provider. */
class Victim {
	readonly journal = new Journal();
	#app: App | null = null;
	#context: BrowserContext | null = null;
	#path = '';
	/** Questions written so far; the number of the newest. */
	questions = 0;

	constructor(
		private readonly browser: Chromium,
		private readonly server: OpenAIServer,
		private readonly url: string
	) {}

	async #newPage(): Promise<App> {
		this.#context ??= await this.browser.start((context) => this.journal.watch(context));
		this.#app = new App(await this.#context.newPage());
		return this.#app;
	}

	get app(): App {
		if (!this.#app) throw new Error('No page is open.');
		return this.#app;
	}

	async begin(): Promise<void> {
		const app = await this.#newPage();
		await converse(app, this.server);
		this.#path = new URL(app.page.url()).pathname;
	}

	/** A turn that takes its time over nothing: what shows that the session can be used. */
	async turn(): Promise<void> {
		this.server.reset();
		this.server.enqueue({ kind: 'text', chunks: [wordsUpTo(220)] });
		await this.ask();
		await this.app.idle();
	}

	async write(): Promise<void> {
		const number = ++this.questions;
		await this.app.composer.fill(`Q${number}: what about study ALPHA${number}?`);
	}

	async ask(): Promise<void> {
		await this.write();
		await this.app.composer.press('Enter');
	}

	/** Numbers of the questions that the provider has been asked since the last reset: those were durable before. */
	get reached(): number[] {
		return this.server.chats
			.filter(({ body }) => !wireText(body?.messages.at(-1)).includes('<transcript>'))
			.flatMap(({ body }) =>
				questionsIn(wireText(body?.messages.findLast((m) => m.role === 'user')))
			);
	}

	/** Brings about what is to be killed, up to the moment from which the delay counts. */
	async approach(phase: Phase): Promise<void> {
		const { app, server } = this;
		if (phase === 'checkpoint') for (let turn = 0; turn < 2; turn++) await this.turn();
		server.reset();
		if (phase === 'send') {
			await this.write();
			begun(app.composer.press('Enter'));
		} else if (phase === 'answer') {
			server.enqueue(slowly(400));
			const asked = server.nextChat();
			await this.ask();
			await asked;
		} else {
			await app.page.getByRole('button', { name: /^Context:/ }).click();
			const compact = app.page.getByRole('button', { name: 'Compact now' });
			await expect(compact).toBeEnabled();
			begun(compact.click());
		}
	}

	/** Gets a weapon ready, so that it kills without delay. It gives the moment. */
	async aim(weapon: Weapon): Promise<() => Promise<number>> {
		const crash = await crasher(this.app.page);
		return () => {
			this.#app = null;
			if (weapon === 'renderer') return crash();
			this.#context = null;
			return this.browser.kill();
		};
	}

	/** Opens the origin without the app, and reads what is stored before anything can change it. */
	async stored(): Promise<Stored> {
		const app = await this.#newPage();
		await app.page.goto(`${this.url}/icon.svg`);
		return {
			messages: await app.rows('messages'),
			sessions: await app.rows('sessions'),
			runs: await app.rows('runs')
		};
	}

	/** Opens the session as a person does after a crash. */
	async reopen({ runs }: Stored): Promise<void> {
		const { page, composer } = this.app;
		await page.goto(`${this.url}${this.#path}`);
		await expect(composer).toBeVisible();
		if (runs.length > 0) await expect(page.getByText('This answer was interrupted')).toBeVisible();
		await this.app.idle();
	}
}

/** A press of which the page may not live to see the end. */
function begun(press: Promise<void>): void {
	void press.catch(() => undefined);
}

const questionsIn = (text: string) =>
	[...text.matchAll(/\bQ(\d+):/g)].map(([, number]) => Number(number));

const wordsUpTo = (count: number) =>
	Array.from({ length: count }, (_, index) => `w${index + 1} `).join('');

/** An answer of numbered words, one every few milliseconds. */
function slowly(count: number): Behaviour {
	const pause: PromiseLike<unknown> = {
		then: (resolve) => new Promise<void>((done) => setTimeout(done, 8)).then(resolve as () => never)
	};
	return {
		kind: 'text',
		chunks: Array.from({ length: count }, (_, index) => [`w${index + 1} `, pause]).flat()
	};
}

/** The number of the last word that a partial answer holds. */
function lastWord(run: Stored['runs'][number] | undefined): number {
	const said = run?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
	return Number(/w(\d+)\s*$/.exec(said)?.[1] ?? 0);
}

/** The longest delay of a kill in each phase, in milliseconds: so that it comes before, within and after the write. */
const spread: Record<Phase, number> = { send: 120, answer: 2500, checkpoint: 500 };

/**
 * Kills real Chromium on the built app at `url`, again and again on one profile, and looks at the database after each.
 * The seed fixes phases, weapons and delays; what the browser is doing after such a delay is its own.
 */
export async function* kills({
	executablePath,
	url,
	seed,
	count,
	behindMax
}: KillOptions): AsyncGenerator<Kill> {
	const server = await OpenAIServer.start({ models: ['loop-8k'], apiKey: KEY });
	const browser = new Chromium(executablePath);
	const victim = new Victim(browser, server, url);
	const random = new Random(seed);
	try {
		await victim.begin();
		for (let turn = 0; turn < 3; turn++) await victim.turn();
		for (let number = 1; number <= count; number++) {
			const weapon = weapons[number % 2] ?? 'browser';
			const phase = phases[Math.floor(number / 2) % phases.length] ?? 'send';
			const delay = random.below(spread[phase]);
			const kill = await once(victim, { number, phase, weapon, delay }, behindMax);
			yield kill;
			// Nothing more can be learnt from a session that does not go on.
			if (kill.violations.some((what) => what.startsWith('unusable'))) return;
		}
	} finally {
		await browser.remove();
		await server.stop();
	}
}

async function once(
	victim: Victim,
	plan: Pick<Kill, 'number' | 'phase' | 'weapon' | 'delay'>,
	behindMax: number
): Promise<Kill> {
	const { phase, weapon, delay } = plan;
	const found: string[] = [];
	const { journal } = victim;
	const kill = await victim.aim(weapon);
	await victim.approach(phase);
	// What is measured is a moment in time: nothing here is waited for.
	await new Promise((resolve) => setTimeout(resolve, delay));
	const at = await kill();
	const stored = await victim.stored();

	if (!journal.has('complete')) found.push('wrong: the page has reported nothing');
	found.push(...tears(stored));
	const { lost, isAhead } = journal.compare(stored);
	found.push(...lost);
	const kept = new Set(stored.messages.flatMap(({ parts }) => questionsIn(textIn(parts))));
	for (const asked of victim.reached) {
		if (!kept.has(asked)) found.push(`lost: question ${asked}, which the provider was asked`);
	}
	for (const asked of journal.asked) {
		if (!kept.has(asked)) found.push(`lost: question ${asked}, which was on screen`);
	}
	const [run] = stored.runs;
	const behind = run ? journal.behind(lastWord(run), run.startedAt, at) : null;
	if (behind !== null && behind > behindMax) found.push(`late: ${behind} ms of an answer`);

	const newest = stored.messages.find(({ id }) => id === stored.sessions[0]?.leafId);
	const isStored =
		phase === 'send'
			? kept.has(victim.questions)
			: phase === 'answer'
				? run !== undefined && run.parts.length > 0
				: newest?.role === 'checkpoint';
	journal.begin(stored);
	try {
		await victim.reopen(stored);
		await victim.turn();
	} catch (error) {
		found.push(`unusable: ${String(error)}`);
	}
	return { ...plan, isStored, behind, isAhead, violations: found };
}

const textIn = (parts: Stored['messages'][number]['parts']) =>
	parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
