import type { Message, MessageId, SessionId, TreeId } from './message';
import { isDepth, isId, isMoment, isRecord, readRow, type Reading } from './shape';

/** What can be wrong on a branch. */
export type FindingKind =
	| 'leaf'
	| 'missing'
	| 'link'
	| 'cycle'
	| 'root'
	| 'depth'
	| 'checkpoint'
	| 'tree'
	| 'row'
	| 'part'
	| 'boundary'
	| 'previous'
	| 'duplicate';

/** One thing that is wrong, with one message. */
export interface Finding {
	readonly kind: FindingKind;
	/** The message it is said of, as far as it can be named. Null: the session itself. */
	readonly of: Named | null;
	/** What follows the message's name in a sentence, without a full stop. */
	readonly why: string;
}

/** What can be told of a message, whatever state its row is in. */
export interface Named {
	readonly id: MessageId;
	/** Epoch milliseconds. */
	readonly at: number | null;
	/** How it begins. */
	readonly words: string;
}

/** Messages that follow each other, or a place where some are missing. */
export type Piece =
	| { readonly kind: 'stretch'; readonly messages: readonly Message[] }
	| {
			readonly kind: 'gap';
			/** Messages that are gone or cannot be read; null where that is unknown, 0 where only a link is broken. */
			readonly lost: number | null;
			/** No link leads across it: what stands above is the likeliest beginning, not a certain one. */
			readonly isGuessed: boolean;
	  };

/** A branch as far as it can be read. */
export interface Examination {
	readonly findings: readonly Finding[];
	/** From the root to the leaf. An untouched branch is one stretch, of the very rows that were given. */
	readonly pieces: readonly Piece[];
	/** Messages of the stretches. */
	readonly readable: number;
	/** All that were once there, as far as it is known: of an unknown number one is counted. */
	readonly total: number;
}

/** What a session says of its branch. Values as they are stored: they may be anything. */
export interface BranchEnd {
	readonly id: SessionId;
	readonly treeId: TreeId;
	readonly leafId: MessageId | null;
}

type Row = Readonly<Record<string, unknown>>;

/** More lost messages than this are not believed: the depth that says so is itself damaged. */
const MOST_LOST = 1_000_000;

/**
 * Examines the branch that ends at the session's leaf. `rows` are those of its tree, in any order, and whatever else the
 * branch leads to; other branches do not matter. Never throws, whatever the rows look like; takes time in proportion to
 * their number. Rules H50–H56.
 */
export function examineBranch(end: BranchEnd, rows: Iterable<unknown>): Examination {
	if (end.leafId === null) return { findings: [], pieces: [], readable: 0, total: 0 };
	const tree = new Rows(end, rows);
	const walk = walkUp(end, tree);
	const findings = [...tree.duplicates, ...walk.findings, ...placeFindings(end, tree, walk.steps)];
	return { findings, ...piecesOf(walk) };
}

/** The readable messages of a branch, oldest first, across its gaps. */
export function readablePart({ pieces }: Examination): readonly Message[] {
	return pieces.flatMap((piece) => (piece.kind === 'stretch' ? piece.messages : []));
}

/** One row of the branch, with the gap above it where no sound link leads on. */
interface Step {
	readonly row: Row;
	readonly id: MessageId;
	readonly reading: Reading;
	gap: { readonly lost: number | null; readonly isGuessed: boolean } | null;
}

interface Walk {
	/** From the root down. */
	readonly steps: readonly Step[];
	readonly findings: readonly Finding[];
	/** The leaf itself is lost. */
	readonly isCut: boolean;
}

function walkUp(end: BranchEnd, tree: Rows): Walk {
	const findings: Finding[] = [];
	const steps: Step[] = [];
	const seen = new Set<unknown>();
	let row = tree.get(end.leafId);
	const isCut = row === null;
	if (isCut) {
		findings.push({ kind: 'leaf', of: null, why: 'The newest message is missing' });
		row = tree.newest();
	}
	/** The depth that the row below gives to the one that is looked at; null after a gap. */
	let expected: number | null = null;
	while (row) {
		const id = row['id'] as MessageId;
		seen.add(id);
		const step: Step = { row, id, reading: readRow(row), gap: null };
		steps.push(step);
		const depth = isDepth(row['depth']) ? row['depth'] : null;
		const { parentId } = row;
		const parent = tree.get(parentId);
		const parentDepth = parent && isDepth(parent['depth']) ? parent['depth'] : null;
		// Where two depths disagree, the one that the row above agrees with is believed.
		const isConfirmed: boolean =
			depth !== null && (depth === expected || depth - 1 === parentDepth);
		const place: number | null = isConfirmed ? depth : (expected ?? depth);
		if (parentId === null && (place === 0 || place === null || depth === 0)) break;

		const fault: readonly [FindingKind, string] | null =
			parentId === null
				? ['root', 'has nothing above it, but is not the first message']
				: !isId(parentId)
					? ['link', 'does not say which message it follows']
					: !parent
						? ['missing', `follows the message ${short(parentId)}, which is missing`]
						: seen.has(parentId)
							? ['cycle', 'stands in a circle: the messages above it lead back to itself']
							: null;
		let above: Row | null = fault ? null : parent;
		if (fault) {
			findings.push({ kind: fault[0], of: nameOf(row, id), why: fault[1] });
			// A missing message had a place of its own; a broken link leads to the place right above.
			above = tree.above((place ?? Infinity) - (fault[0] === 'missing' ? 2 : 1), row, seen);
			step.gap = gapBetween(place, above, fault[0] === 'missing');
		} else if (parent && depth !== null && parentDepth !== null && parentDepth + 1 !== depth) {
			const torn = tree.tornFrom(row, depth, parent, parentDepth, expected, seen);
			if (torn) {
				const why = 'follows a message that is not the one before it';
				findings.push({ kind: 'link', of: nameOf(row, id), why });
				step.gap = { lost: 0, isGuessed: true };
				above = torn;
			}
		}
		expected = step.gap ? null : place === null || place === 0 ? null : place - 1;
		row = above;
	}
	return { steps: steps.reverse(), findings, isCut };
}

function gapBetween(place: number | null, above: Row | null, isMissing: boolean): Step['gap'] {
	const depth = above ? (above['depth'] as number) : -1;
	const lost = place === null ? null : place - depth - 1;
	const isKnown = lost !== null && lost >= (isMissing ? 1 : 0) && lost <= MOST_LOST;
	return { lost: isKnown ? lost : null, isGuessed: above !== null };
}

/** What is wrong with the rows of the path and their places, oldest first. */
function placeFindings(end: BranchEnd, tree: Rows, steps: readonly Step[]): Finding[] {
	const findings: Finding[] = [];
	const indexOf = new Map<unknown, number>(steps.map(({ id }, index) => [id, index]));
	const depths = new Claims<number>();
	const checkpoints = new Claims<MessageId | null>();
	const trees = new Claims<unknown>();
	trees.expect(end.treeId);
	/** The newest checkpoint passed; undefined after a gap, which may hide one. */
	let newest: MessageId | null | undefined;
	steps.forEach(({ row, id, reading, gap }, index) => {
		const of = nameOf(row, id);
		const add = (kind: FindingKind, why: string) => findings.push({ kind, of, why });
		const { message } = reading;
		if (gap) {
			depths.forget();
			checkpoints.forget();
			newest = undefined;
		} else if (index === 0) {
			depths.expect(0);
			checkpoints.expect(null);
			newest = null;
		} else depths.step();

		if (message === null) add('row', `cannot be read: ${reading.why}`);
		else for (const fault of reading.faults) add('part', `is damaged in part: ${fault}`);
		if (!trees.meet(row['treeId']).isRight) add('tree', 'belongs to another conversation');

		const { depth, checkpointId } = row;
		const place = depths.meet(isDepth(depth) ? depth : null);
		if (!place.isRight && message) {
			const stands = isDepth(depth) ? `stands as number ${depth + 1}` : 'has no number';
			add(
				'depth',
				`${stands} of the branch${place.expected === null ? '' : `, but is number ${place.expected + 1}`}`
			);
		}

		// What cannot be read was a checkpoint where it names itself as one.
		const isCheckpoint = message ? message.role === 'checkpoint' : checkpointId === id;
		if (isCheckpoint && index === 0 && !gap) add('root', 'is a checkpoint with nothing above it');
		const above = newest;
		if (isCheckpoint) {
			checkpoints.expect(id);
			newest = id;
		}
		const named = checkpoints.meet(
			checkpointId === null || isId(checkpointId) ? checkpointId : undefined
		);
		if (!named.isRight && message) {
			const says = isId(checkpointId) ? short(checkpointId) : 'none';
			add(
				'checkpoint',
				`names ${says} as the newest checkpoint, which is ${named.expected ? short(named.expected) : 'another'}`
			);
		}

		if (message?.role !== 'checkpoint') return;
		const { firstKeptMessageId: kept, previousCheckpointId: previous } = message.checkpoint;
		if (kept !== null) {
			const at = indexOf.get(kept);
			const begins = `begins its kept part at the message ${short(kept)}, which`;
			if (at === undefined) {
				add('boundary', `${begins} ${tree.get(kept) ? 'is not on this branch' : 'is missing'}`);
			} else if (at >= index) add('boundary', `${begins} is not above it`);
			else if (steps[at]?.row['role'] !== 'user') add('boundary', `${begins} is not a question`);
		}
		const isFollowed =
			above === undefined ? previous === null || indexOf.has(previous) : previous === above;
		if (!isFollowed) {
			add(
				'previous',
				`follows the checkpoint ${previous ? short(previous) : '(none)'}, which is not the newest above it`
			);
		}
	});
	return findings;
}

/**
 * A value that each row derives from the one above. After a row that says otherwise both are believed until the next one
 * decides, so that one wrong row is one finding, not one for every row below it.
 */
class Claims<T> {
	#believed: T | undefined;
	#other: T | undefined;
	forget(): void {
		this.#believed = this.#other = undefined;
	}
	expect(value: T): void {
		this.#believed = value;
		this.#other = undefined;
	}
	/** Goes one step down: depths rise by one. */
	step(this: Claims<number>): void {
		if (this.#believed !== undefined) this.#believed++;
		if (this.#other !== undefined) this.#other++;
	}
	/** A row's own value; null or undefined where it has none. */
	meet(value: T | null | undefined): { readonly isRight: boolean; readonly expected: T | null } {
		const expected = this.#believed;
		if (expected === undefined) {
			this.#believed = value ?? undefined;
			if (value === null) this.#believed = null as T;
			return { isRight: value !== undefined, expected: null };
		}
		if (value === expected || (value !== undefined && value === this.#other)) {
			this.expect(value as T);
			return { isRight: true, expected };
		}
		this.#other = value ?? undefined;
		return { isRight: false, expected };
	}
}

function piecesOf({ steps, isCut }: Walk): Omit<Examination, 'findings'> {
	const pieces: Piece[] = [];
	let stretch: Message[] = [];
	let readable = 0;
	const close = () => {
		if (stretch.length > 0) pieces.push({ kind: 'stretch', messages: stretch });
		stretch = [];
	};
	const open = (lost: number | null, isGuessed: boolean) => {
		close();
		const last = pieces.at(-1);
		if (last?.kind !== 'gap') return void pieces.push({ kind: 'gap', lost, isGuessed });
		const both = last.lost === null || lost === null ? null : last.lost + lost;
		pieces[pieces.length - 1] = { kind: 'gap', lost: both, isGuessed: last.isGuessed || isGuessed };
	};
	for (const { gap, reading } of steps) {
		if (gap) open(gap.lost, gap.isGuessed);
		if (!reading.message) open(1, false);
		else {
			stretch.push(reading.message);
			readable++;
		}
	}
	close();
	if (isCut) open(null, steps.length > 0);
	let lost = 0;
	for (const piece of pieces) if (piece.kind === 'gap') lost += piece.lost ?? 1;
	return { pieces, readable, total: readable + lost };
}

/** The rows of a tree, found by id, and, where links are broken, by depth. */
class Rows {
	readonly duplicates: Finding[] = [];
	readonly #byId = new Map<unknown, Row>();
	readonly #end: BranchEnd;
	/** Depths that rows stand at, the deepest last; each is looked at once for a broken link. */
	#depths: number[] | null = null;
	#atDepth = new Map<number, Row[]>();
	#parents = new Set<unknown>();
	/** Depths at which a row was looked at for having been torn off: once each, for the same reason. */
	readonly #torn = new Set<number>();

	constructor(end: BranchEnd, rows: Iterable<unknown>) {
		this.#end = end;
		for (const row of rows) {
			if (!isRecord(row) || !isId(row['id'])) continue;
			const { id } = row;
			if (!this.#byId.has(id)) this.#byId.set(id, row);
			else this.duplicates.push({ kind: 'duplicate', of: nameOf(row, id), why: 'is there twice' });
		}
	}

	get(id: unknown): Row | null {
		return this.#byId.get(id) ?? null;
	}

	/** The newest row that nothing follows: the likeliest end of a branch whose leaf is lost. */
	newest(): Row | null {
		this.#index();
		let best: Row | null = null;
		const isOwn = (row: Row) => row['originSessionId'] === this.#end.id;
		const time = (row: Row) => (isMoment(row['createdAt']) ? row['createdAt'] : -1);
		for (const row of this.#byId.values()) {
			if (row['treeId'] !== this.#end.treeId || this.#parents.has(row['id'])) continue;
			const isBetter = !best || (isOwn(row) === isOwn(best) ? time(row) >= time(best) : isOwn(row));
			if (isBetter) best = row;
		}
		return best;
	}

	/**
	 * Where a branch goes on above a broken link: at the deepest place, `from` or above it, that only one row can have. A
	 * row that nothing follows is preferred where several could: it is the one a row was torn from.
	 */
	above(from: number, below: Row, seen: ReadonlySet<unknown>): Row | null {
		const depths = this.#index();
		let canPrefer = true;
		for (let depth = depths.at(-1); depth !== undefined; depth = depths.at(-1)) {
			// Never looked at again, whatever is broken above: so that all searches together stay linear.
			depths.pop();
			if (depth > from) continue;
			const rows = this.#possible(depth, below, seen);
			if (rows.length === 1) return rows[0] ?? null;
			const ends = canPrefer ? rows.filter((row) => !this.#parents.has(row['id'])) : [];
			if (ends.length === 1) return ends[0] ?? null;
			if (rows.length > 0) canPrefer = false;
		}
		return null;
	}

	/**
	 * The row that `row` was torn from, where its link to `parent` is the one that is wrong, and not a depth: both depths
	 * are confirmed by their neighbours, and right above `row` stands one that nothing follows any more.
	 */
	tornFrom(
		row: Row,
		depth: number,
		parent: Row,
		parentDepth: number,
		expected: number | null,
		seen: ReadonlySet<unknown>
	): Row | null {
		if (expected !== null && expected !== depth) return null;
		const beyond = this.get(parent['parentId']);
		const isParentRight = beyond ? beyond['depth'] === parentDepth - 1 : parentDepth === 0;
		if (!isParentRight || depth <= parentDepth + 1 || this.#torn.has(depth)) return null;
		this.#torn.add(depth);
		this.#index();
		const rows = this.#possible(depth - 1, row, seen);
		const ends = rows.filter((other) => !this.#parents.has(other['id']));
		return ends.length === 1 ? (ends[0] ?? null) : null;
	}

	#possible(depth: number, below: Row, seen: ReadonlySet<unknown>): readonly Row[] {
		const rows = (this.#atDepth.get(depth) ?? []).filter((row) => !seen.has(row['id']));
		const { createdAt } = below;
		if (!isMoment(createdAt)) return rows;
		const before = rows.filter(
			(row) => isMoment(row['createdAt']) && row['createdAt'] <= createdAt
		);
		return before.length > 0 ? before : rows;
	}

	#index(): number[] {
		if (this.#depths) return this.#depths;
		for (const row of this.#byId.values()) {
			const { depth, treeId, parentId } = row;
			this.#parents.add(parentId);
			if (treeId !== this.#end.treeId || !isDepth(depth)) continue;
			const level = this.#atDepth.get(depth);
			if (level) level.push(row);
			else this.#atDepth.set(depth, [row]);
		}
		this.#depths = [...this.#atDepth.keys()].sort((a, b) => a - b);
		return this.#depths;
	}
}

/** Characters of a message that name it. */
const WORDS = 60;

function nameOf(row: Row, id: MessageId): Named {
	const { createdAt, parts, checkpoint } = row;
	const texts = Array.isArray(parts)
		? parts.slice(0, 8).map((part) => (isRecord(part) ? part['text'] : undefined))
		: [];
	const text =
		texts.find((text) => typeof text === 'string' && text !== '') ??
		(isRecord(checkpoint) ? checkpoint['summary'] : undefined);
	const start = typeof text === 'string' ? text.slice(0, 4 * WORDS) : '';
	const words = start.replace(/\s+/g, ' ').trim();
	return {
		id,
		at: isMoment(createdAt) ? createdAt : null,
		words: words.length > WORDS ? `${words.slice(0, WORDS - 1)}…` : words
	};
}

/** The last ten characters of an id, as summaries and the page show it. */
function short(id: string): string {
	return id.replaceAll('-', '').slice(-10);
}
