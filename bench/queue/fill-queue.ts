import type { Client } from 'pg';
import { acceptedBodies } from '../content/templates.js';
import { COUNT_MOVED, EMPTY_QUEUE, FILL_QUEUE, KEEP_SAMPLES } from './fill-queue.sql.js';

export const DOCUMENTS_PER_BATCH = 100;

/** Stores the samples for queued documents in a temporary table of this connection. */
export async function keepSamples(superuser: Client): Promise<void> {
  // Disables triggers and foreign keys for this connection only. They stay enabled for the runs.
  await superuser.query(`SET session_replication_role = replica`);
  await superuser.query(KEEP_SAMPLES, [JSON.stringify(samples())]);
}

/**
 * Replaces the queue with new documents.
 * @param documents a multiple of `DOCUMENTS_PER_BATCH`
 */
export async function fillQueue(
  superuser: Client,
  { tenantIds, documents }: { tenantIds: readonly string[]; documents: number },
): Promise<void> {
  await superuser.query(EMPTY_QUEUE);
  await superuser.query(FILL_QUEUE, [tenantIds, documents / DOCUMENTS_PER_BATCH]);
  await superuser.query('VACUUM (ANALYZE)');
  // Flushes the fill, so that the runs do not have to.
  await superuser.query('CHECKPOINT');
}

interface Moved {
  readonly submitted: number;
  readonly processing: number;
  readonly events: number;
  readonly arrived: number;
}

/**
 * Verifies that each moved document has its uuid, two events and fixed bytes, so that a fast but wrong run cannot win.
 * @throws Error that lists the stored and expected counts
 */
export async function checkMoved(superuser: Client, documents: number): Promise<void> {
  const { rows } = await superuser.query<Moved>(COUNT_MOVED);
  const wanted: Moved = { submitted: documents, processing: 0, events: 2 * documents, arrived: documents };
  if (JSON.stringify(rows[0]) !== JSON.stringify(wanted)) {
    throw new Error(`Moved ${JSON.stringify(rows[0])}, expected ${JSON.stringify(wanted)}`);
  }
}

function samples(): object[] {
  return acceptedBodies(DOCUMENTS_PER_BATCH)
    .filter(({ submissionType }) => submissionType === 'non-consolidated')
    .flatMap(({ documents }) => documents)
    .map(({ document, totals, wireBytesMax }) => ({
      document_type: document.documentType,
      payload: document,
      totals,
      parent_reference_id: document.relatedInvoice?.referenceId ?? null,
      parent_authority_uuid: document.relatedInvoice?.authorityUuid ?? null,
      wire_bytes_max: wireBytesMax,
    }));
}
