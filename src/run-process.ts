/** What a process runs until it is told to stop. */
interface Closable {
  close(): Promise<void>;
}

/**
 * Starts a service and stops it in order on SIGTERM or SIGINT; a second signal ends the process at once. A start that
 * fails says why on standard error and exits with 1.
 */
export async function runProcess(start: () => Promise<Closable>): Promise<void> {
  try {
    const service = await start();
    let isStopping = false;
    const stop = (): void => {
      if (isStopping) process.exit(1);
      isStopping = true;
      service.close().then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
