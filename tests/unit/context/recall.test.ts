import { describe, expect, test } from 'vitest';
import type { ConversationMessage } from '../../../src/lib/history/message';
import { plainText, searchMessages } from '../../../src/lib/context/recall';
import { cpuTime } from '../../support/cpu';
import { file, grow, text, tool, words } from '../../support/tree';

const talk = (...texts: readonly string[]) =>
	grow().talk(...texts) as readonly ConversationMessage[];
const found = (messages: readonly ConversationMessage[], query: string) =>
	searchMessages(messages, query).map((hit) => hit.snippet);

describe('C97', () => {
	test('C97 rare words first, phrases above all, newest where all else is equal', () => {
		const messages = talk('gap and test', 'only test', 'the spacing gap', 'test', 'test gap');
		expect(found(messages, 'gap test').slice(0, 2)).toEqual(['test gap', 'gap and test']);
		expect(found(messages, 'spacing test')[0]).toBe('the spacing gap');
		expect(found(messages, 'test gap')[0]).toBe('test gap');
	});

	test('C97 case and accents aside', () => {
		expect(found(talk('La práctica ESPACIADA'), 'practica espaciada')).toHaveLength(1);
		expect(found(talk('naive'), 'NAÏVE')).toHaveLength(1);
	});

	test('C97 the passage is cut around the rarest word, also behind accents', () => {
		const long = `${'intervención común '.repeat(200)}el tamaño de la muestra${' común'.repeat(200)}`;
		const messages = talk(long, 'algo común');
		const hit = searchMessages(messages, 'comun tamano')[0];
		expect(hit?.snippet).toContain('tamaño de la muestra');
		expect(hit?.snippet.length).toBeLessThan(340);
	});

	test.each(['水', '间隔练习'])('C97 a query of %s is a query', (query) => {
		expect(found(talk('我们比较了间隔练习。水'), query)).toHaveLength(1);
	});

	test.each(['', '  ', '?!', 'a'])('C97 a query of %j finds nothing', (query) => {
		expect(found(talk('a b c ?! nothing'), query)).toEqual([]);
	});

	test('C97 tools and files are searched too, reasoning is not', () => {
		const tree = grow();
		tree.user([file('sleep-study.csv'), text('look')]);
		tree.answer([
			{ type: 'reasoning', text: 'secretly' },
			tool('lookup', { key: 'Q7K2M9XP' }, { title: 'Distributed practice' })
		]);
		const messages = tree.branch() as readonly ConversationMessage[];
		for (const query of ['sleep-study', 'Q7K2M9XP', 'distributed', 'lookup']) {
			expect(found(messages, query)).toHaveLength(1);
		}
		expect(found(messages, 'secretly')).toEqual([]);
		expect(messages.map(plainText).join()).not.toContain('secretly');
	});

	test('C97 at most eight passages', () => {
		expect(found(talk(...Array.from({ length: 40 }, () => 'gap')), 'gap')).toHaveLength(8);
	});

	test('C97 ten thousand messages are searched in time for a reader', () => {
		const messages = talk(
			...Array.from({ length: 10_000 }, (_, n) => `${words(150, n)} número ${n}`)
		);
		let hits: readonly string[] = [];
		expect(cpuTime(() => (hits = found(messages, 'número 7777')))).toBeLessThan(2000);
		expect(hits[0]).toContain('número 7777');
	});
});
