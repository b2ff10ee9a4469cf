/** How the loopback server writes its answers: plain HTTP, event streams, whole completions. */
import type { ServerResponse } from 'node:http';
import {
	behaviours,
	words,
	type Behaviour,
	type Chunk,
	type StatusBehaviour,
	type WireUsage
} from './openai-behaviours';

export interface WireMessage {
	readonly role: string;
	readonly content?: unknown;
	readonly tool_calls?: readonly {
		readonly id: string;
		readonly function: { readonly name: string };
	}[];
	readonly tool_call_id?: string;
}

export interface ChatBody {
	readonly model: string;
	readonly stream?: boolean;
	readonly stream_options?: { readonly include_usage?: boolean };
	readonly max_tokens?: number;
	readonly messages: readonly WireMessage[];
	readonly tools?: readonly unknown[];
}

/** The text of a message, whatever shape its content has on the wire. */
export function wireText(message: WireMessage | undefined): string {
	const content = message?.content;
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part: { text?: unknown }) => (typeof part.text === 'string' ? part.text : ''))
		.join('\n');
}

/** A short, valid checkpoint for a summary request: each heading of the system text, with bullets that cite. */
export function checkpointFor(body: ChatBody): string {
	const system = body.messages
		.filter((m) => m.role === 'system')
		.map(wireText)
		.join('\n');
	const prompt = wireText(body.messages.findLast((m) => m.role === 'user'));
	const headings = [...new Set([...system.matchAll(/^## .+$/gm)].map(([line]) => line.trim()))];
	const blocks = [...prompt.matchAll(/^\[m:(\S+) (user|assistant|tool)[^\]]*\]\n([^\n]*)/gm)];
	return headings
		.map((heading, index) => {
			const block = blocks[index % Math.max(1, blocks.length)];
			if (!block) return `${heading}\n—`;
			const [, id, role, line = ''] = block;
			const mark = role === 'assistant' ? 'model' : role;
			return `${heading}\n- [${mark}] ${line.slice(0, 120)} (m:${id})`;
		})
		.join('\n\n');
}

export const corsHeaders = {
	'access-control-allow-origin': '*',
	'access-control-expose-headers': 'retry-after, x-request-id'
};

/** What a request gets that no behaviour was queued for. */
export function defaultFor(body: ChatBody): Behaviour {
	const last = wireText(body.messages.findLast((m) => m.role === 'user'));
	return last.includes('<transcript>')
		? behaviours.text(...words(checkpointFor(body)))
		: { kind: 'echo' };
}

/** A plain HTTP answer. */
export function answer(response: ServerResponse, b: StatusBehaviour): void {
	const isText = typeof b.body === 'string';
	response.writeHead(b.status, {
		'content-type': isText ? 'text/plain' : 'application/json',
		...(b.cors === false ? {} : corsHeaders),
		...b.headers
	});
	response.end(isText ? b.body : JSON.stringify(b.body ?? {}));
}

/** Answers a chat request as told, streamed or whole as it asks. */
export async function chat(response: ServerResponse, body: ChatBody, b: Behaviour): Promise<void> {
	await b.gate;
	if (b.kind === 'status') return answer(response, b);
	if (b.kind === 'echo')
		return chat(response, body, {
			...b,
			kind: 'text',
			chunks: words(`You said: ${wireText(body.messages.findLast((m) => m.role === 'user'))}`)
		});
	if (body.stream !== true) return whole(response, body, b);

	const send = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`);
	const frame = (delta: unknown, finish: string | null = null) =>
		send({
			id: 'chatcmpl-test',
			object: 'chat.completion.chunk',
			created: 1_700_000_000,
			model: body.model,
			choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }]
		});
	let written = '';
	const pour = async (chunks: readonly Chunk[] = [], field = 'content') => {
		for (const chunk of chunks) {
			if (typeof chunk !== 'string') await chunk;
			else if (!response.destroyed) {
				if (field === 'content') written += chunk;
				frame({ [field]: chunk });
			}
		}
	};
	const finish = (reason: string, usage: WireUsage | null | undefined) => {
		frame({}, reason);
		// OpenAI sends usage in a chunk of its own, without choices, only when asked.
		if (body.stream_options?.include_usage && usage !== null)
			send({
				id: 'chatcmpl-test',
				object: 'chat.completion.chunk',
				created: 1_700_000_000,
				model: body.model,
				choices: [],
				usage: withTotal(usage ?? countUsage(body, written))
			});
		response.write('data: [DONE]\n\n');
	};

	response.writeHead(200, {
		'content-type': 'text/event-stream; charset=utf-8',
		'cache-control': 'no-cache',
		...(b.cors === false ? {} : corsHeaders)
	});
	frame({ role: 'assistant', content: '' });
	switch (b.kind) {
		case 'text':
			await pour(b.reasoning, 'reasoning_content');
			await pour(b.chunks);
			if (b.finish !== null) finish(b.finish ?? 'stop', b.usage);
			break;
		case 'tool-call': {
			await pour(b.before);
			const calls = [{ id: b.id ?? 'call_1', input: b.input }, ...(b.also ?? [])];
			for (const [index, { id, input }] of calls.entries()) {
				const json = JSON.stringify(input);
				const half = Math.ceil(json.length / 2);
				const call = { index, id, type: 'function' };
				frame({ tool_calls: [{ ...call, function: { name: b.name, arguments: '' } }] });
				for (const piece of [json.slice(0, half), json.slice(half)])
					frame({ tool_calls: [{ index, function: { arguments: piece } }] });
			}
			finish('tool_calls', b.usage);
			break;
		}
		case 'cut':
			await pour(b.chunks);
			// Flushed first: what was sent before the cut must have left this process.
			await new Promise<void>((resolve) => response.write(': cut\n\n', () => resolve()));
			response.socket?.resetAndDestroy();
			return;
		case 'error-chunk':
			await pour(b.chunks);
			send({ error: { message: b.message, type: 'server_error', code: 500 } });
			break;
		case 'garbage-chunk':
			await pour(b.chunks);
			response.write('data: {"choices": [{"del\n\n');
			break;
		case 'hang':
			await pour(b.chunks);
			return;
	}
	response.end();
}

function whole(response: ServerResponse, body: ChatBody, b: Behaviour): void {
	const text =
		b.kind === 'text' ? b.chunks.filter((chunk) => typeof chunk === 'string').join('') : '';
	const message =
		b.kind === 'tool-call'
			? {
					role: 'assistant',
					content: null,
					tool_calls: [
						{
							id: b.id ?? 'call_1',
							type: 'function',
							function: { name: b.name, arguments: JSON.stringify(b.input) }
						}
					]
				}
			: { role: 'assistant', content: text };
	answer(response, {
		kind: 'status',
		status: 200,
		body: {
			id: 'chatcmpl-test',
			object: 'chat.completion',
			created: 1_700_000_000,
			model: body.model,
			choices: [
				{
					index: 0,
					message,
					finish_reason:
						b.kind === 'tool-call'
							? 'tool_calls'
							: b.kind === 'text'
								? (b.finish ?? 'stop')
								: 'stop'
				}
			],
			usage: withTotal(countUsage(body, text))
		}
	});
}

const countUsage = (body: ChatBody, text: string): WireUsage => ({
	prompt_tokens: Math.ceil(JSON.stringify(body.messages).length / 4),
	completion_tokens: Math.ceil(text.length / 4)
});

const withTotal = (usage: WireUsage) => ({
	...usage,
	total_tokens: usage.prompt_tokens + usage.completion_tokens
});
