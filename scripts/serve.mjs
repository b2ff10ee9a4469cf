// Serves the built app: its files, and the app's shell for every other path, as any static host would.
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';
import sirv from 'sirv';

/** The headers of static/_headers, for hosts that do not read that file. */
const headers = {
	'Content-Security-Policy': "frame-ancestors 'none'",
	'X-Content-Type-Options': 'nosniff',
	'Referrer-Policy': 'no-referrer',
	'Cross-Origin-Opener-Policy': 'same-origin'
};

/**
 * @param {number} port 0 for any free one
 * @param {string} [dir] the folder with the built app
 * @returns {Promise<{ url: string, close: () => Promise<void> }>}
 */
export function serve(port, dir = 'build') {
	const files = sirv(dir, {
		dev: true,
		single: '200.html',
		setHeaders: (response) => {
			for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
		}
	});
	const server = createServer((request, response) => files(request, response));
	return new Promise((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			const bound = typeof address === 'object' && address ? address.port : port;
			resolve({
				url: `http://localhost:${bound}`,
				close: () =>
					new Promise((done) => {
						server.closeAllConnections();
						server.close(() => done());
					})
			});
		});
	});
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const { url } = await serve(Number(process.env.PORT ?? 4173));
	console.log(`Hilo is at ${url}`);
}
