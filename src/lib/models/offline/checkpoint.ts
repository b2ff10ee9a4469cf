import { estimateText } from '../../context/estimate';
import type { CheckpointRequest, Speaker } from './checkpoint-request';
import { choose, type Placed } from './choose';
import { carriedClaims, claimsOf, type Claim } from './claims';
import { kindOf, progressGroup, progressGroups, tastes, type SectionKind } from './section-kinds';
import { terms } from './words';

/** Asked for when the request names no target, in tokens. */
const defaultTarget = 600;
/** Texts sharing more than this are the same claim. */
const sameClaim = 0.72;
/** What the oldest carried claim of a section loses, so that a running summary can take in new things for ever. */
const ageing = 1.2;

const marks: Readonly<Record<Speaker, string>> = { user: 'user', tool: 'tool', assistant: 'model' };

/**
 * Writes a checkpoint by extraction: exactly the requested headings, in their order, each bullet a quotation with its
 * mark and citation. What the previous summary held comes first; where the target would be passed, the claims that
 * matter least are left out whole, never cut.
 * @param maxOutputTokens a further ceiling besides the request's cap
 */
export function writeCheckpoint(request: CheckpointRequest, maxOutputTokens = Infinity): string {
	const ceiling = Math.min(request.cap ?? Infinity, maxOutputTokens);
	const target = Math.min(request.target ?? defaultTarget, ceiling);
	const sections = request.headings.map((heading) => ({ heading, kind: kindOf(heading) }));
	const placed = place(
		distinct([...carriedClaims(request), ...claimsOf(request)]),
		sections,
		request
	);

	const bare = estimateText(render(sections, []));
	const chosen = choose(placed, sections.length, target - bare);
	let text = render(sections, chosen);
	// Lines are priced one by one, so the whole can come out a little longer: the weakest go until it fits.
	while (chosen.length > 0 && estimateText(text) > target) {
		chosen.sort((a, b) => a.score - b.score).shift();
		text = render(sections, chosen);
	}
	return text;
}

/**
 * Drops claims that say what another one says. The earlier is kept, since it has the older citation, unless it is the
 * shorter half of what was said again later.
 */
function distinct(claims: readonly Claim[]): Claim[] {
	const kept = new Set<Claim>();
	const byWord = new Map<string, Claim[]>();
	for (const claim of claims) {
		const shared = new Map<Claim, number>();
		for (const word of claim.words)
			for (const other of byWord.get(word) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
		let isCopy = false;
		for (const [other, count] of shared) {
			if (!kept.has(other)) continue;
			const alike = count / (claim.words.size + other.words.size - count) > sameClaim;
			if (alike ? !hasOtherNumbers(claim, other) : isWithin(claim, other, count)) isCopy = true;
			else if (!other.carried && isWithin(other, claim, count)) kept.delete(other);
		}
		if (isCopy) continue;
		kept.add(claim);
		for (const word of claim.words) {
			const list = byWord.get(word);
			if (list) list.push(claim);
			else byWord.set(word, [claim]);
		}
	}
	return [...kept];
}

/** Whether `part` says nothing that `whole` does not say, and is not a person's own word for it. */
function isWithin(part: Claim, whole: Claim, shared: number): boolean {
	return (
		shared >= 4 &&
		shared >= 0.8 * part.words.size &&
		part.words.size < whole.words.size &&
		!hasOtherNumbers(part, whole) &&
		(part.speaker !== 'user' || whole.speaker === 'user')
	);
}

/** Alike in words but not in numbers: a correction, not a copy. */
function hasOtherNumbers(claim: Claim, other: Claim): boolean {
	for (const word of claim.words) if (/\d/.test(word) && !other.words.has(word)) return true;
	return false;
}

function place(
	claims: readonly Claim[],
	sections: readonly { readonly heading: string; readonly kind: SectionKind }[],
	request: CheckpointRequest
): Placed[] {
	const focus = new Set(terms(request.focus));
	const spread = new Map<string, number>();
	for (const { words } of claims)
		for (const word of words) spread.set(word, (spread.get(word) ?? 0) + 1);
	const firstUser = claims.find((claim) => claim.speaker === 'user' && !claim.carried);

	return claims.flatMap((claim, order): Placed[] => {
		const worth = importance(claim, spread, focus);
		let section = -1;
		let fit = -Infinity;
		sections.forEach(({ heading, kind }, index) => {
			const here = claim.carried
				? claim.carried.heading === heading
					? carriedFit(kind, claim)
					: -Infinity
				: fits(claim, kind) + (kind === 'goal' && claim === firstUser ? 1.5 : 0);
			if (here > fit) [section, fit] = [index, here];
		});
		const kind = sections[section]?.kind;
		if (kind === undefined) return [];
		return [
			{
				claim,
				section,
				group: claim.carried?.group ?? progressGroup(claim.text),
				score: worth + fit,
				line: bullet(claim, kind),
				standing: claim.carried !== null && isStanding(kind, claim),
				order
			}
		];
	});
}

/** What a claim is worth wherever it stands. */
function importance(
	claim: Claim,
	spread: ReadonlyMap<string, number>,
	focus: ReadonlySet<string>
): number {
	let shared = 0;
	for (const word of claim.words) shared += Math.log(spread.get(word) ?? 1);
	const centrality = Math.min(1.2, (0.35 * shared) / Math.sqrt(claim.words.size + 1));
	let wanted = 0;
	for (const word of focus) if (claim.words.has(word)) wanted++;
	return (
		centrality +
		0.6 * Math.min(3, claim.identifiers) +
		(claim.speaker === 'user' ? 0.8 : claim.speaker === 'tool' ? 0.3 : 0) +
		0.4 * claim.recency +
		(focus.size > 0 ? (3 * wanted) / focus.size : 0) -
		(claim.isCode ? 0.8 : 0)
	);
}

/** How well a claim of the transcript fits a kind of section; -Infinity: not at all. */
function fits(claim: Claim, kind: SectionKind): number {
	const { cue, cueWeight, speaker, open } = tastes[kind];
	let cued = cue?.test(claim.text) ?? false;
	// An item of a list is about what the list is about.
	if (claim.intro !== '' && cue?.test(claim.intro)) return cueWeight + 0.8 + speaker[claim.speaker];
	// A command is worth its line; other code is in its files.
	if (claim.isCode)
		return kind === 'files' ? (cued ? cueWeight : 1) : kind === 'context' ? -1.5 : -Infinity;
	if (claim.isQuestion) {
		if (kind === 'questions') return 2 + speaker[claim.speaker];
		// A question asked is work under way, not a statement of anything.
		if (kind === 'next' || kind === 'progress') return -0.3 + 0.5 * speaker[claim.speaker];
		return kind === 'goal' && cued ? 0.5 : open ? -1.2 : -Infinity;
	}
	if (kind === 'findings' || kind === 'resources')
		cued ||= claim.identifiers > 0 && claim.speaker !== 'user';
	if (kind === 'resources' && claim.identifiers === 0) return -Infinity;
	if (!cued && !open) return -Infinity;
	return (cued ? cueWeight : 0) + speaker[claim.speaker];
}

/**
 * A carried claim stays where it was and loses with age: the goal nothing, since it is the oldest thing there is, nor
 * does what a person required or decided, which also holds its place; everything else in full.
 */
function carriedFit(kind: SectionKind, claim: Claim): number {
	const stay = 1.4 + Math.max(-0.6, tastes[kind].speaker[claim.speaker]);
	if (kind === 'goal') return stay + 1.5;
	if (isStanding(kind, claim)) return stay + 1;
	const isTold = claim.speaker === 'user' && kind === 'context';
	return isTold ? stay + 1 : stay - ageing * (1 - claim.recency);
}

/** What a person required, corrected, rejected or decided stands until they say otherwise, in whichever section it is. */
function isStanding(kind: SectionKind, claim: Claim): boolean {
	if (claim.speaker !== 'user') return false;
	return (
		kind === 'requirements' ||
		kind === 'decisions' ||
		(kind === 'context' && (tastes.requirements.cue?.test(claim.text) ?? false))
	);
}

function bullet(claim: Claim, kind: SectionKind): string {
	const box = kind === 'actions' ? `[${claim.carried?.done ? 'x' : ' '}] ` : '';
	const cite = claim.id === null ? '' : ` (m:${claim.id})`;
	return `- ${box}[${marks[claim.speaker]}] ${claim.text}${cite}`;
}

function render(
	sections: readonly { readonly heading: string; readonly kind: SectionKind }[],
	chosen: readonly Placed[]
): string {
	return sections
		.map(({ heading, kind }, index) => {
			const here = chosen.filter((p) => p.section === index).sort((a, b) => a.order - b.order);
			const list = (some: readonly Placed[]) =>
				some.length === 0 ? '—' : some.map((p) => p.line).join('\n');
			const body =
				kind === 'progress'
					? progressGroups
							.map((group) => `**${group}**\n\n${list(here.filter((p) => p.group === group))}`)
							.join('\n\n')
					: list(here);
			return `## ${heading}\n${body}`;
		})
		.join('\n\n');
}
