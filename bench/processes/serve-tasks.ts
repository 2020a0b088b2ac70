/** Runs tasks of the parent process in a `Worker` and exits with the parent. The caller ensures the type of the tasks. */
export function serveTasks(run: (task: never) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (task) => {
    run(task as never).then(
      (result) => process.send?.({ result }),
      (error: unknown) => process.send?.({ error: formatError(error) }),
    );
  });
}

function formatError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
