import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';

const { beats, silentSecondsMax, loadSecondsMax } = workerData;

// Counts turns of this thread instead of clock time, because a suspended machine or process is not blocked.
const TURN_MS = 1_000;

let file = '';
let test = null;
let isLoading = true;
let loadingTurns = 0;
parentPort.on('message', (step) => {
  isLoading = step.file !== undefined;
  loadingTurns = 0;
  file = step.file ?? file;
  test = step.test ?? null;
});

let seen = -1;
let silentTurns = 0;
setInterval(() => {
  const beat = Atomics.load(beats, 0);
  silentTurns = beat === seen ? silentTurns + 1 : 0;
  seen = beat;
  loadingTurns += isLoading ? 1 : 0;
  if (silentTurns >= silentSecondsMax) end(`has blocked its event loop for ${silentTurns} s`);
  if (loadingTurns >= loadSecondsMax) end(`has not finished loading after ${loadingTurns} s`);
}, TURN_MS);

/** Kills this worker. Vitest then reports a failure and continues with the other files. */
function end(why) {
  const where = test === null ? '' : `, since "${test}" began`;
  // process.stderr would need the blocked event loop.
  writeSync(2, `\nThe watchdog ends ${file}: it ${why}${where}\n`);
  process.kill(process.pid, 'SIGKILL');
}
