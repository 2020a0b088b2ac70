import type { Client } from 'pg';
import { acceptedBodies } from '../content/templates.js';
import {
  CYCLE_DOCUMENTS,
  FILL,
  PLAIN_INDEXES,
  PLAN_BATCHES,
  PLAN_DOCUMENTS,
  PLAN_SAMPLES,
  SOME_BATCHES,
} from './fill.sql.js';
import type { BenchTenant } from './tenants.js';

const SAMPLES_PER_BODY = 8;

/** Maximum number of batches per size. */
const BATCHES_TO_READ = 1_000;

export interface StoredBatch {
  readonly tenantId: string;
  readonly batchId: string;
  readonly size: number;
}

/**
 * Fills a database with documents that have an outcome.
 * @returns batches to read, alternating between the sizes
 */
export async function fill(
  superuser: Client,
  tenants: readonly BenchTenant[],
  documentCount: number,
): Promise<StoredBatch[]> {
  const tenantIds = tenants.map(({ tenantId }) => tenantId);
  // Disables triggers and foreign keys for this connection only. They stay enabled for the runs.
  await superuser.query(`SET session_replication_role = replica`);
  await superuser.query(PLAN_BATCHES, [tenantIds, documentCount / CYCLE_DOCUMENTS]);
  await superuser.query(PLAN_SAMPLES, [JSON.stringify(samples())]);
  await superuser.query(PLAN_DOCUMENTS);
  await superuser.query('ANALYZE planned_batch, planned_sample, planned_document');
  const { rows: indexes } = await superuser.query<{ name: string; definition: string }>(PLAIN_INDEXES);
  for (const { name } of indexes) await superuser.query(`DROP INDEX ${name}`);
  for (const statement of FILL) await superuser.query(statement);
  for (const { definition } of indexes) await superuser.query(definition);
  const { rows } = await superuser.query<StoredBatch>(SOME_BATCHES, [BATCHES_TO_READ]);
  await superuser.query('DROP TABLE planned_batch, planned_sample, planned_document');
  await superuser.query('VACUUM (ANALYZE)');
  // Flushes the fill, so that the runs do not have to.
  await superuser.query('CHECKPOINT');
  return rows;
}

function samples(): object[] {
  return acceptedBodies(100).flatMap(({ submissionType, documents }) =>
    documents.slice(0, SAMPLES_PER_BODY).map(({ document, totals, wireBytesMax }) => ({
      submission_type: submissionType,
      document_type: document.documentType,
      payload: document,
      totals,
      parent_reference_id: document.relatedInvoice?.referenceId ?? null,
      parent_authority_uuid: document.relatedInvoice?.authorityUuid ?? null,
      wire_bytes_max: wireBytesMax,
    })),
  );
}
