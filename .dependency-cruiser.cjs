// Directions: history <- context <- compaction; the other rooms import only downwards; session joins them;
// ui sees session and pure types; routes see ui and session.
const room = (name) => `^src/lib/${name}/`;
const only = (from, allowed, comment) => ({
	name: `${from}-direction`,
	comment,
	severity: 'error',
	from: { path: room(from) },
	to: {
		path: '^src/',
		pathNot: allowed
			.map((a) => `^src/lib/${a}/`)
			.concat(room(from))
			.join('|')
	}
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		{
			name: 'no-unresolved-import',
			comment: 'An import that is not resolved is one that no rule below sees.',
			severity: 'error',
			from: {},
			to: { couldNotResolve: true, path: '^(\\$lib|\\.)', pathNot: '\\$types' }
		},
		{ name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
		only('history', [], 'The durable tree is pure and knows nobody.'),
		only('context', ['history'], 'What the model gets is derived from the tree.'),
		only('compaction', ['history', 'context'], 'Compaction is pure but for its ports.'),
		only('storage', ['history', 'context', 'compaction'], 'Storage imports downwards only.'),
		only('transfer', ['history', 'context', 'compaction'], 'File formats are pure codecs.'),
		only('models', ['history', 'context', 'compaction'], 'Models import downwards only.'),
		only(
			'research',
			['history', 'context', 'compaction', 'storage'],
			'Research imports downwards only.'
		),
		only(
			'worker',
			['history', 'context', 'compaction', 'transfer', 'markdown'],
			'Compute only: no keys, no provider calls.'
		),
		only('markdown', [], 'Markdown knows nobody.'),
		{
			name: 'ui-sees-session-and-pure-types',
			severity: 'error',
			from: { path: room('ui') },
			to: {
				path: '^src/lib/(storage|models|worker|research|transfer)/',
				dependencyTypesNot: ['type-only']
			}
		},
		{
			name: 'nothing-below-sees-session-or-ui',
			severity: 'error',
			from: { path: '^src/lib/(?!session|ui)' },
			to: { path: '^src/lib/(session|ui)/' }
		},
		{
			name: 'routes-see-ui-and-session',
			severity: 'error',
			from: { path: '^src/routes/' },
			to: {
				path: '^src/lib/(storage|models|worker|research|transfer|compaction)/',
				dependencyTypesNot: ['type-only']
			}
		},
		{
			name: 'lab-sees-the-core-only',
			comment: 'The laboratory runs without a browser.',
			severity: 'error',
			from: { path: '^lab/' },
			to: { path: '^src/', pathNot: '^src/lib/(history|context|compaction|transfer|models)/' }
		},
		{
			name: 'nothing-sees-lab',
			severity: 'error',
			from: { path: '^src/' },
			to: { path: '^lab/' }
		},
		{
			name: 'session-does-not-see-ui',
			severity: 'error',
			from: { path: room('session') },
			to: { path: room('ui') }
		},
		{
			name: 'core-has-no-dependencies',
			comment: 'history, context and compaction know no browser, no Dexie, no AI SDK.',
			severity: 'error',
			from: { path: '^src/lib/(history|context|compaction)/' },
			to: { path: 'node_modules', dependencyTypesNot: ['type-only'] }
		},
		{
			name: 'only-models-imports-the-sdk',
			severity: 'error',
			from: { path: '^src/', pathNot: room('models') },
			to: { path: 'node_modules/(ai|@ai-sdk)/', dependencyTypesNot: ['type-only'] }
		},
		{
			name: 'only-storage-imports-dexie',
			severity: 'error',
			from: { path: '^src/', pathNot: room('storage') },
			to: { path: 'node_modules/dexie/' }
		}
	],
	options: {
		doNotFollow: { path: 'node_modules' },
		tsPreCompilationDeps: true,
		tsConfig: { fileName: 'tsconfig.json' },
		webpackConfig: { fileName: '.dependency-cruiser.resolve.cjs' },
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'svelte', 'browser', 'default']
		},
		exclude: { path: '\\.svelte-kit|\\$types|^\\$(app|env|service-worker)' }
	}
};
