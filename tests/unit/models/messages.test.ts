import { convertToModelMessages } from 'ai';
import { expect, test } from 'vitest';
import { toModelMessages, type FilePartLoader } from '$lib/models/messages';
import type { ConversationMessage, Part } from '$lib/history/message';
import { assistant, call, user } from './build';

const file = (filename: string, mediaType: string): Part => ({
	type: 'file',
	filename,
	mediaType,
	sha256: 'abc',
	size: 12,
	tokens: 3
});
const load: FilePartLoader = async ({ mediaType }) =>
	mediaType.startsWith('text/')
		? { text: 'the body' }
		: mediaType.startsWith('image/')
			? { dataUrl: 'data:image/png;base64,AAAA' }
			: {};
const convert = (messages: ConversationMessage[]) =>
	toModelMessages(messages, load, convertToModelMessages);
const says = (text: string) => [{ type: 'text', text }];

test.each<[string, ConversationMessage[], unknown[]]>([
	[
		'plain turns',
		[user('A'), assistant('B'), user('C')],
		[
			{ role: 'user', content: says('A') },
			{ role: 'assistant', content: says('B') },
			{ role: 'user', content: says('C') }
		]
	],
	[
		'neighbours of one role are joined',
		[user('A'), user('B'), assistant('C'), assistant('D'), user('E')],
		[
			{ role: 'user', content: says('A\n\nB') },
			{ role: 'assistant', content: says('C\n\nD') },
			{ role: 'user', content: says('E') }
		]
	],
	[
		'C94 empty answers are skipped, reasoning is dropped, and what is left is joined',
		[user('A'), assistant(''), assistant([{ type: 'reasoning', text: 'Hm' }]), user('B')],
		[{ role: 'user', content: says('A\n\nB') }]
	],
	[
		'text files are inlined in a frame, images go as files',
		[
			user([
				{ type: 'text', text: 'See' },
				file('a "b".txt', 'text/plain'),
				file('p.png', 'image/png')
			])
		],
		[
			{
				role: 'user',
				content: [
					{
						type: 'text',
						text: `See\n\n<attachment name="a 'b'.txt" type="text/plain">\nthe body\n</attachment>`
					},
					{ type: 'file', mediaType: 'image/png', filename: 'p.png' }
				]
			}
		]
	],
	[
		'a file without content is named, not dropped in silence',
		[user([file('x.bin', 'application/octet-stream')])],
		[{ role: 'user', content: [{ type: 'text', text: expect.stringContaining('name="x.bin"') }] }]
	]
])('%s', async (_name, messages, expected) => {
	expect(await convert(messages)).toMatchObject(expected);
});

test.each<[Parameters<typeof call>, unknown]>([
	[['output-available', { output: 'found' }], { type: 'text', value: 'found' }],
	[['output-available', { output: { a: 1 } }], { type: 'json', value: { a: 1 } }],
	[['output-available', {}], { type: 'json', value: null }],
	[['output-error', { errorText: 'gone' }], { type: 'error-text', value: 'gone' }],
	[['output-denied'], { type: 'error-text', value: expect.stringContaining('not allow') }],
	[['input-available'], { type: 'error-text', value: expect.stringContaining('interrupted') }],
	[['approval-requested'], { type: 'error-text', value: expect.stringContaining('interrupted') }],
	[
		['input-streaming', { input: undefined }],
		{ type: 'error-text', value: expect.stringContaining('interrupted') }
	]
])('a call always has its result: %j', async (given, output) => {
	const messages = await convert([
		user('A'),
		assistant([{ type: 'text', text: 'Looking.' }, call(...given), { type: 'text', text: 'So.' }]),
		user('B')
	]);
	expect(messages).toMatchObject([
		{ role: 'user' },
		{ role: 'assistant', content: [{ type: 'text' }, { type: 'tool-call', toolCallId: 'call_1' }] },
		{ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'call_1', output }] },
		{ role: 'assistant', content: says('So.') },
		{ role: 'user', content: says('B') }
	]);
});
