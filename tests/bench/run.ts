// Ratios on one machine in one run, never promises in milliseconds. `npm run bench`.
import { browserStorage } from './browser-storage';
import { accuracy, calibration, speed } from './estimator';
import { searches } from './search';
import { commits, projections } from './storage';
import { transcripts } from './transcript';

console.log(`Node ${process.version}, ${process.platform} ${process.arch}\n`);
for (const part of [
	accuracy,
	calibration,
	speed,
	projections,
	commits,
	browserStorage,
	transcripts,
	searches
]) {
	const started = performance.now();
	await part();
	console.log(`(${((performance.now() - started) / 1000).toFixed(1)} s)\n`);
}
// fake-indexeddb keeps no handle open, but a slow machine should not wait for what does.
process.exit(0);
