const BY = /^(?:key|user):[0-9a-f-]{36}$/i;

/** The filter `by` of an address; what cannot be read is left out. */
export function readBy(value: unknown): string | undefined {
  return typeof value === 'string' && BY.test(value) ? value : undefined;
}
