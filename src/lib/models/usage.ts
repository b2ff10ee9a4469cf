import type { LanguageModelUsage } from 'ai';
import type { Usage } from '../history/message';

/** The SDK's usage in our words: input includes cached tokens, counted once. Undefined where none was reported. */
export function usageOf(usage: LanguageModelUsage | undefined): Usage | undefined {
	if (usage?.inputTokens === undefined && usage?.outputTokens === undefined) return undefined;
	const cached = usage.inputTokenDetails.cacheReadTokens;
	const reasoning = usage.outputTokenDetails.reasoningTokens;
	return {
		inputTokens: usage.inputTokens ?? 0,
		outputTokens: usage.outputTokens ?? 0,
		...(cached ? { cachedInputTokens: cached } : {}),
		...(reasoning ? { reasoningTokens: reasoning } : {})
	};
}
