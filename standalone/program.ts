// Both the terminal and npm forward Ctrl-C, so two signals within this time count as one.
const REPEATED_SIGNAL_MS = 1_000;
const FORCED_EXIT_CODE = 130;

interface Opened {
  close(): Promise<void>;
  /** Stops immediately, without waiting, after a second signal. */
  kill?(): void;
}

/** Resources of a program, closed in reverse order of their opening. */
export class Closing {
  private readonly steps: Opened[] = [];
  private readonly controller = new AbortController();
  private resolveEnd: (exitCode: number) => void;

  /** Resolves with the exit code when the program should exit. */
  readonly end = new Promise<number>((resolve) => (this.resolveEnd = resolve));

  /** Aborted when the shutdown starts. Pending starts and waits must then stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /**
   * Registers a resource.
   * @throws Stopped if the shutdown has already started; the resource is then closed
   */
  async add(opened: Opened): Promise<void> {
    if (this.signal.aborted) {
      await opened.close();
      throw new Stopped();
    }
    this.steps.push(opened);
  }

  endWith(exitCode: number): void {
    this.resolveEnd(exitCode);
  }

  /** Exits the program with the error's message. Errors during the shutdown are expected and ignored. */
  fail(error: unknown): void {
    if (this.signal.aborted) return;
    console.error(describeError(error));
    this.endWith(1);
  }

  async closeAll(): Promise<void> {
    this.controller.abort(new Stopped());
    const failures: unknown[] = [];
    for (const opened of this.steps.toReversed()) {
      await opened.close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  killAll(): void {
    for (const opened of this.steps) opened.kill?.();
  }
}

class Stopped extends Error {}

interface ShutdownMessages {
  readonly stopping: string;
  readonly stopped: string;
}

/**
 * Runs a program. SIGINT and SIGTERM close its resources in order, and a second signal exits without waiting. The
 * process exits with the code that `work` returns or keeps running if there is none. After a signal, it exits with 0.
 * @param words messages for a shutdown by signal
 */
export async function runProgram(
  work: (closing: Closing) => Promise<number | undefined>,
  words?: ShutdownMessages,
): Promise<void> {
  const closing = new Closing();
  let stoppedAt: number | null = null;
  const stop = (): void => {
    if (stoppedAt !== null && Date.now() - stoppedAt < REPEATED_SIGNAL_MS) return;
    if (stoppedAt !== null) {
      closing.killAll();
      process.exit(FORCED_EXIT_CODE);
    }
    stoppedAt = Date.now();
    if (words) console.log(`\n${words.stopping}`);
    closing.endWith(0);
  };
  const fail = (error: unknown): void => closing.fail(error);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  process.on('uncaughtException', fail).on('unhandledRejection', fail);
  const working = finish(closing, work);
  const exitCode = await closing.end;
  const isClosed = await closing.closeAll().then(
    () => true,
    (error: unknown) => console.error(describeError(error)),
  );
  // `work` may still be starting. It stops at its next step and closes its resources.
  await working;
  if (words && isClosed && stoppedAt !== null) console.log(words.stopped);
  process.exit(isClosed ? exitCode : 1);
}

async function finish(closing: Closing, work: (closing: Closing) => Promise<number | undefined>): Promise<void> {
  try {
    const exitCode = await work(closing);
    if (exitCode !== undefined) closing.endWith(exitCode);
  } catch (error) {
    closing.fail(error);
  }
}

/** Returns the message of an error, or the joined messages of an AggregateError. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
