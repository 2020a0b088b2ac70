const CODE = /^E[MN]FILE$/;
// An error from a worker thread keeps only its message.
const MESSAGE = /^(?:Worker initialization failure: )?E[MN]FILE\b/;

/** Returns whether file descriptors are exhausted. The failed operation had no effect and may succeed later. */
export function isOutOfDescriptors(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && CODE.test(String(error.code))) || MESSAGE.test(error.message);
}
