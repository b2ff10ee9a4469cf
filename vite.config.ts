import { sveltekit } from '@sveltejs/kit/vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
	plugins: [sveltekit()],
	worker: { format: 'es' },
	build: { target: 'es2022' },
	define: { __HILO_VERSION__: JSON.stringify(process.env['npm_package_version'] ?? '0.0.0') },
	test: {
		projects: [
			{
				extends: true,
				test: { name: 'unit', environment: 'node', include: ['tests/unit/**/*.test.ts'] }
			},
			{
				extends: true,
				define: { __HILO_VERSION__: JSON.stringify(process.env['npm_package_version'] ?? '0.0.0') },
				test: {
					name: 'storage',
					environment: 'node',
					include: ['tests/storage/**/*.test.ts'],
					setupFiles: ['tests/support/fake-indexeddb.ts']
				}
			}
		]
	}
});
