// The key reaches us once from the terminal and once more from npm, which passes it on: only a later one is a second.
const REPEATED_SIGNAL_MS = 1_000;
const FORCED_EXIT_CODE = 130;

interface Opened {
  close(): Promise<void>;
  /** Ends immediately, without waiting, after a second signal. */
  kill?(): void;
}

/** What a program has opened, to be closed in the reverse order. */
export class Closing {
  private readonly steps: Opened[] = [];
  private readonly controller = new AbortController();
  private resolveEnd: (exitCode: number) => void;

  /** The exit code, once the program is to end. */
  readonly end = new Promise<number>((resolve) => (this.resolveEnd = resolve));

  /** Aborted when the end begins: anyone who still starts or waits for something must stop. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** @throws Stopped when the end has begun already; what was opened too late is closed then */
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

  /** Ends the program with the error's message; while it ends already, errors are what is to be expected. */
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

/** The program was told to stop while it started or worked. */
class Stopped extends Error {}

/** What a program that goes on until it is stopped says of its end. */
interface ShutdownMessages {
  readonly stopping: string;
  readonly stopped: string;
}

/**
 * Runs a program that people start: SIGINT and SIGTERM close in order what it opened, and a second one does not wait.
 * The process ends with the code that `work` gives, or goes on when it gives none; after a signal it ends with 0.
 * @param words printed around an end by signal
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
  // Something may be half started: it ends at its next step, and closes what it has opened by then.
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

/** The message of an error, and of each of several. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(describeError).join('; ');
  return error instanceof Error ? error.message : String(error);
}
