// depcruise does not follow the `paths` of .svelte-kit/tsconfig.json: said again here, in webpack's words. Without this
// every import of `$lib` went unresolved, and so unseen by every rule.
module.exports = { resolve: { alias: { $lib: `${__dirname}/src/lib` } } };
