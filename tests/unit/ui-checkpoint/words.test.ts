import { describe, expect, test } from 'vitest';
import type {
	Checkpoint,
	Message,
	MessageId,
	Reference,
	ReferenceKind
} from '../../../src/lib/history/message';
import type { Pin } from '../../../src/lib/history/session';
import type { ModelChoice } from '../../../src/lib/session/view';
import { byKind, costWords, counted, retentionOf } from '../../../src/lib/ui/checkpoint/facts';
import { notCarried } from '../../../src/lib/ui/checkpoint/pins';
import { placesOf } from '../../../src/lib/ui/checkpoint/places';
import { pinLines, pinWeight } from '../../../src/lib/ui/context/pin-lines';
import { formatDollars } from '../../../src/lib/ui/kit/format';
import { modelGroups, modelKey, modelName } from '../../../src/lib/ui/kit/model-groups';
import { parseDollars, priceWords } from '../../../src/lib/ui/settings/check';

const id = (text: string) => text as MessageId;
const reference = (kind: ReferenceKind, text: string, kept = true): Reference => ({
	kind,
	text,
	messageIds: [id('m1')],
	count: 1,
	kept
});
const messagePin = (messageId: string): Pin => ({ kind: 'message', messageId: id(messageId) });
const doiPin = (text: string): Pin => ({ kind: 'reference', reference: 'doi', text });

describe('money', () => {
	test.each([
		[0, 'free'],
		[0.000_01, 'under $0.0001'],
		[0.0034, '$0.0034'],
		[0.0123, '$0.012'],
		[0.34, '$0.34'],
		[1.2, '$1.20'],
		[142.4, '$142']
	])('%d', (value, words) => expect(formatDollars(value)).toBe(words));

	test.each([
		['', null],
		['  ', null],
		['1.25', 1.25],
		['$ 1.25', 1.25],
		['1,25', 1.25],
		['.5', 0.5],
		['0', 0],
		['1,250', undefined],
		['-1', undefined],
		['1e3', undefined],
		['a lot', undefined]
	])('typed: %j', (text, value) => expect(parseDollars(text)).toBe(value));

	const list = { input: 0.25, cachedInput: 0.025, output: 2 };
	const open = { input: null, cachedInput: null, output: null };
	test.each([
		[null, null, 'Price unknown'],
		[open, list, 'Price $0.25 in, $2.00 out, from the built-in list'],
		[{ ...open, input: 3 }, null, 'Price $3.00 in, ? out'],
		[{ ...open, input: 3 }, list, 'Price $3.00 in, $2.00 out'],
		[null, { input: 0, cachedInput: 0, output: 0 }, 'Free: a server of your own'],
		[{ input: 0, cachedInput: 0, output: 0 }, list, 'Free, as you typed']
	])('a model’s price: %j beside %j', (typed, known, words) =>
		expect(priceWords(typed, known)).toBe(words)
	);

	test.each([
		[{ summary: 0, firstRequest: 0, paysOffAfter: 0 }, false, 'Free'],
		[
			{ summary: 0.012, firstRequest: 0.034, paysOffAfter: 3 },
			false,
			'Summary $0.012 · first request after it $0.034 · pays off after 3 turns'
		],
		[
			{ summary: 0, firstRequest: 0.034, paysOffAfter: 1 },
			true,
			'Summary free · first request after it about $0.034 · pays off after 1 turn'
		],
		[
			{ summary: 0.012, firstRequest: 0.034, paysOffAfter: null },
			false,
			'Summary $0.012 · first request after it $0.034 · never pays off'
		]
	])('a checkpoint’s: %j', (cost, about, words) => expect(costWords(cost, about)).toBe(words));
});

test.each([
	[0, 'pass', '0 passes'],
	[1, 'pass', '1 pass'],
	[1200, 'message', '1,200 messages']
])('%d %s', (count, noun, words) => expect(counted(count, noun)).toBe(words));

test('references by kind keep their order; what is missing is told apart', () => {
	const list = [reference('doi', 'a'), reference('url', 'b', false), reference('doi', 'c', false)];
	expect(byKind(list).map(({ kind, references }) => [kind, references.length])).toEqual([
		['doi', 2],
		['url', 1]
	]);
	const retention = retentionOf(list);
	expect([retention.kept, retention.found]).toEqual([1, 3]);
	expect(retention.missing.flatMap(({ references }) => references.map(({ text }) => text))).toEqual(
		['b', 'c']
	);
});

describe('pins', () => {
	const pins = [messagePin('m1'), messagePin('m2'), doiPin('10.1/a'), doiPin('10.1/b')];
	const checkpoint = {
		pinned: [
			{ messageId: id('m1'), text: 'first words' },
			{ messageId: null, text: '10.1/a' }
		]
	} as unknown as Checkpoint;

	test('a checkpoint does not carry what was pinned after it', () => {
		expect(notCarried(pins, checkpoint)).toEqual([messagePin('m2'), doiPin('10.1/b')]);
		expect(notCarried(pins, {} as Checkpoint)).toEqual(pins);
	});

	test('a list has their words from the loaded messages, else from a checkpoint, else none', () => {
		const messages = [
			{ id: id('m2'), role: 'user', parts: [{ type: 'text', text: 'second words' }] },
			{ id: id('c'), role: 'checkpoint', parts: [], checkpoint }
		] as unknown as Message[];
		const { here, elsewhere } = pinLines([...pins, messagePin('m3')], messages, null);
		expect(here.map(({ text }) => text)).toEqual([
			'first words',
			'second words',
			'10.1/a',
			'10.1/b',
			null
		]);
		expect(elsewhere).toEqual([]);
	});

	test('what this branch has neither loaded nor pinned is of another branch', () => {
		const texts = [{ messageId: id('m4'), text: 'fourth words' }];
		const wanted = [messagePin('m3'), messagePin('m4'), doiPin('10.1/a')];
		const { here, elsewhere } = pinLines(wanted, [], texts);
		expect(here.map(({ text }) => text)).toEqual(['fourth words', '10.1/a']);
		expect(elsewhere.map(({ key }) => key)).toEqual(['m3']);
	});

	test.each([
		[1536, null],
		[4084, 'Pinned texts take 4,084 of 6,144 tokens; less is left for the summary.']
	])('%d of 6,144 tokens', (tokens, words) => expect(pinWeight(tokens, 6144)).toBe(words));
});

describe('a citation is a place in the conversation where its message is loaded', () => {
	const message = (name: string, role: Message['role']) => ({ id: id(name), role }) as Message;
	test('counted in turns from the end', () => {
		const places = placesOf([
			message('b1', 'assistant'),
			message('a2', 'user'),
			message('b2', 'assistant'),
			message('cp', 'checkpoint'),
			message('a3', 'user'),
			message('b3', 'assistant'),
			message('a4', 'user')
		]);
		expect([...places].map(([short, { words }]) => [short, words]).reverse()).toEqual([
			['b1', 'answer, 3 turns ago'],
			['a2', 'your message, 2 turns ago'],
			['b2', 'answer, 2 turns ago'],
			['a3', 'your message, 1 turn ago'],
			['b3', 'answer, 1 turn ago'],
			['a4', 'your message, last turn']
		]);
	});
});

describe('models to choose from', () => {
	const choice = (provider: string, model: string, contextWindow: number | null): ModelChoice => ({
		ref: { provider, model },
		name: model.toUpperCase(),
		providerName: provider,
		contextWindow,
		maxOutput: null,
		assumed: contextWindow === null
	});
	const models = [choice('p', 'a', 8192), choice('q', 'b', null)];

	test('one that is gone stays chosen and is said to be gone', () => {
		const gone = { provider: 'r', model: 'c' };
		expect(modelGroups(models, gone)[0]?.options).toEqual([
			{ value: modelKey(gone), label: 'c (not available)' }
		]);
		expect(modelName(models, gone)).toBe('c');
	});
	test('none chosen adds nothing', () => {
		expect(modelGroups(models, null).map(({ name }) => name)).toEqual(['p', 'q']);
		expect(modelGroups(models, null)[0]?.options[0]?.label).toBe('A · 8.2k');
		expect(modelName(models, { provider: 'p', model: 'a' })).toBe('A');
	});
});
