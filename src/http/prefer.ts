import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns whether the request prefers `handling=strict` (RFC 7240). The first `handling` counts, and malformed
 * preferences are ignored.
 */
export function prefersStrictHandling(headers: IncomingHttpHeaders): boolean {
  const preferences = [headers.prefer ?? []].flat().join(',');
  const [, handling] = /(?:^|,)\s*handling\s*=\s*"?([a-z]+)"?\s*(?=[,;]|$)/i.exec(preferences) ?? [];
  return handling?.toLowerCase() === 'strict';
}
