const CODE = /^E[MN]FILE$/;
// An error from a worker thread keeps only its message.
const MESSAGE = /^(?:Worker initialization failure: )?E[MN]FILE\b/;

/**
 * Whether the process or machine has run out of file descriptors. The failed operation had no effect and
 * may succeed once one is closed.
 */
export function isOutOfDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && CODE.test(String(error.code))) || MESSAGE.test(error.message);
}
