import type { Environment } from '../../config/environment.js';
import type { Paper } from '../../paper/paper.js';
import type { ShownStatus } from '../transactions/shown-status.js';
import type { PaperRow } from './papers.sql.js';

/** Documents that the authority has found valid have a PDF; one that was cancelled later says so on it. */
export const PRINTED_STATUSES: readonly ShownStatus[] = ['Valid', 'Cancelled'];

/** What a document is printed from; null while it has no PDF. */
export function toPaper(row: PaperRow, environment: Environment, portalUrl: string): Paper | null {
  const { status, uuid, validatedAt, cancelledAt, bytes } = row;
  const validationUrl = buildValidationUrl(row, portalUrl);
  if (!PRINTED_STATUSES.includes(status)) return null;
  if (uuid === null || validationUrl === null || validatedAt === null || bytes === null) return null;
  return {
    // A copy: of a buffer, its whole pool would go to the thread.
    bytes: Uint8Array.from(bytes),
    environment,
    uuid,
    validationUrl,
    validatedAt,
    isCancelled: status === 'Cancelled',
    cancelledAt,
  };
}

/** The authority's public page of the document; null until the authority has named it. */
export function buildValidationUrl({ uuid, longId }: PaperRow, portalUrl: string): string | null {
  return uuid === null || longId === null ? null : `${portalUrl}/${uuid}/share/${longId}`;
}
