import type { CheckpointRequest } from './checkpoint-request';
export function writeCheckpoint(request: CheckpointRequest, _max?: number): string {
	return request.headings.map((h) => `## ${h}\n—`).join('\n\n');
}
