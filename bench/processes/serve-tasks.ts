/**
 * The worker's side: runs what it is asked, one at a time, and ends with its parent. Both sides are compiled together,
 * so the task is of the type that `run` takes.
 */
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
