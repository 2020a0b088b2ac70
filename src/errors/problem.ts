/** A broken rule of a request body (docs/rules.md#body-rules). */
export interface Problem {
  /** JSON Pointer (RFC 6901) into the request body, such as `/documents/0/recipient/postcode`. */
  readonly pointer: string;
  /** Stable, documented identifier of the rule, such as `recipient_postcode_format`. */
  readonly rule: string;
  /** Without the path: `must be 5 digits`. */
  readonly message: string;
  /** The fix, if known: `use 50480, not 5048`. */
  readonly hint?: string;
}

/** Converts `/documents/0/recipient/tin` to `documents[0].recipient.tin`. */
export function toFieldPath(pointer: string): string {
  let path = '';
  for (const token of pointer.split('/').slice(1)) {
    const member = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(member)) path += `[${member}]`;
    else path += path === '' ? member : `.${member}`;
  }
  return path;
}

/** Formats the problem as a sentence that starts with its path (docs/rules.md#body-rules). */
export function toSentence(problem: Problem): string {
  const path = toFieldPath(problem.pointer);
  return path === '' ? problem.message : `${path} ${problem.message}`;
}

/** Returns the index of the document to which the pointer belongs, or null. */
export function findDocumentIndex(pointer: string): number | null {
  const index = /^\/documents\/(\d+)(?:\/|$)/.exec(pointer)?.[1];
  return index === undefined ? null : Number(index);
}
