/** $1 samples: [{document_type, payload, totals, parent_reference_id, parent_authority_uuid, wire_bytes_max}] */
export const KEEP_SAMPLES = /* sql */ `
CREATE TEMP TABLE queue_sample AS
SELECT s.document_type, s.payload, s.totals, s.parent_reference_id, s.parent_authority_uuid, s.wire_bytes_max,
       row_number() OVER () - 1 AS turn, count(*) OVER () AS turns
  FROM jsonb_to_recordset($1::jsonb) AS s (
    document_type text, payload jsonb, totals jsonb, parent_reference_id text, parent_authority_uuid text,
    wire_bytes_max integer)`;

/** Queues documents in batches of 100, alternating between tenants. $1 tenants, $2 batches. */
export const FILL_QUEUE = /* sql */ `
WITH batch AS MATERIALIZED (
  SELECT ($1::uuid[])[1 + number % cardinality($1::uuid[])] AS tenant_id, uuidv7() AS id, number,
         now() - interval '1 hour' + number * interval '1 millisecond' AS created_at
    FROM generate_series(0, $2::integer - 1) AS number),
planned AS MATERIALIZED (
  SELECT b.tenant_id, b.id AS batch_id, b.created_at, position, uuidv7() AS document_id, uuidv7() AS transaction_id,
         'INV-' || to_char(b.number, 'FM00000000') || '-' || to_char(position, 'FM000') AS reference_id,
         (b.number * 100 + position) % s.turns AS turn
    FROM batch b CROSS JOIN generate_series(0, 99) AS position CROSS JOIN (SELECT turns FROM queue_sample LIMIT 1) AS s),
batches AS (
  INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, supplier, created_at)
  SELECT tenant_id, id, 'sandbox', 'non-consolidated', 100,
         jsonb_build_object(
           'name', name, 'tin', tin, 'idType', id_type, 'idValue', id_value, 'sstNumber', sst_number,
           'ttxNumber', ttx_number, 'msic', msic, 'activity', activity,
           'addressLines', to_jsonb(array_remove(ARRAY[address_line1, nullif(address_line2, '')], NULL)),
           'city', city, 'postcode', postcode, 'stateCode', state_code, 'country', country, 'phone', phone,
           'email', email, 'defaultTaxType', default_tax_type, 'defaultClassification', default_classification),
         batch.created_at
    FROM batch JOIN tenant USING (tenant_id) ORDER BY number),
documents AS (
  INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
  SELECT tenant_id, document_id, 'sandbox', document_type, reference_id, transaction_id, 1, created_at
    FROM planned JOIN queue_sample USING (turn) ORDER BY document_id)
INSERT INTO document_transaction
  (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
   payload, totals, buyer_tin, on_behalf_of, parent_reference_id, parent_authority_uuid, wire_bytes_max, due_at,
   created_at, updated_at)
SELECT tenant_id, transaction_id, 'sandbox', document_id, batch_id, position, 1, document_type, reference_id,
       jsonb_set(payload, '{referenceId}', to_jsonb(reference_id)), totals, 'C' || 200000000 + (turn * 104729) % 50000 || '0',
       (SELECT tin FROM tenant WHERE tenant.tenant_id = planned.tenant_id), parent_reference_id, parent_authority_uuid, wire_bytes_max, created_at,
       created_at, created_at
  FROM planned JOIN queue_sample USING (turn) ORDER BY transaction_id`;

/** Queues the same payloads as jobs of graphile-worker. $1 jobs. */
export const FILL_GRAPHILE = /* sql */ `
SELECT count(graphile_worker.add_job('document', s.payload::json))
  FROM generate_series(0, $1::integer - 1) AS number
  JOIN queue_sample s ON s.turn = number % s.turns`;

/** Payloads for a job queue that inserts its own jobs. */
export const READ_PAYLOADS = /* sql */ `SELECT payload FROM queue_sample ORDER BY turn`;

export const COUNT_MOVED = /* sql */ `
SELECT (SELECT count(*)::integer FROM document_transaction
         WHERE submission_status = 'Submitted' AND authority_uuid IS NOT NULL) AS submitted,
       (SELECT count(*)::integer FROM document_transaction WHERE submission_status = 'Processing') AS processing,
       (SELECT count(*)::integer FROM status_event) AS events,
       (SELECT count(*)::integer FROM authority_document WHERE may_have_arrived) AS arrived`;

/** Also resets the floors of the tenant queues, which would hide the documents of the next fill. */
export const EMPTY_QUEUE = /* sql */ `
TRUNCATE status_event, authority_document, document_cancellation, document_transaction, document, submission_batch,
  authority_submission CASCADE;
UPDATE tenant_queue SET floor_due_at = '-infinity'`;
