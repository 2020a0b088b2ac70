import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { runRecordingDispatcher } from '../support/recording-dispatcher.js';
import { FAILING, isUnhandled } from './load/consumers.js';

const FAILING_SHARE = 0.15;
const SLOW_MS = 15;
// The consumer has a defect as long as the file exists.
const defectFile = process.env.DEFECT_FILE ?? '';

/** Dispatcher with a slow consumer and with a consumer that fails at random, and always for some documents. */
await runRecordingDispatcher(async (consumer, { documentId }) => {
  if (consumer === FAILING) return Math.random() < FAILING_SHARE || (isUnhandled(documentId) && existsSync(defectFile));
  await delay(SLOW_MS);
  return false;
});
