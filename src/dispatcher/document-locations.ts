import type { EntityManager } from 'typeorm';
import { type DocumentLocation, locateDocument } from '../documents/request-pointers.js';
import type { Supplier } from '../documents/simplified-document.js';
import { readPayload } from '../documents/stored-payload.js';

/** By the attempt's id. */
export type DocumentLocations = ReadonlyMap<string, DocumentLocation>;

interface DocumentLocationRow {
  readonly id: string;
  readonly position: number;
  readonly payload: unknown;
  readonly payloadVersion: number;
  readonly supplier: Supplier | null;
}

const READ = /* sql */ `
  SELECT t.id, t.position, t.payload, t.payload_version AS "payloadVersion", b.supplier
    FROM document_transaction t
    JOIN submission_batch b ON b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id
   WHERE t.tenant_id = $1 AND t.id = ANY ($2::uuid[])`;

/**
 * Which documents of their requests these attempts are, so that findings can point into what the caller sent. Read for
 * failed documents only: the others never need their payload again.
 */
export async function readDocumentLocations(
  tx: EntityManager,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<DocumentLocations> {
  if (transactionIds.length === 0) return new Map();
  const rows = await tx.query<DocumentLocationRow[]>(READ, [tenantId, transactionIds]);
  // A payload of a later build says nothing to this one: its findings are explained without their places.
  // So are those of a payload that cannot be read at all: what the authority says of it settles its document like any
  // other.
  const locations = rows.flatMap((row): [string, DocumentLocation][] => {
    const location = toDocumentLocation(row);
    return location === null ? [] : [[row.id, location]];
  });
  return new Map(locations);
}

function toDocumentLocation({
  position,
  payload,
  payloadVersion,
  supplier,
}: DocumentLocationRow): DocumentLocation | null {
  try {
    return locateDocument(position, readPayload(payload, payloadVersion), supplier);
  } catch {
    return null;
  }
}
