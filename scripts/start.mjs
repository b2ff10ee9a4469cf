// npm start: installs what is missing, builds, serves, and opens the app.
import { spawn } from 'node:child_process';
import { installPackages, run } from './install.mjs';

installPackages();
if (run('npx', ['vite', 'build', '--logLevel', 'error']) !== 0) process.exit(1);

const { serve } = await import('./serve.mjs');
const wanted = Number(process.env.PORT ?? 4173);
// The address is part of where a browser keeps its data: another port would look like an empty app.
const { url } = await serve(wanted).catch((error) => {
	console.error(
		error.code === 'EADDRINUSE'
			? `Port ${wanted} is in use, perhaps by Hilo itself: open http://localhost:${wanted}, or choose another with PORT=… npm start. Data belongs to its port.`
			: error.message
	);
	process.exit(1);
});
console.log(`\nHilo is at ${url}  (Ctrl+C ends it; your conversations stay in the browser)\n`);

if (!process.env.CI && !process.env.HILO_NO_OPEN) {
	const opener = { darwin: 'open', win32: 'explorer' }[process.platform] ?? 'xdg-open';
	spawn(opener, [url], { stdio: 'ignore', detached: true })
		.on('error', () => console.log('Open it in your browser.'))
		.unref();
}
