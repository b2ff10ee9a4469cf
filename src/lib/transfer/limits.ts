/**
 * What a file may hold before it is refused. Every number has its unit and its reason; none is a target. They bound the
 * work a hostile or damaged file can cause, and lie far above anything a person writes.
 */
export const limits = {
	/**
	 * UTF-16 code units of the whole text; a file's size in bytes is never smaller, so it can be checked before reading.
	 * 384 Mi: below the longest string Chromium can hold (2^29 − 24), with room for the parsed rows beside it.
	 */
	fileCharacters: 384 * 1024 * 1024,
	/** Sessions in one file. The sidebar and a backup of years stay far below. */
	sessions: 20_000,
	/** Messages in one file. Ten histories of 100,000. */
	messages: 1_000_000,
	/** Attachments in one file. */
	attachments: 50_000,
	/** Parts in one message. A long run of tool calls has some hundreds. */
	partsPerMessage: 20_000,
	/**
	 * Levels of nesting inside one row. Tool outputs have ten or so; writing a row as JSON and cloning it into the database
	 * recurse, so a row nested without end would break both.
	 */
	nesting: 200,
	/** Readable lines in one JSONL file: each may become a message. */
	lines: 1_000_000,
	/** Findings listed in a report; the rest are counted. A file of a million broken lines must still be readable. */
	findings: 200
} as const;
