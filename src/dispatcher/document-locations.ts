import type { EntityManager } from 'typeorm';
import type { DocumentLocation } from '../documents/error-catalogue.js';
import { buildRequestPointers } from '../documents/request-pointers.js';
import { readPayload } from '../documents/stored-payload.js';

/** By the attempt's id. */
export type DocumentLocations = ReadonlyMap<string, DocumentLocation>;

interface DocumentLocationRow {
  readonly id: string;
  readonly position: number;
  readonly payload: unknown;
  readonly payloadVersion: number;
}

const READ = /* sql */ `
  SELECT id, position, payload, payload_version AS "payloadVersion" FROM document_transaction WHERE tenant_id = $1 AND id = ANY ($2::uuid[])`;

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

function toDocumentLocation({ position, payload, payloadVersion }: DocumentLocationRow): DocumentLocation | null {
  try {
    return { position, pointers: buildRequestPointers(readPayload(payload, payloadVersion)) };
  } catch {
    return null;
  }
}
