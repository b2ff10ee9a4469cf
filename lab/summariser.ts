import type { ModelRef } from '../src/lib/history/message';
import { offlineModel, offlineProvider } from '../src/lib/models/provider';
import { summarise } from '../src/lib/models/summarise';
import type { Failure } from '../src/lib/models/failure';
import type { CarryOptions } from './carry-out';

/** Who wrote an answer that was given as a file. */
export const nobody: ModelRef = { provider: 'laboratory', model: 'unnamed' };

/** The built-in model, asked as the app asks it. */
export const offline: Pick<CarryOptions<Failure>, 'model' | 'summarise'> = {
	model: offlineModel.ref,
	summarise: async (request, _pass, signal) => {
		const options = { provider: offlineProvider, model: offlineModel.ref, ...request, signal };
		const { failure, ...answer } = await summarise(options);
		return failure ? { kind: 'failed', failure } : { kind: 'answer', answer };
	}
};
