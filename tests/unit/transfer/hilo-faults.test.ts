import { describe, expect, test } from 'vitest';
import type { Checkpoint, Message, MessageId, SessionId, TreeId } from '$lib/history/message';
import { attach, attachCheckpoint } from '$lib/history/tree';
import { decodeHilo } from '$lib/transfer/hilo';
import { sha256 } from '$lib/transfer/sha256';

type Row = Record<string, unknown>;
interface File {
	[key: string]: unknown;
	sessions: Row[];
	messages: Row[];
	attachments: Row[];
}

/** Two sound sessions: a tree of user, answer, user, checkpoint, answer; and one of a user message. */
function file(): File {
	const a = tree('a', ['user', 'assistant', 'user', 'checkpoint', 'assistant']);
	const b = tree('b', ['user']);
	return JSON.parse(
		JSON.stringify({
			format: 'hilo',
			version: 1,
			app: 'Hilo 0.1.0',
			exportedAt: 1,
			sessions: [session('a', a.at(-1)?.id), session('b', b.at(-1)?.id)],
			messages: [...a, ...b],
			attachments: []
		})
	);
}

function tree(name: string, roles: readonly Message['role'][]): Message[] {
	const rows: Message[] = [];
	roles.forEach((role, index) => {
		const parent = rows.at(-1) ?? null;
		const place = {
			id: `${name}${index}` as MessageId,
			treeId: `tree-${name}` as TreeId,
			sessionId: `session-${name}` as SessionId,
			now: index,
			parent
		};
		const text = { type: 'text' as const, text: `${name}${index}` };
		if (role === 'checkpoint') rows.push(attachCheckpoint(checkpoint(`${name}2`), place));
		else rows.push(attach({ role, parts: [text], metadata: {} }, place));
	});
	return rows;
}

function checkpoint(kept: string): Checkpoint {
	return {
		summary: 's',
		firstKeptMessageId: kept as MessageId,
		previousCheckpointId: null,
		references: [],
		template: 'general',
		trigger: 'manual',
		model: { provider: 'p', model: 'm' },
		usage: null,
		tokensBefore: 2,
		tokensAfter: 1,
		coveredMessageCount: 2,
		passes: 1,
		digest: '',
		durationMs: 1
	};
}

function session(name: string, leafId: string | undefined): Row {
	return {
		id: `session-${name}`,
		treeId: `tree-${name}`,
		leafId,
		branchRevision: 1,
		title: name.toUpperCase(),
		createdAt: 1,
		updatedAt: 2,
		model: { provider: 'p', model: 'm' },
		instructions: '',
		template: 'general',
		draft: { text: '', files: [] },
		pinned: false
	};
}

const decode = (value: unknown) => decodeHilo(JSON.stringify(value));
function set(row: Row | undefined, key: string, value: unknown): void {
	if (!row) throw new Error('no such row');
	row[key] = value;
}
const part = (rows: File, key: string, value: unknown) =>
	set((rows.messages[0]?.['parts'] as Row[])[0], key, value);
const saved = (rows: File, key: string, value: unknown) =>
	set(rows.messages[3]?.['checkpoint'] as Row, key, value);

test('the file of these tests is sound', () => {
	expect(decode(file())).toMatchObject({ ok: true, report: { skipped: [] } });
});

/** What is done to session A, and what is then said of it. Session B is always imported. */
const faults: readonly [string, (rows: File) => void, string][] = [
	[
		'a parent is missing',
		(f) => f.messages.splice(1, 1),
		'the parent a1 of message a2 is not in the file'
	],
	[
		'the leaf is missing',
		(f) => f.messages.splice(4, 1),
		'its newest message a4 is not in the file'
	],
	[
		'the leaf is in another tree',
		(f) => set(f.sessions[0], 'leafId', 'b0'),
		'its newest message b0 is in another tree'
	],
	[
		'a depth is wrong',
		(f) => set(f.messages[1], 'depth', 2),
		'message a1 stands at depth 2, but its parent a0 at 0'
	],
	[
		'a root is deep',
		(f) => set(f.messages[0], 'depth', 1),
		'message a0 has no parent but stands at depth 1 instead of 0'
	],
	[
		'parents make a cycle',
		(f) => set(f.messages[0], 'parentId', 'a1'),
		'message a0 stands at depth 0, but its parent a1 at 1'
	],
	[
		'a message is its own parent',
		(f) => set(f.messages[1], 'parentId', 'a1'),
		'message a1 stands at depth 1, but its parent a1 at 1'
	],
	[
		'an id is given twice',
		(f) => set(f.messages[4], 'id', 'a1'),
		'two messages have the same id a1'
	],
	[
		'a checkpoint is forgotten',
		(f) => set(f.messages[4], 'checkpointId', null),
		'message a4 names no checkpoint as its newest checkpoint, its parent a3'
	],
	[
		'a checkpoint is invented',
		(f) => set(f.messages[1], 'checkpointId', 'a3'),
		'message a1 names a3 as its newest checkpoint, its parent none'
	],
	[
		'a checkpoint does not name itself',
		(f) => set(f.messages[3], 'checkpointId', null),
		'checkpoint a3 does not name itself as newest checkpoint'
	],
	[
		'a previous checkpoint is invented',
		(f) => saved(f, 'previousCheckpointId', 'a1'),
		'checkpoint a3 follows a1, but the newest above it is none'
	],
	[
		'the boundary is missing',
		(f) => saved(f, 'firstKeptMessageId', 'zz'),
		'the boundary zz of checkpoint a3 is not in the file'
	],
	[
		'the boundary is below',
		(f) => saved(f, 'firstKeptMessageId', 'a4'),
		'the boundary a4 of checkpoint a3 is not on its branch'
	],
	[
		'the boundary is in another tree',
		(f) => saved(f, 'firstKeptMessageId', 'b0'),
		'the boundary b0 of checkpoint a3 is not on its branch'
	],
	[
		'the boundary is an answer',
		(f) => saved(f, 'firstKeptMessageId', 'a1'),
		'the boundary a1 of checkpoint a3 is not a user message'
	],
	[
		'a checkpoint has parts',
		(f) => set(f.messages[3], 'parts', [{ type: 'text', text: '' }]),
		'in messages[3], "parts": Too big: expected array to have <=0 items'
	],
	[
		'a text is a number',
		(f) => part(f, 'text', 5),
		'in messages[0], "parts[0].text": Invalid input: expected string, received number'
	],
	[
		'a part is of no known kind',
		(f) => part(f, 'type', 'html'),
		'in messages[0], "parts[0].type": '
	],
	[
		'a time is a date in words',
		(f) => set(f.messages[0], 'createdAt', '2026-01-01'),
		'in messages[0], "createdAt": Invalid input: expected number, received string'
	],
	[
		'an id holds markup',
		(f) => set(f.messages[0], 'id', '<b>'),
		'in messages[0], "id": is not an id'
	],
	[
		'a title is missing',
		(f) => set(f.sessions[0], 'title', undefined),
		'"title": Invalid input: expected string, received undefined'
	]
];

describe('a session that is not sound', () => {
	test.each(faults)('%s: named, and the other one is imported', (_, damage, why) => {
		const rows = file();
		damage(rows);
		const result = decode(rows);
		if (!result.ok) throw new Error(result.problem.title);
		expect(result.sessions.map((s) => s.id)).toEqual(['session-b']);
		expect(result.messages.map((m) => m.id)).toEqual(['b0']);
		expect(result.report.skipped).toHaveLength(1);
		expect(result.report.skipped[0]?.what).toMatch(/^Session ("A"|\(sessions\[0\]\))$/);
		expect(result.report.skipped[0]?.why).toContain(why);
		expect(result.report.counts[0]).toEqual({ label: 'Sessions', in: 2, out: 1 });
	});

	test.each(faults)('%s: a file with nothing else is refused as a whole', (_, damage, why) => {
		const rows = file();
		damage(rows);
		rows.sessions.pop();
		const result = decode(rows);
		expect(result).toMatchObject({ ok: false });
		if (!result.ok) expect(result.problem.title + result.problem.detail).toContain(why);
	});

	test('a row with a __proto__ key takes down its session and pollutes nothing', () => {
		const text = JSON.stringify(file()).replace(
			'"metadata":{}',
			'"metadata":{"__proto__":{"x":1}}'
		);
		const result = decodeHilo(text);
		expect(result).toMatchObject({
			ok: true,
			sessions: [{ id: 'session-b' }],
			report: { skipped: [{ why: 'in messages[0], it has a key named "__proto__"' }] }
		});
		expect({}).not.toHaveProperty('x');
	});

	test('sessions with one id are both left out: which is right cannot be known', () => {
		const rows = file();
		rows.sessions.push({ ...rows.sessions[1], title: 'C' });
		const result = decode(rows);
		expect(result).toMatchObject({ ok: true, sessions: [{ id: 'session-a' }] });
		if (result.ok)
			expect(result.report.skipped.map((s) => s.what)).toEqual(['Session "B"', 'Session "C"']);
	});

	test('rows that belong to nobody are named', () => {
		const rows = file();
		rows.messages.push({ ...rows.messages[5], id: 'z', treeId: 'tree-z' }, { id: 5 });
		const result = decode(rows);
		expect(result.ok && result.report.skipped.map((s) => s.what)).toEqual([
			'messages[7]',
			'1 message'
		]);
	});

	test('unknown fields are kept', () => {
		const rows = file();
		set(rows.sessions[0], 'colour', { hue: 3 });
		set(rows.messages[0], 'stars', 5);
		const result = decode(rows);
		expect(result).toMatchObject({ ok: true, sessions: [{ colour: { hue: 3 } }, {}] });
		expect(result.ok && result.messages[0]).toEqual(rows.messages[0]);
	});

	test('an input that has not arrived yet is no fault', () => {
		const rows = file();
		set(rows.messages[0], 'parts', [
			{ type: 'dynamic-tool', toolName: 't', toolCallId: 'c', state: 'input-streaming' }
		]);
		expect(decode(rows)).toMatchObject({ ok: true, report: { skipped: [] } });
	});
});

describe('attachments', () => {
	const good = { sha256: sha256('hello'), mediaType: 'text/plain', base64: btoa('hello') };
	const named = { type: 'file', mediaType: 'text/plain', filename: 'a.txt', size: 5, tokens: 2 };

	test.each([
		[
			'other bytes under the name',
			{ ...good, base64: btoa('other') },
			'its bytes do not match their SHA-256'
		],
		['no base64', { ...good, base64: '%' }, '"base64": is not base64'],
		['no name', { ...good, sha256: 'x' }, '"sha256": is not a SHA-256']
	])('%s: left out and named, the message stays', (_, row, why) => {
		const rows = file();
		set(rows.messages[0], 'parts', [{ ...named, sha256: good.sha256 }]);
		rows.attachments.push(row);
		const result = decode(rows);
		expect(result).toMatchObject({ ok: true, attachments: [] });
		if (!result.ok) return;
		expect(result.messages).toHaveLength(6);
		expect(result.report.skipped).toEqual([
			{ what: 'attachments[0]', why },
			{
				what: 'The file "a.txt"',
				why: 'its bytes are not in the export; the message keeps its name'
			}
		]);
	});

	test('a sound one is kept', () => {
		const rows = file();
		rows.attachments.push(good);
		expect(decode(rows)).toMatchObject({ ok: true, attachments: [good], report: { skipped: [] } });
	});
});

describe('a file that is refused as a whole', () => {
	test.each([
		[
			'a newer version',
			{ ...file(), version: 2 },
			'This file was written by a newer Hilo (version 2).'
		],
		[
			'no version',
			{ ...file(), version: 'x' },
			'This Hilo export is damaged: its "version" is not one that Hilo knows.'
		],
		[
			'no sessions',
			{ ...file(), sessions: undefined },
			'This Hilo export is damaged: its "sessions" is not a list.'
		],
		[
			'messages as an object',
			{ ...file(), messages: {} },
			'This Hilo export is damaged: its "messages" is not a list.'
		],
		['another format', { ...file(), format: 'x' }, 'This is not a Hilo export.'],
		[
			'too many sessions',
			{ ...file(), sessions: Array(20_001).fill(0) },
			'The file holds 20001 sessions; at most 20000 can be imported at once.'
		],
		[
			'messages without a session',
			{ ...file(), sessions: [] },
			'The file holds messages, but no session that has them.'
		],
		['a list', [file()], 'This is not a Hilo export.']
	])('%s', (_, value, title) => {
		expect(decode(value)).toMatchObject({
			ok: false,
			problem: { title, safe: 'Nothing was imported; what you already have is unchanged.' }
		});
	});

	test('a damaged byte is located', () => {
		const text = JSON.stringify(file(), null, '\t').replace('"version": 1', '"version": 1x');
		expect(decodeHilo(text)).toMatchObject({
			ok: false,
			problem: {
				title: 'The file is damaged at character 34, line 3: from there on it is not JSON.'
			}
		});
	});
});
