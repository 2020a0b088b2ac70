import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Closing } from '../../standalone/program.js';
import { type Program, startProgram } from '../../test/support/program.js';

const TASK_MS_MAX = 300_000;

type WorkerResponse = { readonly result: unknown } | { readonly error: string };

/** Separate process that runs one task at a time. */
export class Worker<Task extends object, Result> {
  private program: Program;

  private constructor(
    private readonly file: URL,
    private readonly parameters: readonly string[],
  ) {
    this.program = this.launch();
  }

  /** @param file program that calls `serveTasks` */
  static async start<Task extends object, Result>(
    closing: Closing,
    file: URL,
    parameters: readonly string[] = [],
  ): Promise<Worker<Task, Result>> {
    const worker = new Worker<Task, Result>(file, parameters);
    await closing.add({ close: () => worker.stop() });
    return worker;
  }

  get processId(): number {
    return this.program.processId;
  }

  /**
   * Runs a task. After a timeout, kills the process, and the next task starts a new one.
   * @throws Error with the message of the failed task
   */
  async ask(task: Task, msMax = TASK_MS_MAX): Promise<Result> {
    if (!this.program.isRunning()) this.program = this.launch();
    const { program } = this;
    const ended = new AbortController();
    const deadline = AbortSignal.timeout(msMax);
    const signal = AbortSignal.any([ended.signal, deadline]);
    try {
      const answering = once(program.child, 'message', { signal });
      const exiting = program.ended.then(() => {
        throw new Error('A process of the benchmark exited during its task');
      });
      program.child.send(task);
      const [answer] = (await Promise.race([answering, exiting])) as [WorkerResponse];
      if ('error' in answer) throw new Error(answer.error);
      return answer.result as Result;
    } catch (error) {
      if (!deadline.aborted) throw error;
      // Kills the process, because a late response would be mistaken for the response to the next task.
      program.kill('SIGKILL');
      throw new Error(`A process of the benchmark took longer than ${msMax / 1_000} s for its task`, {
        cause: error,
      });
    } finally {
      ended.abort();
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    this.program = this.launch();
  }

  stop(): Promise<void> {
    return this.program.stop();
  }

  private launch(): Program {
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
    return startProgram([fileURLToPath(this.file), ...this.parameters], {}, { stdio: [...stdio] });
  }
}
