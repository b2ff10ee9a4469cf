/**
 * What a person asked or gave that cannot be carried out, as a sentence for them. Anything else that is thrown is a defect.
 */
export class Fault extends Error {
	override readonly name = 'Fault';

	/** @param exitCode 1: what was given cannot be used. 2: the command was used wrongly. */
	constructor(
		sentence: string,
		readonly exitCode: 1 | 2 = 1
	) {
		super(sentence);
	}
}
