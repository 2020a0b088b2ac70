import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeAll, beforeEach, expect, inject } from 'vitest';

// Vitest's own time-outs are timers of the file's event loop, and the loading of a file has none. A file that blocks
// the loop, by code or by promises that never let it turn, is ended by a thread, which has its own event loop.

export interface WatchdogLimits {
  /** How long the event loop may not turn. */
  readonly silentSecondsMax: number;
  /** How long a file may load: what it awaits at its top level included. */
  readonly loadSecondsMax: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    watchdog: WatchdogLimits;
  }
}

const BEAT_MS = 500;

const file = path.relative(process.cwd(), expect.getState().testPath ?? '');

/** One for all files of this process, which share their modules but load this one each. */
const shared = globalThis as { watchdogThread?: Worker };
shared.watchdogThread ??= startThread();
report({ file });

function startThread(): Worker {
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const thread = new Worker(path.join(import.meta.dirname, 'watchdog-thread.mjs'), {
    workerData: { beats, ...inject('watchdog') },
    execArgv: [],
  });
  thread.unref();
  setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS).unref();
  return thread;
}

/** What goes on from now on: a file that loads, its hooks, or a test of it. */
function report(step: { readonly file: string } | { readonly test: string | null }): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, and no window of a browser
  shared.watchdogThread?.postMessage(step);
}

beforeAll(() => report({ test: null }));
beforeEach(({ task }) => report({ test: task.name }));
