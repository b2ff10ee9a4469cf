/** Servers people have, so that nobody has to look up an address. `local` ones need no key. */
export const presets = [
	{ value: 'openai', name: 'OpenAI', baseURL: 'https://api.openai.com/v1', local: false },
	{
		value: 'openrouter',
		name: 'OpenRouter',
		baseURL: 'https://openrouter.ai/api/v1',
		local: false
	},
	{ value: 'ollama', name: 'Ollama', baseURL: 'http://localhost:11434/v1', local: true },
	{ value: 'lmstudio', name: 'LM Studio', baseURL: 'http://localhost:1234/v1', local: true },
	{ value: 'llamacpp', name: 'llama.cpp', baseURL: 'http://localhost:8080/v1', local: true }
] as const;
