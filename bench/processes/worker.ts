import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../../standalone/program.js';

const TASK_MS_MAX = 300_000;
const EXIT_MS_MAX = 5_000;

type Answer = { readonly result: unknown } | { readonly error: string };

/** A process of its own that answers one task after the other. */
export class Worker<Task extends object, Result> {
  private constructor(private readonly child: ChildProcess) {}

  /** @param file a program that serves tasks, see serveTasks */
  static async start<Task extends object, Result>(closing: Closing, file: URL): Promise<Worker<Task, Result>> {
    // Signals reach the whole terminal; the parent alone decides when a worker ends.
    const child = fork(fileURLToPath(file), { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    const worker = new Worker<Task, Result>(child);
    await closing.add({ close: () => worker.stop(), kill: () => child.kill('SIGKILL') });
    return worker;
  }

  get processId(): number {
    return this.child.pid ?? 0;
  }

  async ask(task: Task): Promise<Result> {
    const ended = new AbortController();
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(TASK_MS_MAX)]);
    try {
      const answering = once(this.child, 'message', { signal });
      const exiting = once(this.child, 'exit', { signal }).then(() => {
        throw new Error('A process of the benchmark ended in the middle of its task');
      });
      this.child.send(task);
      const [answer] = (await Promise.race([answering, exiting])) as [Answer];
      if ('error' in answer) throw new Error(answer.error);
      return answer.result as Result;
    } finally {
      ended.abort();
    }
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit', { signal: AbortSignal.timeout(EXIT_MS_MAX) });
    if (this.child.connected) this.child.disconnect();
    await exit.catch(() => this.child.kill('SIGKILL'));
  }
}
