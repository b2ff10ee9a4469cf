/** Whether the entry at `above` is an ancestor of the entry at `below`, or the same. */
export type Ancestry = (above: number, below: number) => boolean;

/**
 * Answers "is it on the branch?" in constant time, by numbering the entries of a forest on the way in and out. A walk up
 * for each question would cost the square of a hostile file's length.
 * @param parents for each entry the index of its parent, or null at a root. Entries of a cycle are nobody's ancestors.
 */
export function ancestryOf(parents: readonly (number | null)[]): Ancestry {
	const children: number[][] = parents.map(() => []);
	const enter = new Int32Array(parents.length).fill(-1);
	const leave = new Int32Array(parents.length).fill(-1);
	const stack: { at: number; next: number }[] = [];
	parents.forEach((parent, at) => {
		if (parent === null) stack.push({ at, next: 0 });
		else children[parent]?.push(at);
	});

	let clock = 0;
	for (let top = stack.at(-1); top; top = stack.at(-1)) {
		if (enter[top.at] === -1) enter[top.at] = clock++;
		const child = children[top.at]?.[top.next++];
		if (child !== undefined) stack.push({ at: child, next: 0 });
		else {
			leave[top.at] = clock;
			stack.pop();
		}
	}

	return (above, below) => {
		const start = enter[above] ?? -1;
		const at = enter[below] ?? -1;
		return start !== -1 && at >= start && at < (leave[above] ?? -1);
	};
}
