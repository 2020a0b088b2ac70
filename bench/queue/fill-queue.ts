import type { Client } from 'pg';
import { buildAuthorityDocument } from '../../src/documents/authority-document.js';
import { goldenSupplier } from '../../src/documents/golden/golden.js';
import { acceptedBodies } from '../content/templates.js';
import { COUNT_MOVED, EMPTY_QUEUE, FILL_QUEUE, KEEP_SAMPLES } from './fill-queue.sql.js';

export const DOCUMENTS_PER_BATCH = 100;

/** Keeps what the documents of every queue are copied from, for this connection. */
export async function keepSamples(superuser: Client): Promise<void> {
  // Each connection's own setting: triggers, and foreign keys with them, are for the rows that the runs write.
  await superuser.query(`SET session_replication_role = replica`);
  await superuser.query(KEEP_SAMPLES, [JSON.stringify(samples())]);
}

export interface QueueContent {
  readonly tenantIds: readonly string[];
  /** A multiple of a batch's. */
  readonly documents: number;
  /** As those have that were queued again; the others are built when they are claimed. */
  readonly haveBytes: boolean;
}

/** Queues documents in a database that has none. */
export async function fillQueue(superuser: Client, content: QueueContent): Promise<void> {
  const { tenantIds, documents, haveBytes } = content;
  await superuser.query(EMPTY_QUEUE);
  await superuser.query(FILL_QUEUE, [tenantIds, documents / DOCUMENTS_PER_BATCH, haveBytes]);
  await superuser.query('VACUUM (ANALYZE)');
  // The runs do not pay for writing the fill out.
  await superuser.query('CHECKPOINT');
}

interface Moved {
  readonly submitted: number;
  readonly processing: number;
  readonly events: number;
  readonly arrived: number;
}

/**
 * A fast wrong answer must not win: every document that was moved has its uuid, its two events and its bytes fixed.
 * @throws Error naming what differs
 */
export async function checkMoved(superuser: Client, documents: number): Promise<void> {
  const { rows } = await superuser.query<Moved>(COUNT_MOVED);
  const wanted: Moved = { submitted: documents, processing: 0, events: 2 * documents, arrived: documents };
  if (JSON.stringify(rows[0]) !== JSON.stringify(wanted)) {
    throw new Error(`Moved ${JSON.stringify(rows[0])}, expected ${JSON.stringify(wanted)}`);
  }
}

// Of a real issuer's size; the documents of one database share it.
const ISSUED_AT = new Date();

function samples(): object[] {
  const supplier = goldenSupplier();
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
      bytes: buildAuthorityDocument({
        document,
        supplier,
        issuedAt: ISSUED_AT,
        period: null,
        parentAuthorityUuid: document.relatedInvoice?.authorityUuid ?? null,
        version: '1.0',
      }).toString('base64'),
    }));
}
