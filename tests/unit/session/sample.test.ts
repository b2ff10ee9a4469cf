import { expect, test } from 'vitest';
import { capacityOf } from '$lib/context/capacity';
import { estimateText } from '$lib/context/estimate';
import { asText, measureMessage } from '$lib/context/measure';
import { textOf, type ConversationMessage } from '$lib/history/message';
import { pathTo } from '$lib/history/tree';
import { turnsOf } from '$lib/history/turns';
import { sampleResearch } from '$lib/session/sample';
import { sampleTurns } from '$lib/session/sample-turns';
import { decodeHilo, encodeHilo } from '$lib/transfer/hilo';

const model = { provider: 'offline', model: 'extractive' };
const now = 1_800_000_000_000;
function sample() {
	let next = 0;
	return sampleResearch(() => `id-${next++}`, now, model);
}
const { session, messages } = sample();
const text = messages.map(textOf).join('\n\n');

test('it is thirteen whole turns on one branch, marked as a sample', () => {
	expect(turnsOf(messages)).toHaveLength(13);
	expect(session.leafId && pathTo(session.leafId, messages)).toEqual(messages);
	for (const message of messages) {
		expect(message.metadata).toMatchObject({ source: { format: 'sample' } });
		if (message.role === 'assistant')
			expect(message.metadata).toEqual({ model, finish: 'stop', source: { format: 'sample' } });
	}
	expect(new Set([session.id, session.treeId, ...messages.map((m) => m.id)]).size).toBe(28);
});

test('times rise and end before now', () => {
	const times = messages.map((message) => message.createdAt);
	expect([...times].sort((a, b) => a - b)).toEqual(times);
	expect(times.at(-1)).toBeLessThan(now);
});

test('it is so long that the first or second question of a newcomer compacts', () => {
	const tokens = messages
		.flatMap((message) => message.parts)
		.reduce((sum, part) => {
			if (part.type === 'text') return sum + estimateText(part.text);
			if (part.type !== 'dynamic-tool') return sum;
			return sum + estimateText(asText(part.input)) + estimateText(asText(part.output));
		}, 0);
	expect(tokens).toBeGreaterThan(5300);
	expect(tokens).toBeLessThan(5800);
	const sent = (messages as ConversationMessage[]).reduce((sum, m) => sum + measureMessage(m), 0);
	const { autoThreshold } = capacityOf({ contextWindow: 8192, maxOutput: null });
	expect(sent).toBeLessThan(autoThreshold);
});

test('two searches, with keys that the answers name', () => {
	const keys = sampleTurns
		.flatMap((turn) => turn.answer)
		.flatMap((part) => (part.type === 'dynamic-tool' ? asText(part.output) : []))
		.flatMap((output) => output.match(/(?<="key":")[A-Z0-9]{8}(?=")/g) ?? []);
	expect(keys).toHaveLength(7);
	for (const key of keys) expect(text).toContain(`\`${key}\``);
});

test('an export of it is sound', async () => {
	let file = '';
	const rows = { sessions: [session], messages, attachments: [] };
	for await (const chunk of encodeHilo({ app: 'Hilo', exportedAt: now, ...rows })) file += chunk;
	expect(decodeHilo(file)).toMatchObject({ ok: true, ...rows, report: { skipped: [] } });
});
