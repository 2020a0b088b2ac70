import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RECORDERS } from '../../support/event-recorder.js';

export const [FAILING] = RECORDERS;

const UNHANDLED_BELOW = 5;

/** Selects about one in fifty documents, whose events the failing consumer never handles. */
export function isUnhandled(documentId: string): boolean {
  return Number.parseInt(documentId.slice(-2), 16) < UNHANDLED_BELOW;
}

/** SQL condition for rows of `event_delivery` that isUnhandled() selects. */
export const IS_UNHANDLED = `(consumer = '${FAILING}' AND ('x' || right(document_id::text, 2))::bit(8)::integer < ${UNHANDLED_BELOW})`;

/** Makes all waiting retries due immediately. */
export const BRING_FORWARD = /* sql */ `
  UPDATE event_delivery SET due_at = service_now()
   WHERE attempts > 0 AND owner IS NULL AND dead_at IS NULL AND due_at > service_now()`;

/** Path of the file that enables the defect of the failing consumer in all dispatchers. */
export function findDefectFile(directory: string): string {
  return path.join(directory, 'consumer-defect');
}

export function seedDefect(directory: string): Promise<void> {
  return writeFile(findDefectFile(directory), '');
}
