import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** Bundles a page's script and serves it on a free loopback port, with nothing else on the page. */
export async function serveScript(
	script: URL
): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
	const built = await build({
		configFile: false,
		logLevel: 'error',
		build: {
			write: false,
			target: 'es2022',
			minify: false,
			rollupOptions: {
				input: fileURLToPath(script),
				output: { format: 'es', entryFileNames: 'page.js' }
			}
		}
	});
	const [bundle] = Array.isArray(built) ? built : [built];
	if (!bundle || !('output' in bundle)) throw new Error('Nothing was bundled.');
	const [{ code }] = bundle.output;
	const server = createServer((request, response) => {
		const isScript = request.url === '/page.js';
		response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
		response.end(isScript ? code : '<!doctype html><script type="module" src="/page.js"></script>');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	if (typeof address !== 'object' || !address) throw new Error('The script is not served.');
	return {
		url: `http://localhost:${address.port}/`,
		close: () =>
			new Promise((done) => {
				server.closeAllConnections();
				server.close(() => done());
			})
	};
}
