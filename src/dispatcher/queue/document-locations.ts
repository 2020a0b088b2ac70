import type { EntityManager } from 'typeorm';
import { type DocumentLocation, locateDocument } from '../../documents/request-pointers.js';
import type { SimplifiedDocument, Supplier } from '../../documents/simplified-document.js';

export type DocumentLocations = ReadonlyMap<string, DocumentLocation>;

interface DocumentLocationRow {
  readonly id: string;
  readonly position: number;
  readonly payload: unknown;
  readonly supplier: Supplier | null;
}

const READ = /* sql */ `
  SELECT t.id, t.position, t.payload, b.supplier
    FROM document_transaction t
    JOIN submission_batch b ON b.tenant_id = t.tenant_id AND b.id = t.submission_batch_id
   WHERE t.tenant_id = $1 AND t.id = ANY ($2::uuid[])`;

/** Reads the positions of attempts in their requests. Reads payloads, so call it for failed documents only. */
export async function readDocumentLocations(
  tx: EntityManager,
  tenantId: string,
  transactionIds: readonly string[],
): Promise<DocumentLocations> {
  if (transactionIds.length === 0) return new Map();
  const rows = await tx.query<DocumentLocationRow[]>(READ, [tenantId, transactionIds]);
  // If a payload is unreadable, its findings are explained without a field.
  const locations = rows.flatMap((row): [string, DocumentLocation][] => {
    const location = toDocumentLocation(row);
    return location === null ? [] : [[row.id, location]];
  });
  return new Map(locations);
}

function toDocumentLocation({ position, payload, supplier }: DocumentLocationRow): DocumentLocation | null {
  try {
    return locateDocument(position, payload as SimplifiedDocument, supplier);
  } catch {
    return null;
  }
}
