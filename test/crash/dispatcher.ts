import { runRecordingDispatcher } from '../support/recording-dispatcher.js';

// Number of times that the recorders fail to handle the acceptance of each document.
const failuresMax = Number(process.env.RECORDER_FAILURES ?? '0');
const failures = new Map<string, number>();

await runRecordingDispatcher((consumer, event) => {
  if (event.kind !== 'status' || event.version > 1) return false;
  const delivery = `${consumer} ${event.id}`;
  const failed = failures.get(delivery) ?? 0;
  failures.set(delivery, failed + 1);
  return failed < failuresMax;
});
