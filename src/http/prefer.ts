import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether the request says `Prefer: handling=strict` (RFC 7240). Of several `handling`s the first counts, and what is
 * malformed counts as absent.
 */
export function prefersStrictHandling(headers: IncomingHttpHeaders): boolean {
  const preferences = [headers.prefer ?? []].flat().join(',');
  const [, handling] = /(?:^|,)\s*handling\s*=\s*"?([a-z]+)"?\s*(?=[,;]|$)/i.exec(preferences) ?? [];
  return handling?.toLowerCase() === 'strict';
}
