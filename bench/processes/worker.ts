import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../../standalone/program.js';

const TASK_MS_MAX = 300_000;
const EXIT_MS_MAX = 5_000;

type WorkerResponse = { readonly result: unknown } | { readonly error: string };

/** A separate process that answers one task after the other. */
export class Worker<Task extends object, Result> {
  private child: ChildProcess;

  private constructor(
    private readonly file: URL,
    private readonly parameters: readonly string[],
  ) {
    this.child = this.fork();
  }

  /** @param file a program that serves tasks, see serveTasks */
  static async start<Task extends object, Result>(
    closing: Closing,
    file: URL,
    parameters: readonly string[] = [],
  ): Promise<Worker<Task, Result>> {
    const worker = new Worker<Task, Result>(file, parameters);
    await closing.add({ close: () => worker.stop(), kill: () => worker.child.kill('SIGKILL') });
    return worker;
  }

  get processId(): number {
    return this.child.pid ?? 0;
  }

  /**
   * @throws Error with the message of a task that failed; one without a response ends its process, and the next gets a
   * new one
   */
  async ask(task: Task, msMax = TASK_MS_MAX): Promise<Result> {
    if (this.hasEnded()) this.child = this.fork();
    const { child } = this;
    const ended = new AbortController();
    const deadline = AbortSignal.timeout(msMax);
    const signal = AbortSignal.any([ended.signal, deadline]);
    try {
      const answering = once(child, 'message', { signal });
      const exiting = once(child, 'exit', { signal }).then(() => {
        throw new Error('A process of the benchmark ended in the middle of its task');
      });
      child.send(task);
      const [answer] = (await Promise.race([answering, exiting])) as [WorkerResponse];
      if ('error' in answer) throw new Error(answer.error);
      return answer.result as Result;
    } catch (error) {
      if (!deadline.aborted) throw error;
      // Its late answer must not be taken for that of the next task.
      child.kill('SIGKILL');
      throw new Error(`A process of the benchmark took longer than ${msMax / 1_000} s for its task`, {
        cause: error,
      });
    } finally {
      ended.abort();
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    this.child = this.fork();
  }

  async stop(): Promise<void> {
    if (this.hasEnded()) return;
    const { child } = this;
    const exit = once(child, 'exit', { signal: AbortSignal.timeout(EXIT_MS_MAX) });
    if (child.connected) child.disconnect();
    await exit.catch(() => child.kill('SIGKILL'));
  }

  private fork(): ChildProcess {
    // Signals reach the whole terminal; the parent alone decides when a worker ends.
    return fork(fileURLToPath(this.file), [...this.parameters], {
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  private hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
