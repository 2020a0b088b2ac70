const CODE = /^E[MN]FILE$/;
// An error that a worker thread passes on has its message alone.
const MESSAGE = /^(?:Worker initialization failure: )?E[MN]FILE\b/;

/**
 * Returns whether the process or its machine has too many files and connections open. What needed another one has not
 * happened, and may succeed as soon as one is closed.
 */
export function isOutOfDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && CODE.test(String(error.code))) || MESSAGE.test(error.message);
}
