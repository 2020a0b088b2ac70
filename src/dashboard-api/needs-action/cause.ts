import { describeField } from '../transactions/field-names.js';

/** Why documents failed, in words: what their errors have in common. */
export interface Cause {
  readonly code: string;
  /** Null for what the request does not hold. */
  readonly field: string | null;
}

/**
 * Reads the cause of a failed document: the code of its first error and, after a colon, the place of it without the
 * positions of document and lines, as in `buyer_tin_invalid:/recipient/tin`. `*` stands for a line.
 */
export function describeCause(cause: string): Cause {
  const colon = cause.indexOf(':');
  if (colon === -1) return { code: cause, field: null };
  return {
    code: cause.slice(0, colon),
    field: describeField(`/documents/0${cause.slice(colon + 1).replaceAll('/*', '')}`),
  };
}
