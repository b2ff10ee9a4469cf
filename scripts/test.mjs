// npm test: types, lint and directions, then unit, property, storage and browser tests. Ends with one plain line.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installChromium, installPackages, run } from './install.mjs';

const startedAt = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'hilo-test-'));
let passed = 0;
let failed = 0;

function step(name, work) {
	const began = Date.now();
	console.log(`\n— ${name}`);
	const result = work();
	passed += result.passed;
	failed += result.failed;
	console.log(
		`  ${name}: ${result.passed} passed, ${result.failed} failed, ${((Date.now() - began) / 1000).toFixed(0)} s`
	);
}

/** A check is one test: it holds or it does not. */
function check(name, command, args) {
	step(name, () => {
		const ok = run(command, args) === 0;
		return { passed: ok ? 1 : 0, failed: ok ? 0 : 1 };
	});
}

/** Counts from a JSON report; a runner that ended badly without a report has failed once. */
function counted(status, file, read) {
	try {
		const result = read(JSON.parse(readFileSync(file, 'utf8')));
		return status !== 0 && result.failed === 0 ? { ...result, failed: 1 } : result;
	} catch {
		return { passed: 0, failed: 1 };
	}
}

installPackages();
const chromium = await installChromium();

check('types', 'npm', ['run', '--silent', 'check']);
check('format', 'npx', ['prettier', '--check', '--log-level', 'warn', '.']);
check('lint', 'npx', ['eslint', '.']);
check('directions', 'npx', [
	'depcruise',
	'src',
	'lab',
	'--config',
	'.dependency-cruiser.cjs',
	'--output-type',
	'err'
]);
step('unit, property and storage tests', () => {
	const file = join(folder, 'vitest.json');
	const status = run('npx', [
		'vitest',
		'run',
		'--reporter=dot',
		'--reporter=json',
		`--outputFile.json=${file}`
	]);
	return counted(status, file, (report) => ({
		passed: report.numPassedTests,
		failed:
			report.numFailedTests +
			report.testResults.filter((t) => t.status === 'failed' && t.assertionResults.length === 0)
				.length
	}));
});
check('build', 'npx', ['vite', 'build', '--logLevel', 'error']);
check('first load', 'node', ['scripts/first-load.mjs']);
step('browser tests', () => {
	const file = join(folder, 'playwright.json');
	const status = run('npx', ['playwright', 'test', '--reporter=line,json'], {
		env: { ...process.env, HILO_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: file }
	});
	return counted(status, file, ({ stats, errors }) => ({
		passed: stats.expected,
		failed: stats.unexpected + stats.flaky + errors.length
	}));
});

rmSync(folder, { recursive: true, force: true });
console.log(`\n${((Date.now() - startedAt) / 60_000).toFixed(1)} minutes in all`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
