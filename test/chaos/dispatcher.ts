import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { runRecordingDispatcher } from '../support/recording-dispatcher.js';
import { FAILING, isUnhandled } from './load/consumers.js';

const FAILING_SHARE = 0.15;
const SLOW_MS = 15;
// A build with a defect, until the file is removed.
const defectFile = process.env.DEFECT_FILE ?? '';

/** A dispatcher with a consumer that fails at random, and always for some documents, and one that is slow. */
await runRecordingDispatcher(async (consumer, { documentId }) => {
  if (consumer === FAILING) return Math.random() < FAILING_SHARE || (isUnhandled(documentId) && existsSync(defectFile));
  await delay(SLOW_MS);
  return false;
});
