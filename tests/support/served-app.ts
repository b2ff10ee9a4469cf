import { existsSync } from 'node:fs';
import { serve } from '../../scripts/serve.mjs';

/** Serves the production build on a free port for all browser tests; its address goes to them by the environment. */
export default async function servedApp() {
	if (!existsSync('build/200.html')) throw new Error('Build the app first: npx vite build');
	const { url, close } = await serve(0);
	process.env['HILO_URL'] = url;
	return close;
}
