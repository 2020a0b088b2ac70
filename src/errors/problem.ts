/** One broken rule of a request body, in the caller's own fields (docs/rules.md#body-rules). */
export interface Problem {
  /** JSON Pointer (RFC 6901) into the request body, such as `/documents/0/recipient/postcode`. */
  readonly pointer: string;
  /** Stable identifier of the rule, listed in the docs, such as `recipient_postcode_format`. */
  readonly rule: string;
  /** What is wrong, without its path: `must be 5 digits`. */
  readonly message: string;
  /** How to fix it, when that can be said: `use 50480, not 5048`. */
  readonly hint?: string;
}

/** The pointer as a client reads it: `/documents/0/recipient/tin` is `documents[0].recipient.tin`. */
export function toFieldPath(pointer: string): string {
  let path = '';
  for (const token of pointer.split('/').slice(1)) {
    const member = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(member)) path += `[${member}]`;
    else path += path === '' ? member : `.${member}`;
  }
  return path;
}

/** The problem as one sentence that starts with its path (docs/rules.md#body-rules). */
export function toSentence(problem: Problem): string {
  const path = toFieldPath(problem.pointer);
  return path === '' ? problem.message : `${path} ${problem.message}`;
}

/** The position of the document that the pointer leads into; null when it leads elsewhere. */
export function findDocumentIndex(pointer: string): number | null {
  const index = /^\/documents\/(\d+)(?:\/|$)/.exec(pointer)?.[1];
  return index === undefined ? null : Number(index);
}
