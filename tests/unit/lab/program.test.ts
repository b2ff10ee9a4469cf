import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { encodeWorkbench } from '../../../lab/workbench';
import { decodeHilo } from '$lib/transfer/hilo';
import { summaryOf } from '../../support/compaction';
import { benchOf, talk } from './build';

const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const main = resolve('lab/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'hilo-lab-'));
const store = join(folder, '.lab', 'session.json');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program in a folder of its own. */
function lab(...words: readonly string[]) {
	const args = ['--import', tsx, main, ...words];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, {
		cwd: folder,
		encoding: 'utf8'
	});
	return { status, stdout, stderr };
}

describe('the program', { timeout: 120_000 }, () => {
	test('imports, asks, refuses a bad answer, takes a good one, and writes what the app imports', async () => {
		writeFileSync(join(folder, 'in.json'), await encodeWorkbench(benchOf(talk(6, 600)), 1));
		writeFileSync(join(folder, 'bad.md'), 'Sure!');
		writeFileSync(join(folder, 'good.md'), summaryOf());

		const imported = lab('import', 'in.json', '--window', '8192');
		expect(imported).toMatchObject({ status: 0, stderr: '' });
		expect(imported.stdout).toContain('user: 6 messages');
		expect(JSON.parse(lab('plan', '--json').stdout)).toMatchObject({ kind: 'compact', passes: 1 });

		const asked = lab('request', '--out', 'request.json');
		expect(asked.stdout).toContain('Pass 1 of 1');
		const request = JSON.parse(readFileSync(join(folder, 'request.json'), 'utf8'));
		expect(JSON.parse(lab('request').stdout)).toEqual(request);

		const before = readFileSync(store);
		const refused = lab('apply', 'bad.md');
		expect(refused.status).toBe(1);
		expect(refused.stdout).toContain('It lacks all sections.');
		expect(readFileSync(store).equals(before)).toBe(true);

		expect(lab('apply', 'good.md')).toMatchObject({ status: 0 });
		const file = decodeHilo(readFileSync(store, 'utf8'));
		if (!file.ok) throw new Error(file.problem.title);
		expect(file.report.skipped).toEqual([]);
		expect(file.messages.filter(({ role }) => role === 'checkpoint')).toHaveLength(1);
		expect(readdirSync(join(folder, '.lab'))).toEqual(['session.json']);
	});

	test.each([
		[[], /A command is missing/],
		[['dance'], /no command “dance”/],
		[['plan', '--windw', '1'], /--windw/],
		[['plan', 'x'], /one word too many/],
		[['import'], /FILE is missing/],
		[['plan', '--window', 'big'], /--window must be a whole number/],
		[['plan', '--trigger', 'now'], /--trigger must be one of manual, auto, preflight/]
	])('%j is a wrong use: exit 2', (words, sentence) => {
		const { status, stderr } = lab(...words);
		expect(stderr).toMatch(sentence);
		expect(status).toBe(2);
	});

	test('bad input is one sentence and writes nothing', () => {
		writeFileSync(join(folder, 'broken.json'), '{"format":"hilo","version":1,"sess');
		const { status, stderr } = lab('import', 'broken.json', '--store', 'other.json');
		expect(stderr).toMatch(/^The file ends in the middle .*\n$/);
		expect(status).toBe(1);
		expect(existsSync(join(folder, 'other.json'))).toBe(false);
		const missing = lab('occupancy', '--store', 'nowhere.json');
		expect(missing).toMatchObject({ status: 1, stderr: expect.stringContaining('no such file') });
	});

	test('help says every command', () => {
		const { status, stdout } = lab('help');
		expect(status).toBe(0);
		for (const name of ['import', 'occupancy', 'plan', 'request', 'apply', 'compact'])
			expect(stdout).toContain(`  ${name}`);
	});
});
