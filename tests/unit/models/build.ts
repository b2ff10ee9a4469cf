import type {
	ConversationMessage,
	MessageId,
	ModelRef,
	Part,
	SessionId,
	ToolPart,
	TreeId
} from '$lib/history/message';
import type { ModelRequest } from '$lib/context/request';
import { recallTools } from '$lib/context/recall';
import type { ProviderConfig } from '$lib/models/provider';
import type { OpenAIServer } from '../../support/openai-server';

let count = 0;
type Given = string | Part[];
const parts = (given: Given): Part[] =>
	typeof given === 'string' ? [{ type: 'text', text: given }] : given;

function entry(given: Given) {
	count++;
	return {
		id: `00000000-0000-7000-8000-${String(count).padStart(12, '0')}` as MessageId,
		treeId: 'tree' as TreeId,
		parentId: null,
		depth: count,
		checkpointId: null,
		originSessionId: 'session' as SessionId,
		createdAt: count,
		parts: parts(given)
	};
}

export const user = (given: Given): ConversationMessage => ({
	...entry(given),
	role: 'user',
	metadata: {}
});
export const assistant = (given: Given): ConversationMessage => ({
	...entry(given),
	role: 'assistant',
	metadata: {}
});
export const call = (state: ToolPart['state'], more: Partial<ToolPart> = {}): ToolPart => ({
	type: 'dynamic-tool',
	toolName: 'search_history',
	toolCallId: 'call_1',
	state,
	input: { query: 'x' },
	...more
});

export const request = (
	messages: readonly ConversationMessage[],
	more: Partial<ModelRequest> = {}
): ModelRequest => ({
	system: [{ kind: 'instructions', text: 'Be brief.' }],
	messages,
	tools: [],
	maxOutputTokens: 1000,
	...more
});

export const search = recallTools.filter((tool) => tool.name === 'search_history');
export const model: ModelRef = { provider: 'local', model: 'test-model' };
export const at = (server: OpenAIServer, apiKey?: string): ProviderConfig => ({
	kind: 'openai-compatible',
	id: 'local',
	name: 'Local',
	baseURL: server.baseURL,
	...(apiKey ? { apiKey } : {})
});
