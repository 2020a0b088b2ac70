/** A new key for a call that must happen once. crypto.randomUUID() does not exist on plain HTTP beyond localhost. */
export function createIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
