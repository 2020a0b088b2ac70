import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RECORDERS } from '../../support/event-recorder.js';

/** The consumer that fails. */
export const [FAILING] = RECORDERS;

const UNHANDLED_BELOW = 5;

/** Whether the failing consumer can never handle the events of a document: about one in fifty, by its id. */
export function isUnhandled(documentId: string): boolean {
  return Number.parseInt(documentId.slice(-2), 16) < UNHANDLED_BELOW;
}

/** The same of the rows of `event_delivery`. */
export const IS_UNHANDLED = `(consumer = '${FAILING}' AND ('x' || right(document_id::text, 2))::bit(8)::integer < ${UNHANDLED_BELOW})`;

/** Hours go by for what waits for its next attempt, and for nothing else. */
export const BRING_FORWARD = /* sql */ `
  UPDATE event_delivery SET due_at = service_now()
   WHERE attempts > 0 AND owner IS NULL AND dead_at IS NULL AND due_at > service_now()`;

/** The defect of the failing consumer, which is in all dispatchers while the file is there. */
export function findDefectFile(directory: string): string {
  return path.join(directory, 'consumer-defect');
}

export function seedDefect(directory: string): Promise<void> {
  return writeFile(findDefectFile(directory), '');
}
