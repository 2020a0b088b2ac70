import { runRecordingDispatcher } from '../support/recording-dispatcher.js';

// RECORDER_FAILURES is how many of the first events the recorders fail to handle.
let failures = Number(process.env.RECORDER_FAILURES ?? '0');
await runRecordingDispatcher(() => (failures -= 1) >= 0);
