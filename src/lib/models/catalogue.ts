import type { ModelRef } from '../history/message';
import { limitsOf, type KnownLimits } from './limits';
import { NotAnApiError } from './evidence';
import { callContext } from './call';
import { classify, type Failure } from './failure';
import { quietFetch } from './http';
import { isLocal } from './local-server';
import { normalBaseURL, offlineModel, type ModelEntry, type ProviderConfig } from './provider';

export { limitsOf, type KnownLimits } from './limits';

export interface ListOptions {
	readonly fetch?: typeof globalThis.fetch;
	readonly signal?: AbortSignal;
}

export type ListResult =
	| { readonly ok: true; readonly models: readonly ModelEntry[] }
	| { readonly ok: false; readonly failure: Failure };

/**
 * The models a provider offers, by name, from `GET {baseURL}/models`. It doubles as the connection test: what fails
 * here is told in the same words as a failed answer.
 */
export async function listModels(
	config: ProviderConfig,
	{ fetch = globalThis.fetch, signal }: ListOptions = {}
): Promise<ListResult> {
	if (config.kind === 'offline') return { ok: true, models: [offlineModel] };
	const baseURL = normalBaseURL(config.baseURL);
	try {
		const response = await quietFetch(fetch)(`${baseURL}/models`, {
			headers: {
				accept: 'application/json',
				...(config.apiKey ? { authorization: `Bearer ${config.apiKey}` } : {})
			},
			...(signal ? { signal } : {})
		});
		const body = await response.text();
		if (!response.ok)
			throw Object.assign(new Error(response.statusText), {
				statusCode: response.status,
				responseBody: body,
				responseHeaders: Object.fromEntries(response.headers)
			});
		const rows = rowsOf(body);
		if (!rows) throw new NotAnApiError(response.status, body);
		const models = rows
			.map((row) => entryOf(row, config.id, isLocal(baseURL)))
			.filter((entry) => entry !== null)
			.sort((a, b) => a.name.localeCompare(b.name));
		return { ok: true, models };
	} catch (error) {
		return {
			ok: false,
			failure: classify(error, callContext(config, ''))
		};
	}
}

type Row = Readonly<Record<string, unknown>>;
const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null;

/** OpenAI wraps the list in `data`, some in `models`, Together sends it bare. */
function rowsOf(body: string): Row[] | null {
	let value: unknown;
	try {
		value = JSON.parse(body);
	} catch {
		return null;
	}
	const list = isRow(value) && !Array.isArray(value) ? (value['data'] ?? value['models']) : value;
	return Array.isArray(list) ? list.filter(isRow) : null;
}

function entryOf(row: Row, provider: string, local: boolean): ModelEntry | null {
	const id = row['id'] ?? row['model'] ?? row['name'];
	if (typeof id !== 'string' || id === '') return null;
	const ref: ModelRef = { provider, model: id };
	const said = limitsIn(row);
	// A local server loads a model with a window of its own choosing, often far below what the model could do.
	const known: KnownLimits = local ? { contextWindow: null, maxOutput: null } : limitsOf(id);
	return {
		ref,
		name: typeof row['name'] === 'string' ? row['name'] : id,
		contextWindow: said.contextWindow ?? known.contextWindow,
		maxOutput: said.maxOutput ?? known.maxOutput
	};
}

/** Limits as OpenRouter, Together, Groq, Mistral, vLLM, LM Studio and llama.cpp put them beside a model. */
function limitsIn(row: Row): KnownLimits {
	const inside = (key: string): Row => (isRow(row[key]) ? row[key] : {});
	const first = (...values: unknown[]): number | null =>
		values.find((value): value is number => typeof value === 'number' && value > 0) ?? null;
	return {
		contextWindow: first(
			inside('top_provider')['context_length'],
			row['context_length'],
			row['context_window'],
			row['max_context_length'],
			row['max_model_len'],
			row['loaded_context_length'],
			inside('meta')['n_ctx']
		),
		maxOutput: first(
			inside('top_provider')['max_completion_tokens'],
			row['max_completion_tokens'],
			row['max_output_tokens']
		)
	};
}
