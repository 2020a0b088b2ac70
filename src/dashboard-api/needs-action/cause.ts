import { describeField, describeProfileField } from '../transactions/field-names.js';

/** Why documents failed, in words: what their errors have in common. */
export interface Cause {
  readonly code: string;
  /** Null for what the request does not hold. */
  readonly field: string | null;
}

const PROFILE = 'profile/';

/**
 * Reads the cause of a failed document: the code of its first error and, after a colon, the field without the positions
 * of document and lines, as in `buyer_tin_invalid:/recipient/tin`, or the label of a field of the profile, as in
 * `code_not_in_list:profile/State`. `*` stands for a line.
 */
export function describeCause(cause: string): Cause {
  const colon = cause.indexOf(':');
  if (colon === -1) return { code: cause, field: null };
  const [code, fieldPath] = [cause.slice(0, colon), cause.slice(colon + 1)];
  if (fieldPath.startsWith(PROFILE)) return { code, field: describeProfileField(fieldPath.slice(PROFILE.length)) };
  return { code, field: describeField(`/documents/0${fieldPath.replaceAll('/*', '')}`) };
}
