// Writes the rows of an accepted submit (docs/architecture.md#a-submit) without the service's checks. The credit account
// is updated last, because requests of a tenant wait for its lock.

export const SET_TENANT = /* sql */ `SELECT set_config('app.tenant_id', $1, true)`;

/**
 * $1 tenant, $2 batch, $3 submission type, $4 now, $5 rows, $6 idempotency key, $7 body hash, $8 answer, $9 supplier,
 * $10 TIN of the represented taxpayer.
 */
export const STORE = /* sql */ `
WITH input AS MATERIALIZED (
  SELECT * FROM jsonb_to_recordset($5::jsonb) AS i (
    document_id uuid, transaction_id uuid, "position" integer, document_type text, reference_id text, payload jsonb,
    totals jsonb, buyer_tin text, parent_type text, parent_reference_id text, parent_authority_uuid text,
    wire_bytes_max integer)),
new_document AS (
  INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, number_key,
                        document_date, payable_sen, created_at)
  SELECT $1, document_id, 'sandbox', document_type, reference_id, transaction_id, 1, upper(reference_id COLLATE "C"),
         (payload->>'documentDate')::date, ((totals->>'totalPayableAmount')::numeric * 100)::bigint, $4 FROM input),
batch AS (
  INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, supplier, created_at)
  SELECT $1, $2, 'sandbox', $3, count(*), $9::jsonb, $4 FROM input),
new_buyer AS (
  INSERT INTO buyer (tenant_id, environment, tin, name, name_key)
  SELECT DISTINCT $1::uuid, 'sandbox', buyer_tin, payload#>>'{recipient,name}', upper(payload#>>'{recipient,name}')
    FROM input WHERE payload#>>'{recipient,name}' IS NOT NULL ON CONFLICT DO NOTHING RETURNING tin, name_key),
new_word AS (
  INSERT INTO buyer_word (tenant_id, environment, word, tin)
  SELECT DISTINCT $1::uuid, 'sandbox', word, tin
    FROM new_buyer
   CROSS JOIN LATERAL unnest(string_to_array(name_key, ' ')) AS word
   WHERE word <> '' ON CONFLICT DO NOTHING),
record AS (
  INSERT INTO idempotency_record (tenant_id, environment, operation, key, body_hash, response_status, response, created_at)
  VALUES ($1, 'sandbox', 'submit', $6, $7, 200, $8, $4))
INSERT INTO document_transaction
  (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
   payload, totals, buyer_tin, on_behalf_of, parent_type, parent_reference_id, parent_authority_uuid, wire_bytes_max, due_at,
   created_at, updated_at)
SELECT $1, transaction_id, 'sandbox', document_id, $2, "position", 1, document_type, reference_id,
       payload, totals, buyer_tin, $10, parent_type, parent_reference_id, parent_authority_uuid, wire_bytes_max, $4, $4, $4
  FROM input`;

/** $1 tenant, $2 credits, $3 batch, $4 now. Assumes one credit lot per tenant. */
export const CHARGE = /* sql */ `
WITH account AS (
  UPDATE credit_account SET balance = balance - $2, entry_sequence = entry_sequence + 1
   WHERE tenant_id = $1 RETURNING balance, entry_sequence),
lot AS (
  UPDATE credit_lot SET remaining = remaining - $2 WHERE tenant_id = $1 AND EXISTS (SELECT FROM account))
INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
SELECT $1, entry_sequence, 'submit', -$2, balance, 'sandbox', $3, $4 FROM account`;
