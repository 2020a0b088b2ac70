import { normaliseUuid } from '../../documents/parent-uuid.js';

interface AuthorityFinding {
  readonly code: string | null;
  readonly message: string | null;
}

const OTHER_UUID = /for the document with UUID: ?([0-9A-Z-]{10,64})/i;

/** Returns whether these errors state that the authority already has the document. Pure. */
export function isDuplicate(errors: readonly AuthorityFinding[]): boolean {
  return errors.some(namesDuplicate);
}

/** Returns the uuid of the earlier document if the errors contain one. Pure. */
export function findDuplicateOriginal(errors: readonly AuthorityFinding[]): string | null {
  for (const error of errors) {
    const [, uuid] = (namesDuplicate(error) && OTHER_UUID.exec(error.message ?? '')) || [];
    if (uuid !== undefined) return normaliseUuid(uuid);
  }
  return null;
}

// The authority also uses DS302 for "Signature count not equal to 1." An error may have a message but no code.
function namesDuplicate({ code, message }: AuthorityFinding): boolean {
  if (code === null) return OTHER_UUID.test(message ?? '');
  return code === 'DV302' || (code === 'DS302' && !/signature/i.test(message ?? ''));
}
