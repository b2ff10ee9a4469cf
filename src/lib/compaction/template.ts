import type { TemplateName } from '../history/message';

/** One fixed section of a summary: its heading and what belongs under it. */
export interface Section {
	readonly heading: string;
	readonly asks: string;
}

/** The fixed sections of each template, in order. Headings stay as they are in every language. */
export const templates: Readonly<Record<TemplateName, readonly Section[]>> = {
	research: [
		{ heading: 'Research Goal', asks: 'the present goal, in one or two lines' },
		{
			heading: 'User Requirements and Constraints',
			asks: 'what the user asked for, prefers, excludes; corrections the user made'
		},
		{
			heading: 'Research Progress',
			asks: 'three groups, each under its own line: **Done**, **Active**, **Blocked**'
		},
		{
			heading: 'Findings and Evidence',
			asks: 'findings with their sources, pages, numbers and units; a hypothesis stays a hypothesis'
		},
		{
			heading: 'Key Zotero Resources',
			asks: 'items, attachments, annotations and collections with their exact keys and locators'
		},
		{ heading: 'Decisions', asks: 'what was decided and why, and what was rejected' },
		{ heading: 'Next Steps', asks: 'concrete next actions' },
		{ heading: 'Critical Context', asks: 'anything else that must not be lost' }
	],
	code: [
		{ heading: 'Key Decisions', asks: 'what was decided and why, and what was rejected' },
		{ heading: 'Open Questions', asks: 'what is still undecided or unknown' },
		{ heading: 'Action Items', asks: 'what is to be done, as checkboxes: - [ ] or - [x]' },
		{
			heading: 'Files and Commands',
			asks: 'files with their paths and what became of them; commands as they were run, and what they gave'
		},
		{ heading: 'Context', asks: 'goal, constraints, facts and references the work depends on' }
	],
	general: [
		{ heading: 'Key Decisions', asks: 'what was decided and why, and what was rejected' },
		{ heading: 'Open Questions', asks: 'what is still undecided or unknown' },
		{ heading: 'Action Items', asks: 'what is to be done, as checkboxes: - [ ] or - [x]' },
		{ heading: 'Context', asks: 'goal, constraints, facts and references the work depends on' }
	]
};

/** Where references that a summary dropped are put back. Not one of the template's sections. */
export const PRESERVED_HEADING = 'Preserved references';

/** The text of a Markdown heading of level 1–4, or null where the line is none. Never backtracks: the line is a model's. */
export function headingOf(line: string): string | null {
	const match = /^#{1,4}[ \t]/.exec(line);
	if (!match) return null;
	let end = line.length;
	while (end > match[0].length && ' \t\r#'.includes(line.charAt(end - 1))) end--;
	return line.slice(match[0].length, end).trim();
}

/** The headings of a template that do not stand in `summary` as `## Heading` lines. Rule C63. */
export function missingSections(summary: string, template: TemplateName): string[] {
	const present = new Set(summary.split('\n').map((line) => headingOf(line)?.toLowerCase()));
	return templates[template]
		.map((section) => section.heading)
		.filter((heading) => !present.has(heading.toLowerCase()));
}
