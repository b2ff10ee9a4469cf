import type { Message } from '../../src/lib/history/message';
import type { Session } from '../../src/lib/history/session';
import { imageCountOf } from '../../src/lib/context/images';
import { estimatorOf, measureMessage } from '../../src/lib/context/measure';
import { offlineModel } from '../../src/lib/models/provider';
import { readImport } from '../../src/lib/transfer/import';
import type { AttachmentRow, ImportReport } from '../../src/lib/transfer/result';
import type { Maker } from '../command';
import { Fault } from '../fault';
import { givenTerms } from '../given';
import { branchOf } from '../situation';
import { noSettings } from '../terms';
import { figure, plural } from '../words';
import type { Workbench } from '../workbench';

/** A file of the app or of pi becomes the working file, with one of its sessions and the whole tree of that. */
export const importCommand: Maker = {
	kind: 'makes',
	usage: 'import FILE [--session N]',
	about: 'reads a Hilo export or a pi session into the working file',
	options: { session: { type: 'string' } },
	operands: ['FILE'],
	async run(args, world) {
		const [path = ''] = args.operands;
		const wanted = args.count('session');
		const { template, instructions, ...given } = await givenTerms(args, world);
		const result = readImport(path, await world.read(path), { model: offlineModel.ref });
		if (!result.ok) throw new Fault(`${result.problem.title} ${result.problem.advice}`);
		const session = chosen(result.sessions, wanted);
		const messages = result.messages.filter(({ treeId }) => treeId === session.treeId);
		const { window, maxOutput, ratio, provider } = { ...noSettings, ...given };
		const bench: Workbench = {
			session: {
				...session,
				...(template === undefined ? {} : { template }),
				...(instructions === undefined ? {} : { instructions })
			},
			messages,
			attachments: attachmentsOf(messages, result.attachments),
			settings: { window, maxOutput, ratio, provider },
			underWay: null
		};
		return described(bench, result.report);
	}
};

function chosen(sessions: readonly Session[], wanted: number | undefined): Session {
	const session = sessions[(wanted ?? 1) - 1];
	if (session && (wanted !== undefined || sessions.length === 1)) return session;
	const list = sessions.map(({ title }, index) => `  ${index + 1}  ${title || '(no title)'}`);
	throw new Fault(
		`The file holds ${plural(sessions.length, 'session')}; choose one with --session N.\n${list.join('\n')}`,
		2
	);
}

/** Only what the messages that come along refer to. */
function attachmentsOf(messages: readonly Message[], rows: readonly AttachmentRow[]) {
	const used = new Set(
		messages.flatMap(({ parts }) =>
			parts.flatMap((part) => (part.type === 'file' ? [part.sha256] : []))
		)
	);
	return rows.filter(({ sha256 }) => used.has(sha256));
}

function described(bench: Workbench, report: ImportReport) {
	const { message: measure, text } = estimatorOf(
		1,
		measureMessage,
		imageCountOf(bench.session.model.model)
	);
	const branch = branchOf(bench);
	const roles = (['user', 'assistant', 'checkpoint'] as const).map((role) => {
		const own = bench.messages.filter((message) => message.role === role);
		const tokens = own.reduce(
			(sum, message) =>
				sum + (message.role === 'checkpoint' ? text(message.checkpoint.summary) : measure(message)),
			0
		);
		return { role, messages: own.length, tokens };
	});
	const warnings = [
		...report.counts
			.filter((count) => count.in !== count.out)
			.map(({ label, in: found, out }) => `${label}: ${found} in the file, ${out} here.`),
		...report.skipped.map(({ what, why }) => `Left out: ${what}: ${why}`),
		...report.notes
	];
	const accounted = report.counts.map(
		({ label, in: found, out }) => `${label} ${figure(out)} of ${figure(found)}`
	);
	return {
		bench,
		text: [
			`${bench.session.title || '(no title)'} (${report.format})`,
			...roles.map(
				({ role, messages, tokens }) =>
					`  ${role}: ${plural(messages, 'message')}, about ${figure(tokens)} tokens`
			),
			`  on the active branch: ${plural(branch.length, 'message')} of ${figure(bench.messages.length)}`,
			`  accounted for: ${accounted.join(', ')}`,
			...(warnings.length === 0 ? ['  no warnings'] : warnings.map((line) => `  ! ${line}`))
		].join('\n'),
		data: {
			title: bench.session.title,
			format: report.format,
			roles,
			branch: branch.length,
			counts: report.counts,
			warnings
		}
	};
}
