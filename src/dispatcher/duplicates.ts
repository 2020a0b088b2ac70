// The authority uses DS302 for the number of signatures too; only the duplicate's text names the other document.
const DUPLICATE_CODES: ReadonlySet<string> = new Set(['DS302', 'DV302']);
const OTHER_UUID = /for the document with UUID: ?([0-9A-Z]{26})/i;

/** Returns the uuid of the earlier document if these errors say that a document duplicates it. Pure. */
export function findDuplicateOriginal(
  errors: readonly { readonly code: string | null; readonly message: string | null }[],
): string | null {
  for (const { code, message } of errors) {
    const [, uuid] = (DUPLICATE_CODES.has(code ?? '') && OTHER_UUID.exec(message ?? '')) || [];
    if (uuid !== undefined) return uuid;
  }
  return null;
}
