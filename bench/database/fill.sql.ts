// Fills the database with the data of one year, without foreign key checks. Omits built documents and status events,
// because neither submits nor status reads use them.

/** Documents of a cycle: one batch of 100, five of 10 and fifty of 1. */
export const CYCLE_DOCUMENTS = 200;

/** $1 tenants, $2 cycles. */
export const PLAN_BATCHES = /* sql */ `
CREATE TEMP TABLE planned_batch AS
SELECT ($1::uuid[])[1 + cycle % cardinality($1::uuid[])] AS tenant_id,
       uuidv7(age) AS id, uuidv7(age) AS submission_id, now() + age AS created_at,
       cycle % 8 = 7 AS is_consolidated, size, number
  FROM (SELECT cycle, size, row_number() OVER (ORDER BY cycle, slot) AS number
          FROM generate_series(0, $2::integer - 1) AS cycle,
               (SELECT slot, CASE WHEN slot = 0 THEN 100 WHEN slot <= 5 THEN 10 ELSE 1 END AS size
                  FROM generate_series(0, 55) AS slot) AS pattern) AS batch,
       LATERAL (SELECT make_interval(secs => (number / ($2 * 56.0) - 1) * 31536000 - 86400) AS age) AS past`;

/** $1 samples: [{submission_type, document_type, payload, totals, parent_reference_id, parent_authority_uuid, …}]. */
export const PLAN_SAMPLES = /* sql */ `
CREATE TEMP TABLE planned_sample AS
SELECT s.*, submission_type = 'consolidated' AS is_consolidated,
       row_number() OVER (PARTITION BY submission_type) - 1 AS turn, count(*) OVER (PARTITION BY submission_type) AS turns
  FROM jsonb_to_recordset($1::jsonb) AS s (
    submission_type text, document_type text, payload jsonb, totals jsonb, parent_reference_id text,
    parent_authority_uuid text, wire_bytes_max integer)`;

/** Plans the documents in the order of their batches. Omits payloads to keep the table small. */
export const PLAN_DOCUMENTS = /* sql */ `
CREATE TEMP TABLE planned_document AS
SELECT b.tenant_id, b.id AS batch_id, b.submission_id, b.created_at, position,
       uuidv7(b.created_at - now()) AS document_id, uuidv7(b.created_at - now()) AS transaction_id,
       'INV-' || to_char(b.number, 'FM00000000') || '-' || to_char(position, 'FM000') AS reference_id,
       CASE WHEN b.is_consolidated THEN 'EI00000000010'
            ELSE 'C' || 200000000 + (b.number * 7919 + position * 104729) % 50000 || '0' END AS buyer_tin,
       CASE (b.number + position) % 100 WHEN 0 THEN 'Cancelled' WHEN 1 THEN 'Invalid' WHEN 2 THEN 'Invalid'
            ELSE 'Valid' END AS authority_status,
       upper(substr(md5(b.id::text || position), 1, 26)) AS authority_uuid,
       b.is_consolidated, (b.number + position) % s.turns AS turn
  FROM (SELECT * FROM planned_batch ORDER BY number) AS b
  CROSS JOIN LATERAL generate_series(0, b.size - 1) AS position
  JOIN (SELECT DISTINCT is_consolidated, turns FROM planned_sample) AS s USING (is_consolidated)`;

const FILL_BATCHES = /* sql */ `
INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, created_at)
SELECT tenant_id, id, 'sandbox', CASE WHEN is_consolidated THEN 'consolidated' ELSE 'non-consolidated' END, size, created_at
  FROM planned_batch ORDER BY number`;

const FILL_SUBMISSIONS = /* sql */ `
INSERT INTO authority_submission (tenant_id, id, environment, state, sent_at, sends, submission_uid, polls, created_at, updated_at)
SELECT tenant_id, submission_id, 'sandbox', 'settled', created_at, 1, upper(substr(md5(id::text), 1, 26)), 3, created_at, created_at
  FROM planned_batch ORDER BY number`;

/** Amounts of up to 10,000 ringgit, most of which occur in few documents. */
const PAYABLE_SEN = `(1 + abs(hashtext(reference_id)) % 1000000)::bigint`;

const PAYLOAD = /* sql */ `
  jsonb_set(payload || jsonb_build_object('referenceId', reference_id, 'documentDate',
              to_char(created_at AT TIME ZONE 'Asia/Kuala_Lumpur', 'YYYY-MM-DD')),
    CASE WHEN NOT is_consolidated THEN '{recipient,name}'::text[] ELSE '{referenceId}' END,
    CASE WHEN NOT is_consolidated THEN to_jsonb('Pembeli ' || substr(buyer_tin, 2, 9) || ' Sdn Bhd')
         ELSE to_jsonb(reference_id) END)`;

const FILL_DOCUMENTS = /* sql */ `
INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, number_key,
                      document_date, payable_sen, created_at)
SELECT tenant_id, document_id, 'sandbox', document_type, reference_id, transaction_id, 1, upper(reference_id),
       (created_at AT TIME ZONE 'Asia/Kuala_Lumpur')::date, ${PAYABLE_SEN}, created_at
  FROM planned_document JOIN planned_sample USING (is_consolidated, turn)`;

const FILL_TRANSACTIONS = /* sql */ `
INSERT INTO document_transaction
  (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
   payload, totals, buyer_tin, on_behalf_of, parent_reference_id, parent_authority_uuid, wire_bytes_max,
   submission_status, authority_status, version, due_at, authority_submission_id, authority_uuid, uuid_confirmed,
   authority_long_id, errors, issued_at, submitted_at, validated_at, cancelled_at, created_at, updated_at)
SELECT tenant_id, transaction_id, 'sandbox', document_id, batch_id, position, 1, document_type, reference_id,
       ${PAYLOAD}, jsonb_set(totals, '{totalPayableAmount}', to_jsonb(${PAYABLE_SEN} / 100.0)), buyer_tin,
       (SELECT tin FROM tenant WHERE tenant.tenant_id = planned_document.tenant_id), parent_reference_id,
       parent_authority_uuid, wire_bytes_max,
       'Submitted', authority_status, 4, created_at, submission_id, authority_uuid, true,
       CASE WHEN authority_status <> 'Invalid' THEN authority_uuid || 'LONGID2026' END,
       CASE WHEN authority_status = 'Invalid'
            THEN '[{"code": "buyer_tin_invalid", "hint": "check the TIN with the buyer", "message": "The buyer''s TIN is not known to the authority", "pointer": "/documents/0/recipient/tin", "authorityCode": "CF358", "authorityMessage": "Invalid TIN"}]'::jsonb
            ELSE '[]'::jsonb END,
       created_at, created_at + interval '2 seconds',
       CASE WHEN authority_status <> 'Invalid' THEN created_at + interval '5 seconds' END,
       CASE WHEN authority_status = 'Cancelled' THEN created_at + interval '1 hour' END,
       created_at, created_at + interval '5 seconds'
  FROM planned_document JOIN planned_sample USING (is_consolidated, turn)`;

const FILL_BUYERS = /* sql */ `
INSERT INTO buyer (tenant_id, environment, tin, name, name_key)
SELECT DISTINCT tenant_id, 'sandbox', buyer_tin, 'Pembeli ' || substr(buyer_tin, 2, 9) || ' Sdn Bhd',
       'PEMBELI ' || substr(buyer_tin, 2, 9) || ' SDN BHD'
  FROM planned_document WHERE NOT is_consolidated`;

const FILL_BUYER_WORDS = /* sql */ `
INSERT INTO buyer_word (tenant_id, environment, word, tin)
SELECT tenant_id, environment, word, tin
  FROM buyer CROSS JOIN LATERAL regexp_split_to_table(upper(name COLLATE "C"), ' ') AS word`;

/** Writes the rows that the disabled triggers of document_transaction would write. */
const FILL_FAILED_DOCUMENTS = /* sql */ `
INSERT INTO failed_document (tenant_id, document_id, transaction_id, environment, cause)
SELECT tenant_id, document_id, transaction_id, 'sandbox', 'buyer_tin_invalid:/recipient/tin'
  FROM planned_document WHERE authority_status = 'Invalid'`;

const FILL_CANCELLATIONS = /* sql */ `
INSERT INTO document_cancellation
  (tenant_id, id, environment, document_id, transaction_id, reason, status, deadline_at, due_at, sends, created_at, updated_at)
SELECT tenant_id, uuidv7(created_at - now()), 'sandbox', document_id, transaction_id, 'Cancelled by the issuer', 'Completed',
       created_at + interval '72 hours', created_at, 1, created_at, created_at
  FROM planned_document WHERE authority_status = 'Cancelled'`;

const FILL_IDEMPOTENCY_RECORDS = /* sql */ `
INSERT INTO idempotency_record (tenant_id, environment, operation, key, body_hash, response_status, response, created_at)
SELECT tenant_id, 'sandbox', 'submit', gen_random_uuid(), sha256(batch_id::text::bytea), 200,
       json_build_object('submissionBatchId', batch_id, 'documents', json_agg(json_build_object(
         'documentId', document_id, 'documentType', document_type, 'referenceId', reference_id))),
       created_at
  FROM planned_document JOIN planned_sample USING (is_consolidated, turn) GROUP BY tenant_id, batch_id, created_at`;

const FILL_CREDIT_ENTRIES = /* sql */ `
INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
SELECT b.tenant_id, a.entry_sequence + row_number() OVER entries, 'submit', -b.size,
       a.balance - sum(b.size) OVER entries, 'sandbox', b.id, b.created_at
  FROM planned_batch b JOIN credit_account a USING (tenant_id)
WINDOW entries AS (PARTITION BY b.tenant_id ORDER BY b.number)`;

const CHARGE_LOTS = /* sql */ `
UPDATE credit_lot l SET remaining = remaining - spent.credits
  FROM (SELECT tenant_id, sum(size) AS credits FROM planned_batch GROUP BY tenant_id) spent
 WHERE l.tenant_id = spent.tenant_id`;

const CHARGE_ACCOUNTS = /* sql */ `
UPDATE credit_account a SET balance = balance - spent.credits, entry_sequence = entry_sequence + spent.entries
  FROM (SELECT tenant_id, sum(size) AS credits, count(*) AS entries FROM planned_batch GROUP BY tenant_id) spent
 WHERE a.tenant_id = spent.tenant_id`;

/** Statements in their order of execution. */
export const FILL = [
  FILL_BATCHES,
  FILL_SUBMISSIONS,
  FILL_DOCUMENTS,
  FILL_TRANSACTIONS,
  FILL_BUYERS,
  FILL_BUYER_WORDS,
  FILL_FAILED_DOCUMENTS,
  FILL_CANCELLATIONS,
  FILL_IDEMPOTENCY_RECORDS,
  FILL_CREDIT_ENTRIES,
  CHARGE_LOTS,
  CHARGE_ACCOUNTS,
] as const;

/** Selects the same number of batches of each size, spread over the year. $1 maximum number of batches per size. */
export const SOME_BATCHES = /* sql */ `
SELECT tenant_id AS "tenantId", id AS "batchId", size
  FROM (SELECT *, row_number() OVER (PARTITION BY size ORDER BY md5(id::text)) AS turn FROM planned_batch) AS batch
 WHERE turn <= least($1, (SELECT count(*) FROM planned_batch WHERE size = 100)) ORDER BY turn, size`;

/** Indexes without a constraint. Rebuilding them after the fill is much cheaper than updating them. */
export const PLAIN_INDEXES = /* sql */ `
SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
  FROM pg_index
 WHERE indrelid IN ('document_transaction'::regclass, 'document'::regclass) AND NOT indisunique`;
