import type { EntityManager } from 'typeorm';
import type { DocumentPlace } from '../documents/error-catalogue.js';
import { requestPointersOf } from '../documents/request-pointers.js';
import { readPayload } from '../documents/stored-payload.js';

/** By the attempt's id. */
export type DocumentPlaces = ReadonlyMap<string, DocumentPlace>;

interface PlaceRow {
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
export async function readPlaces(
  tx: EntityManager,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<DocumentPlaces> {
  if (transactionIds.length === 0) return new Map();
  const rows = await tx.query<PlaceRow[]>(READ, [tenantId, transactionIds]);
  // A payload of a later build says nothing to this one: its findings are explained without their places.
  // So are those of a payload that cannot be read at all: what the authority says of it settles its document like any other.
  const places = rows.flatMap((row): [string, DocumentPlace][] => {
    const place = placeOf(row);
    return place === null ? [] : [[row.id, place]];
  });
  return new Map(places);
}

function placeOf({ position, payload, payloadVersion }: PlaceRow): DocumentPlace | null {
  try {
    return { position, pointers: requestPointersOf(readPayload(payload, payloadVersion)) };
  } catch {
    return null;
  }
}
