import { v7 as uuidv7 } from 'uuid';
import type { TestTenant } from '../support/client.js';
import type { TestService } from '../support/service.js';

// Writes a backlog directly to the database because creating it over HTTP would take minutes. Every document is a copy
// of an accepted one, with its own number.

const COPY = /* sql */ `
  WITH batch AS (
    INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, supplier, created_at)
    SELECT $1, unnest($5::uuid[]), 'sandbox', 'non-consolidated', 1, (SELECT supplier FROM submission_batch WHERE tenant_id = $1 LIMIT 1), service_now() ON CONFLICT DO NOTHING),
  copy AS MATERIALIZED (
    SELECT gen_random_uuid() AS copy_id, gen_random_uuid() AS copy_document_id, n, $4 || '-' || n AS number,
           ($5::uuid[])[1 + (n - 1) % cardinality($5::uuid[])] AS batch_id, t.*
      FROM document_transaction t, generate_series($6::integer, $2::integer) AS n
     WHERE t.tenant_id = $1 AND t.reference_id = $3),
  document AS (
    INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
    SELECT $1, copy_document_id, environment, document_type, number, copy_id, 1, created_at FROM copy)
  INSERT INTO document_transaction
    (tenant_id, id, environment, document_id, submission_batch_id, position, attempt, document_type, reference_id, payload,
     totals, buyer_tin, on_behalf_of, parent_reference_id, parent_authority_uuid, wire_bytes_max, due_at, created_at, updated_at)
  SELECT $1, copy_id, environment, copy_document_id, batch_id, n, 1, document_type, number,
         jsonb_set(payload, '{referenceId}', to_jsonb(number)), totals, buyer_tin, on_behalf_of, parent_reference_id,
         parent_authority_uuid, wire_bytes_max, due_at + n * interval '1 microsecond', created_at, updated_at
    FROM copy`;

// The ten-second statement timeout also applies to the test.
const COPIES_AT_ONCE = 5_000;

/** Queues copies of an accepted document, numbered `PREFIX-1` … in due order, across the given number of batches. */
export async function queueCopies(
  service: TestService,
  { tenantId }: TestTenant,
  copies: { of: string; count: number; prefix: string; batches: number },
): Promise<void> {
  const batchIds = Array.from({ length: copies.batches }, () => uuidv7());
  for (let from = 1; from <= copies.count; from += COPIES_AT_ONCE) {
    const to = Math.min(copies.count, from + COPIES_AT_ONCE - 1);
    await service.owner.query(COPY, [tenantId, to, copies.of, copies.prefix, batchIds, from]);
  }
}

/**
 * Runs a loop in several parallel ticks until no tick finds work or `isEnough` returns true. @throws Error on timeout
 */
export async function drain(
  service: TestService,
  isEnough: () => Promise<boolean> = () => Promise.resolve(false),
): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const done = await Promise.all(Array.from({ length: TICKS_AT_ONCE }, () => service.tick('submit')));
    if (done.every((calls) => calls === 0) || (await isEnough())) return;
  }
  throw new Error(`There is still work after ${ROUNDS_MAX} rounds`);
}

// Same concurrency as in one dispatcher process.
const TICKS_AT_ONCE = 4;
const ROUNDS_MAX = 10_000;
