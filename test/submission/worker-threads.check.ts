import { setFlagsFromString } from 'node:v8';
import { threadId } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WorkerError, type WorkerLimits, WorkerThreads } from '../../src/common/worker-threads.js';
import { until } from '../support/until.js';

// Tests tasks directly. For requests, see large-bodies-in-workers.check.ts.

const TASKS = new URL('../support/fixtures/worker-tasks.mjs', import.meta.url);
const PATIENT: WorkerLimits = { heapMegabytesMax: 64, secondsMax: 60 };
const TIMEOUT_MS = 120_000;

interface Told {
  readonly threadId: number;
  readonly bytes: Uint8Array;
}

function startThreads(limits: Partial<WorkerLimits> = {}): WorkerThreads {
  const threads = new WorkerThreads(TASKS, { ...PATIENT, ...limits });
  onTestFinished(() => threads.close());
  return threads;
}

describe('a task', { timeout: TIMEOUT_MS }, () => {
  it('runs in another thread, to which its buffer is transferred', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const told = await startThreads().run<Told>('tell', bytes, [bytes.buffer]);
    expect(told.threadId).not.toBe(threadId);
    expect(told.bytes).toEqual(new Uint8Array([1, 2, 3]));
    expect(bytes.byteLength).toBe(0);
  });

  it('throws the error of its function', async () => {
    await expect(startThreads().run('fail', null)).rejects.toThrow(new TypeError('thrown by the task'));
  });

  it('has its own heap limit even in a process with another one', async () => {
    setFlagsFromString('--max-old-space-size=2048');
    const bytes = await startThreads().run<number>('tellHeapLimit', null);
    expect(bytes / 1_048_576).toBeGreaterThan(PATIENT.heapMegabytesMax);
    expect(bytes / 1_048_576).toBeLessThan(2 * PATIENT.heapMegabytesMax);
  });

  it('reuses the thread, which ends when it is idle', async () => {
    const threads = startThreads();
    const [first, second] = [await threads.run<Told>('tell', null), await threads.run<Told>('tell', null)];
    expect(second.threadId).toBe(first.threadId);
    const pool = Reflect.get(threads, 'pool') as Piscina;
    expect(pool.threads).toHaveLength(1);
    await until('the thread has ended', () => pool.threads.length === 0);
    expect((await threads.run<Told>('tell', null)).threadId).not.toBe(first.threadId);
  });

  it('fails when the threads are closed', async () => {
    const threads = startThreads();
    await threads.run('tell', null);
    const task = expect(threads.run('block', new SharedArrayBuffer(8))).rejects.toThrow(WorkerError);
    await threads.close();
    await task;
  });
});

describe('a failed task', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['its thread ends', 'end', {}],
    ['its thread uses up its memory', 'fill', {}],
    ['its time is over', 'spin', { secondsMax: 5 }],
  ])('does not affect the next task if %s', async (_, name, limits) => {
    const threads = startThreads(limits);
    const before = await threads.run<Told>('tell', null);
    await expect(threads.run(name, null)).rejects.toThrow(WorkerError);
    const after = await threads.run<Told>('tell', null);
    expect(after.threadId).not.toBe(before.threadId);
  });
});
