/** Prints a heading and rows in columns: texts to the left, numbers to the right. */
export function table(
	title: string,
	rows: readonly Readonly<Record<string, string | number>>[]
): void {
	const names = Object.keys(rows[0] ?? {});
	const cells = [names, ...rows.map((row) => names.map((name) => String(row[name] ?? '')))];
	const widths = names.map((_, column) =>
		Math.max(...cells.map((line) => line[column]?.length ?? 0))
	);
	console.log(title);
	for (const [index, line] of cells.entries()) {
		const isNumber = (column: number) => typeof rows[0]?.[names[column] ?? ''] === 'number';
		const text = line.map((cell, column) =>
			isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
		);
		console.log(`  ${text.join('  ')}`.trimEnd());
		if (index === 0) console.log(`  ${widths.map((width) => '-'.repeat(width)).join('  ')}`);
	}
}

/** The median of `times` runs, in milliseconds. */
export async function median(times: number, work: () => unknown): Promise<number> {
	const runs: number[] = [];
	for (let run = 0; run < times; run++) {
		const started = performance.now();
		await work();
		runs.push(performance.now() - started);
	}
	return runs.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0;
}

export const round = (value: number, digits = 2) => Number(value.toFixed(digits));
