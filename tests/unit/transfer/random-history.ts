import fc from 'fast-check';
import type {
	Checkpoint,
	Message,
	MessageDraft,
	MessageId,
	Part,
	SessionId,
	TreeId
} from '$lib/history/message';
import type { Session } from '$lib/history/session';
import { attach, attachCheckpoint, pathTo } from '$lib/history/tree';
import { toBase64 } from '$lib/transfer/base64';
import type { AttachmentRow } from '$lib/transfer/result';
import { sha256 } from '$lib/transfer/sha256';

export interface History {
	readonly sessions: Session[];
	readonly messages: Message[];
	readonly attachments: AttachmentRow[];
}

// JSON has one zero. A key named __proto__ is refused by design: see "a row with a __proto__ key".
const json = fc
	.jsonValue({ maxDepth: 2 })
	.map((value) => JSON.parse(JSON.stringify(value).replaceAll('"__proto__"', '"proto"')));
/** Any text: emoji, half emoji, control characters, right-to-left. */
const text = fc.string({ unit: 'binary', maxLength: 40 });
const amount = fc.nat({ max: 2_000_000 });
const bytes = fc.uint8Array({ maxLength: 12 });

const part: fc.Arbitrary<Part> = fc.oneof(
	fc.record({ type: fc.constant('text' as const), text }),
	fc.record({
		type: fc.constant('dynamic-tool' as const),
		toolName: text,
		toolCallId: text,
		state: fc.constantFrom('output-available' as const, 'approval-requested' as const),
		input: json,
		output: json
	}),
	fc.record({
		type: fc.constant('reasoning' as const),
		text,
		providerMetadata: fc.dictionary(fc.string().filter(isNoPrototype), json, { maxKeys: 2 })
	}),
	fc.constant({ type: 'step-start' as const })
);

const draft: fc.Arbitrary<MessageDraft> = fc.oneof(
	fc.record({
		role: fc.constant('user' as const),
		parts: fc.array(part, { maxLength: 3 }),
		metadata: fc.constant({})
	}),
	fc.record({
		role: fc.constant('assistant' as const),
		parts: fc.array(part, { maxLength: 3 }),
		metadata: fc.record(
			{
				model: fc.record({ provider: text, model: text }),
				finish: fc.constantFrom('stop' as const, 'error' as const, 'interrupted' as const),
				usage: fc.record({ inputTokens: amount, outputTokens: amount }),
				errorText: text,
				source: fc.record({ format: text, raw: json }),
				// A field of a later version.
				mood: json
			},
			{ requiredKeys: [] }
		)
	})
);

/** What happens next, and after which of the messages there are. */
const step = fc.record({
	draft,
	at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
	stay: fc.boolean(),
	compact: fc.nat({ max: 4 }),
	file: fc.option(bytes, { freq: 6 })
});

function isNoPrototype(key: string): boolean {
	return key !== '__proto__';
}

/** Histories of one to three trees with branches, several roots, checkpoints, forks, drafts and files. */
export const histories = (maxMessages: number): fc.Arbitrary<History> =>
	fc
		.array(
			fc.record({
				steps: fc.array(step, { maxLength: maxMessages, size: 'max' }),
				title: text,
				forks: fc.nat({ max: 2 })
			}),
			{ minLength: 1, maxLength: 3 }
		)
		.map((trees) => {
			const all: History = { sessions: [], messages: [], attachments: [] };
			trees.forEach((tree, index) => grow(all, tree, index));
			return all;
		});

type Tree = { steps: readonly StepOf[]; title: string; forks: number };
type StepOf = typeof step extends fc.Arbitrary<infer T> ? T : never;

let made = 0;
const nextId = () => `0190-${(made++).toString(16).padStart(8, '0')}`;

function grow(all: History, { steps, title, forks }: Tree, index: number): void {
	const treeId = `tree-${index}-${nextId()}` as TreeId;
	const sessionId = nextId() as SessionId;
	const messages: Message[] = [];
	for (const { draft, at, stay, compact, file } of steps) {
		// Mostly on at the end; now and then from anywhere, the root's place included.
		const from = stay ? messages.length : Math.floor(at * (messages.length + 1));
		const parent = messages[from - 1] ?? null;
		const place = { id: nextId() as MessageId, treeId, sessionId, now: 1.7e12 + made, parent };
		if (compact === 0 && parent) {
			const users = (pathTo(parent.id, messages) ?? []).filter(({ role }) => role === 'user');
			const kept = users[Math.floor(at * (users.length + 1))]?.id ?? null;
			messages.push(attachCheckpoint(checkpoint(parent, kept), place));
			continue;
		}
		messages.push(attach(file ? withFile(draft, file, all) : draft, place));
	}
	const ends = [messages.at(-1), ...messages.slice(0, forks)];
	ends.forEach((leaf, copy) =>
		all.sessions.push({
			id: copy === 0 ? sessionId : (nextId() as SessionId),
			treeId,
			leafId: leaf?.id ?? null,
			branchRevision: copy,
			title,
			createdAt: 1.7e12,
			updatedAt: 1.8e12,
			model: { provider: 'offline', model: 'extractive' },
			instructions: title,
			template: copy ? 'general' : 'research',
			draft: { text: `unsent ${title}`, files: [] },
			pinned: copy === 1
		})
	);
	all.messages.push(...messages);
}

function withFile(draft: MessageDraft, data: Uint8Array, all: History): MessageDraft {
	const hash = sha256(data);
	if (!all.attachments.some((row) => row.sha256 === hash))
		all.attachments.push({ sha256: hash, mediaType: 'image/png', base64: toBase64(data) });
	const file: Part = {
		type: 'file',
		mediaType: 'image/png',
		filename: 'a.png',
		sha256: hash,
		size: data.length,
		tokens: 85
	};
	return { ...draft, parts: [...draft.parts, file] };
}

function checkpoint(parent: Message, firstKeptMessageId: MessageId | null): Checkpoint {
	return {
		summary: '## Findings\n- one [user]',
		firstKeptMessageId,
		previousCheckpointId: parent.checkpointId,
		references: [{ kind: 'doi', text: '10.1/x', messageIds: [parent.id], count: 2, kept: true }],
		template: 'research',
		trigger: 'auto',
		model: { provider: 'offline', model: 'extractive' },
		usage: null,
		tokensBefore: 900,
		tokensAfter: 300,
		coveredMessageCount: 3,
		passes: 1,
		digest: sha256(parent.id),
		durationMs: 12.5
	};
}
