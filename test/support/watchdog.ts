import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { beforeAll, beforeEach, expect, inject } from 'vitest';

// Vitest's timeouts need the event loop of the test file and do not apply while a file is loaded. A separate thread
// ends files that block the event loop or never finish loading.

export interface WatchdogLimits {
  /** Longest blocking of the event loop. */
  readonly silentSecondsMax: number;
  /** Longest load of a file, including its top-level awaits. */
  readonly loadSecondsMax: number;
}

declare module 'vitest' {
  export interface ProvidedContext {
    watchdog: WatchdogLimits;
  }
}

const BEAT_MS = 500;

const file = path.relative(process.cwd(), expect.getState().testPath ?? '');

/** One thread per process. Each test file evaluates this setup file again. */
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

/** Reports the current step: the load of a file, a hook (`test: null`) or a test. */
function report(step: { readonly file: string } | { readonly test: string | null }): void {
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a browser window
  shared.watchdogThread?.postMessage(step);
}

beforeAll(() => report({ test: null }));
beforeEach(({ task }) => report({ test: task.name }));
