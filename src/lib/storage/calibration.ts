import type { Calibration } from '../context/calibration';
import type { ModelRef } from '../history/message';
import { atomic } from './atomic';
import type { CalibrationRow, HiloDatabase } from './database';

/** What is known of all models' tokenizers. */
export function readCalibrations(db: HiloDatabase): Promise<CalibrationRow[]> {
	return db.calibration.toArray();
}

/** Changes what is known of one model as it is stored now, whatever another tab has made of it. */
export async function changeCalibration(
	db: HiloDatabase,
	{ provider, model }: ModelRef,
	change: (before: Calibration | null) => Calibration | null
): Promise<void> {
	await atomic(db, [db.calibration], async () => {
		const next = change((await db.calibration.get([provider, model])) ?? null);
		if (next) await db.calibration.put({ ...next, provider, model });
	});
}
