import type { LanguageModelV4Message, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, test } from 'vitest';
import { readConversation } from '$lib/models/offline/passages';
import { reply } from '$lib/models/offline/reply';

const user = (text: string): LanguageModelV4Message => ({
	role: 'user',
	content: [{ type: 'text', text }]
});
const assistant = (text: string): LanguageModelV4Message => ({
	role: 'assistant',
	content: [{ type: 'text', text }]
});
const system = (content: string): LanguageModelV4Message => ({ role: 'system', content });
const found = (value: unknown): LanguageModelV4Message[] => [
	{
		role: 'assistant',
		content: [{ type: 'tool-call', toolCallId: '1', toolName: 'search_history', input: {} }]
	},
	{
		role: 'tool',
		content: [
			{
				type: 'tool-result',
				toolCallId: '1',
				toolName: 'search_history',
				output: { type: 'text', value: JSON.stringify(value) }
			}
		]
	}
];
const attach = (name: string, body: string) =>
	`<attachment name="${name}" type="text/plain">\n${body}\n</attachment>`;

const answer = (prompt: LanguageModelV4Prompt, tools: string[] = []) => {
	const next = reply(readConversation(prompt), new Set(tools));
	return next.kind === 'text' ? next.text : next;
};

const history = [
	system('You are a careful assistant.\n- Cite penguins never.'),
	user('We must exclude studies with fewer than 30 participants.'),
	assistant('Noted. Lopez 2019 has n = 48 participants in the placebo arm.'),
	user('Thanks. The bees in the north meadow are black.'),
	assistant('Good to know.')
];

describe('quotes', () => {
	test.each<[string, string, string, string]>([
		[
			'what the user said',
			'Which studies do we exclude?',
			'> We must exclude studies with fewer than 30 participants.',
			'— you, 2 turns ago'
		],
		[
			'what a model said',
			'How many participants had Lopez 2019?',
			'Lopez 2019 has n = 48 participants',
			'— an answer, 2 turns ago'
		],
		[
			'in spite of inflection',
			'what colour has the bee in the meadows?',
			'bees in the north meadow are black',
			'— you, one turn ago'
		]
	])('%s', (_name, question, quote, source) => {
		const text = answer([...history, user(question)]);
		expect(text).toContain(quote);
		expect(text).toContain(source);
	});

	test('a checkpoint with its section and citation', () => {
		const text = answer([
			system('Instructions.'),
			system('Checkpoint.\n## Decisions\n- [user] We use the PEDro scale. (m:0a1b2c3d4e)'),
			user('Which scale do we use?')
		]);
		expect(text).toContain('> We use the PEDro scale.');
		expect(text).toContain('— checkpoint, Decisions, m:0a1b2c3d4e');
	});

	test('an attachment with its name and place', () => {
		const text = answer([
			user(
				`${attach('notes.txt', 'Sky is blue.\n\nThe moon orbits the earth.')}\n\nWhat orbits the earth?`
			)
		]);
		expect(text).toContain('> The moon orbits the earth.');
		expect(text).toContain('— notes.txt, passage 2');
		expect(text).not.toContain('Sky is blue');
	});

	test('in Spanish', () => {
		const text = answer([
			user('Excluimos los ensayos con menos de 30 participantes.'),
			assistant('De acuerdo.'),
			user('¿Qué ensayos excluimos?')
		]);
		expect(text).toContain('Los pasajes de aquí que mejor responden:');
		expect(text).toContain('— tú, hace un turno');
	});

	test('never its instructions', () => {
		expect(answer([...history, user('What about penguins?')])).toMatch(
			/^I found no passage about “penguins”/
		);
	});

	test('never its own earlier answers', () => {
		const first = answer([...history, user('Which studies do we exclude?')]);
		const text = answer([
			...history,
			user('Which studies do we exclude?'),
			assistant(String(first)),
			user('Again: which studies do we exclude? ')
		]);
		expect(String(text).match(/fewer than 30/g)).toHaveLength(1);
		expect(text).not.toContain('an answer,');
	});
});

describe('is honest', () => {
	test('when nothing matches', () => {
		const text = answer([...history, user('What is the capital of Mongolia?')]);
		expect(text).toBe(
			'I found no passage about “capital”, “Mongolia” here. I quote, I do not think; connect a model with a key in Settings for reasoning.'
		);
	});
	test('in Spanish', () => {
		expect(answer([...history, user('¿Cuál es la capital de Mongolia?')])).toMatch(
			/^Nada en esta conversación menciona “capital”, “Mongolia”\. Cito, no pienso/
		);
	});
	test('when only part of a question is met', () => {
		const text = answer([
			...history,
			user('What dose and duration and washout did the Lopez crossover use?')
		]);
		expect(text).toContain('No passage here answers this whole.');
		expect(text).toContain('Lopez 2019');
	});
	test.each(['hello', 'Hi there!', 'What can you do?', 'Who are you?', 'help'])(
		'about itself: %s',
		(q) => {
			expect(answer([user(q)])).toContain("Hilo's built-in model");
		}
	);
	test.each(['hola', '¡Buenos días!', '¿Qué puedes hacer?', '¿Quién eres?'])(
		'about itself: %s',
		(q) => {
			expect(answer([user(q)])).toContain('modelo incorporado de Hilo');
		}
	);
	test('a statement is noted, not searched for', () => {
		expect(
			answer(
				[user('We decided to use the PEDro scale for all included trials.')],
				['search_history']
			)
		).toMatch(/^Noted:/);
	});
	test('an attachment alone is read and begun', () => {
		const text = answer([user(attach('notes.txt', 'Sky is blue.\n\nGrass is green.'))]);
		expect(text).toContain('**notes.txt** (2 passages)');
		expect(text).toContain('> Sky is blue.');
	});
	test('asked to summarise, it quotes what is central and says so', () => {
		const text = answer([...history, user('Please summarise this conversation')]);
		expect(text).toContain('I cannot retell it');
		expect(text).toContain('> ');
	});
});

describe('search_history', () => {
	const search = ['search_history'];
	const question = 'What did we say about the Westerberg dosage?';

	test.each<[string, string, string]>([
		['what is not here', 'What is the Westerberg dosage?', 'Westerberg dosage'],
		[
			'what was said earlier, even if it is here',
			'Which studies did we exclude earlier?',
			'studies exclude'
		],
		['in Spanish', '¿Qué dijimos sobre la dosis de Westerberg?', 'dosis Westerberg']
	])('is called for %s', (_name, asked, query) => {
		expect(answer([...history, user(asked)], search)).toEqual({
			kind: 'tool-call',
			toolName: 'search_history',
			input: { query }
		});
	});

	test.each<[string, LanguageModelV4Prompt, string[]]>([
		['what is here', [...history, user('Which studies do we exclude?')], search],
		['a first message', [user('What is the Westerberg dosage?')], search],
		['a greeting', [...history, user('hello')], search],
		['anything without the tool', [...history, user(question)], []],
		['anything twice', [...history, user(question), ...found([])], search]
	])('is not called for %s', (_name, prompt, tools) => {
		expect(answer(prompt, tools)).toBeTypeOf('string');
	});

	test('its result is quoted with the message it stands in, without the question itself', () => {
		const text = answer(
			[
				...history,
				user(question),
				...found([
					{ message: '9999888877', role: 'user', snippet: question },
					{
						message: '0a1b2c3d4e',
						role: 'user',
						snippet: 'Westerberg used a dosage of 20 mg daily.'
					}
				])
			],
			search
		);
		expect(text).toContain('Found further back in this conversation:');
		expect(text).toContain('> Westerberg used a dosage of 20 mg daily.');
		expect(text).toContain('— search_history, user, m:0a1b2c3d4e');
		expect(text).not.toContain('9999888877');
	});

	test('an empty result is told honestly', () => {
		expect(answer([...history, user(question), ...found([])], search)).toContain(
			'I found no passage about “Westerberg”, “dosage”'
		);
	});
});
