import type { EntityManager } from 'typeorm';
import type { DocumentPlace } from '../documents/error-catalogue.js';
import { requestPointersOf } from '../documents/request-pointers.js';
import type { SimplifiedDocument } from '../documents/simplified-document.js';

/** By the attempt's id. */
export type DocumentPlaces = ReadonlyMap<string, DocumentPlace>;

interface PlaceRow {
  readonly id: string;
  readonly position: number;
  readonly payload: SimplifiedDocument;
}

const READ = /* sql */ `
  SELECT id, position, payload FROM document_transaction WHERE tenant_id = $1 AND id = ANY ($2::uuid[])`;

/**
 * Which documents of their requests these attempts are, so that findings can point into what the caller sent. Read for
 * failed documents only: the others never need their payload again.
 */
export async function readPlaces(
  tx: EntityManager,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<DocumentPlaces> {
  if (transactionIds.length === 0) return new Map();
  const rows = await tx.query<PlaceRow[]>(READ, [tenantId, transactionIds]);
  return new Map(rows.map(({ id, position, payload }) => [id, { position, pointers: requestPointersOf(payload) }]));
}
