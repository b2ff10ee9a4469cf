/**
 * How servers say that a request is longer than the model's window. A first group is the window in tokens, where the
 * server names it; the examples stand beside the patterns because the wording is all there is to go by.
 */
const refusals: readonly RegExp[] = [
	// OpenAI, OpenRouter, DeepSeek, vLLM: "This model's maximum context length is 8192 tokens. However, …"
	/maximum context length (?:is|of)\s+([\d,]+)/i,
	// vLLM: "The decoder prompt (length 9000) is longer than the maximum model length of 8192."
	/longer than the maximum model length of\s+([\d,]+)/i,
	// llama.cpp: "request (9001 tokens) exceeds the available context size (4096 tokens), try increasing it"
	/exceeds the available context size(?:\s*\(([\d,]+) tokens\))?/i,
	// llama.cpp: {"type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":4096}; LM Studio: "n_ctx: 4096"
	/exceed_context_size_error[\s\S]*?\\?"n_ctx\\?"\s*:\s*(\d+)/i,
	/greater than the context length[\s\S]*?n_ctx:\s*(\d+)/i,
	// LM Studio: "However, the model is loaded with context length of only 4096 tokens, which is not enough."
	/context length of only\s+([\d,]+)/i,
	// Ollama: "the input length exceeds the context length", "prompt too long; exceeded max context length by 12 tokens"
	/input length exceeds the (?:maximum )?context length/i,
	/exceeded max context length/i,
	// Mistral: "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"
	/too large for model with\s+([\d,]+)\s+maximum context length/i,
	// Groq, Cerebras: "Please reduce the length of the messages or completion. Current length is 9001 while limit is 8192"
	/reduce the length of the messages(?:[\s\S]*?limit is\s+([\d,]+))?/i,
	// Groq: "Request too large for model `x` … on tokens per minute (TPM): Limit 6000, Requested 9001": no wait helps.
	/request too large for model[\s\S]*?limit\s+([\d,]+),\s*requested/i,
	// Anthropic behind a router: "prompt is too long: 213462 tokens > 200000 maximum"
	/prompt is too long(?::[\s\d,]+tokens\s*>\s*([\d,]+))?/i,
	/exceed context limit:[\s\d,+]+>\s*([\d,]+)/i,
	// Google: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."
	/exceeds the maximum number of tokens allowed\s*\(?([\d,]+)?/i,
	// xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens."
	/maximum prompt length is\s+([\d,]+)/i,
	// Together: "The input (516368 tokens) is longer than the model's context length (262144 tokens)."
	/longer than the model's context length\s*\(([\d,]+)/i,
	// text-generation-inference: "`inputs` tokens + `max_new_tokens` must be <= 8192. Given: …"
	/max_new_tokens`?\s*must be\s*<=\s*([\d,]+)/i,
	// Moonshot: "Your request exceeded model token limit: 131072 (requested: 140000)"
	/exceeded model token limit:?\s*([\d,]+)?/i,
	// GitHub Models, Copilot: "Request body too large for gpt-4o model. Max size: 8000 tokens." / "exceeds the limit of 64000"
	/too large for [\w.-]+ model\. max size:\s*([\d,]+)/i,
	/token count of [\d,]+ exceeds the limit of\s+([\d,]+)/i,
	// OpenAI's newer words, without a number
	/exceeds the context window/i,
	/context window exceeds limit/i,
	/context[_ ]length[_ ]exceeded|context_window_exceeded|exceed_context_size_error/i
];

/**
 * Whether a server's words refuse a request for its length, and the window in tokens if they name one.
 * @returns null when the words are about something else
 */
export function readOverflow(words: string): { readonly limitTokens?: number } | null {
	let matched = false;
	for (const refusal of refusals) {
		const match = refusal.exec(words);
		if (!match) continue;
		matched = true;
		const limit = Number(match[1]?.replaceAll(',', ''));
		// Smaller than any window: a number of something else.
		if (limit >= 256) return { limitTokens: limit };
	}
	return matched ? {} : null;
}
