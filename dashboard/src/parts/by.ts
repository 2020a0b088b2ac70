const BY = /^(?:key|user):[0-9a-f-]{36}$/i;

/** Returns the filter `by` of a URL, or undefined if it is malformed. */
export function readBy(value: unknown): string | undefined {
  return typeof value === 'string' && BY.test(value) ? value : undefined;
}
