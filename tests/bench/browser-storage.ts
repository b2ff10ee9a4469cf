import { chromium } from '@playwright/test';
import { existsSync } from 'node:fs';
import { serveScript } from '../torture/served-script';
import { round, table } from './table';

const COMMITS = 400;
const OPENS = 60;

/** Commits and openings on Chromium's own IndexedDB, at 100 and at 100,000 messages. Says so where no Chromium is. */
export async function browserStorage(): Promise<void> {
	const system = process.env['HILO_CHROMIUM'] ?? '/usr/bin/chromium';
	const executablePath = existsSync(system) ? system : chromium.executablePath();
	if (!existsSync(executablePath)) {
		console.log('Storage in a browser: left out, no Chromium was found.');
		return;
	}
	const { url, close } = await serveScript(new URL('./browser-page.ts', import.meta.url));
	const browser = await chromium.launch({
		executablePath,
		args: ['--no-sandbox', '--disable-gpu']
	});
	try {
		const page = await browser.newPage();
		await page.goto(url);
		const commits = [];
		const opens = [];
		for (const count of [100, 100_000]) {
			await page.evaluate((count) => window.bench.fill(count), count);
			const written = await page.evaluate(([count, times]) => window.bench.commits(count, times), [
				count,
				COMMITS
			] as const);
			commits.push({
				messages: count,
				bytes: written.bytes,
				'commit p50 ms': round(quantile(written.commits, 0.5)),
				'commit p95 ms': round(quantile(written.commits, 0.95)),
				'swap p50 ms': round(quantile(written.swaps, 0.5)),
				'swap p95 ms': round(quantile(written.swaps, 0.95)),
				'ratio p95': round(quantile(written.commits, 0.95) / quantile(written.swaps, 0.95))
			});
			const read = await page.evaluate(([count, times]) => window.bench.opens(count, times), [
				count,
				OPENS
			] as const);
			const timeline = quantile(read.window, 0.5);
			const elsewhere = quantile(read.elsewhere, 0.5);
			const context = quantile(read.context, 0.5);
			opens.push({
				messages: count,
				'window ms': round(timeline),
				'count of others ms': round(elsewhere),
				'context ms': round(context),
				'all ms': round(timeline + elsewhere + context)
			});
		}
		table('Commit of a checkpoint in Chromium, beside a bare compare-and-swap of one row', commits);
		console.log('  goal: the same bytes, p95 at most 3 × a bare swap');
		table('Reads that open a session in Chromium, medians', opens);
		const [small, large] = opens;
		if (small && large) {
			const ratio = round(large['all ms'] / small['all ms']);
			const withoutCount = round(
				(large['window ms'] + large['context ms']) / (small['window ms'] + small['context ms'])
			);
			console.log(
				`  ratio ${ratio}, without the count of other branches ${withoutCount} (goal: at most 1.5)`
			);
		}
	} finally {
		await browser.close();
		await close();
	}
}

function quantile(values: readonly number[], part: number): number {
	const inOrder = values.toSorted((a, b) => a - b);
	return inOrder[Math.min(inOrder.length - 1, Math.floor(inOrder.length * part))] ?? 0;
}
