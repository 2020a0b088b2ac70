/** The parts of migration 1797000002600, each of which can be run again. */

const ISOLATION = (table: string): string => /* sql */ `
ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
DROP POLICY IF EXISTS tenant_isolation ON ${table};
CREATE POLICY tenant_isolation ON ${table} TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
GRANT SELECT, INSERT ON ${table} TO einvoice_app;`;

// Compared byte by byte, so that a prefix is a range on every server.
export const SEARCH_COLUMNS = /* sql */ `
ALTER TABLE document
  ADD COLUMN IF NOT EXISTS number_key text COLLATE "C",
  ADD COLUMN IF NOT EXISTS document_date date,
  ADD COLUMN IF NOT EXISTS payable_sen bigint`;

/** As the file of this name has it afterwards: what is stored before is compared in the same way. */
export const SEARCH_KEY = /* sql */ `
CREATE OR REPLACE FUNCTION search_key(p_text text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(p_text) = length(p_text) THEN upper(p_text COLLATE "C")
              ELSE upper(replace(translate(regexp_replace(normalize(p_text COLLATE "C", NFKD),
    '[\\u00ad\\u0300-\\u036f\\u180e\\u1ab0-\\u1aff\\u1dc0-\\u1dff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u20d0-\\u20ff\\ufe00-\\ufe0f\\ufe20-\\ufe2f\\ufeff]+',
    '', 'g'),
    '‐‑‒–—―−‘’‚‛“”„øØłŁđĐħĦŧŦıæœαβγδεζηθικλμνξοπρσςτυφχψωабвгдежзиклмнопрстуфхцчшщъыьэюяєіјљњђћџґ',
    '-------''''''''"""OOLLDDHHTTIÆŒΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΣΤΥΦΧΨΩАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІЈЉЊЂЋЏҐ'),
    'ß', 'SS')) END
$$;

REVOKE ALL ON FUNCTION search_key FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search_key TO einvoice_app;`;

export const SEARCH_TABLES = [
  /* sql */ `GRANT UPDATE (document_date, payable_sen) ON document TO einvoice_app`,
  /* sql */ `
CREATE TABLE IF NOT EXISTS buyer (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  tin text COLLATE "C" NOT NULL,
  name text NOT NULL,
  CONSTRAINT pk_buyer PRIMARY KEY (tenant_id, environment, tin, name)
);
${ISOLATION('buyer')}`,
  /* sql */ `
CREATE TABLE IF NOT EXISTS buyer_word (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  word text COLLATE "C" NOT NULL,
  tin text COLLATE "C" NOT NULL,
  CONSTRAINT pk_buyer_word PRIMARY KEY (tenant_id, environment, word, tin)
);
${ISOLATION('buyer_word')}`,
] as const;

/** What the builds before accept from now on is found as well. */
export const STORE_SUBMISSION = /* sql */ `
CREATE OR REPLACE FUNCTION store_submission(
  p_tenant_id uuid, p_environment text, p_batch_id uuid, p_now timestamptz, p_ground jsonb, p_work jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_types text[] := ARRAY(SELECT jsonb_array_elements_text(p_ground->'types'));
  v_reference_ids text[] := ARRAY(SELECT jsonb_array_elements_text(p_ground->'referenceIds'));
  v_authority_uuids text[] := ARRAY(SELECT jsonb_array_elements_text(p_ground->'authorityUuids'));
  v_supplier jsonb := coalesce(p_work->'supplier', supplier_of(p_tenant_id));
  v_on_behalf_of text := on_behalf_of(v_supplier->>'tin', v_supplier->>'idType', v_supplier->>'idValue');
  v_payload_version integer := coalesce((p_work->>'payloadVersion')::integer, 1);
BEGIN
  IF p_ground ? 'tenantVersion' AND (
       p_ground->>'tenantVersion' IS DISTINCT FROM tenant_version(p_tenant_id, p_environment)
       OR p_now NOT BETWEEN service_now() - interval '5 seconds' AND service_now() + interval '5 seconds'
       OR alike_references(p_environment, ARRAY(SELECT jsonb_array_elements_text(p_ground->'newTypes')),
            ARRAY(SELECT jsonb_array_elements_text(p_ground->'newReferenceIds'))) <> '[]') THEN
    RAISE EXCEPTION 'What this call was decided on must be read again' USING ERRCODE = '40001';
  END IF;
  IF jsonb_array_length(p_ground->'known') > 0 THEN
    PERFORM d.id
       FROM (SELECT k->>'documentType' AS document_type, k->>'referenceId' AS reference_id
               FROM jsonb_array_elements(p_ground->'known') AS k ORDER BY 1, 2) w
      CROSS JOIN LATERAL (
        SELECT id FROM document
         WHERE tenant_id = p_tenant_id AND environment = p_environment
           AND document_type = w.document_type AND reference_id = w.reference_id
           FOR UPDATE) d;
    IF known_documents(p_tenant_id, p_environment, v_types, v_reference_ids, v_authority_uuids) <> p_ground->'known' THEN
      RAISE EXCEPTION 'The documents of this call have changed since they were read' USING ERRCODE = '40001';
    END IF;
  END IF;
  WITH input AS MATERIALIZED (
    SELECT *, (payload->>'documentDate')::date AS document_date, payload#>>'{recipient,name}' AS buyer_name,
           ((totals->>'totalPayableAmount')::numeric * 100)::bigint AS payable_sen
      FROM jsonb_to_recordset(p_work->'documents') AS i (
      "position" integer, document_id uuid, transaction_id uuid, attempt integer,
      document_type text, reference_id text, payload jsonb, totals jsonb, buyer_tin text,
      parent_reference_id text, parent_authority_uuid text, held_until timestamptz, wire_bytes_max integer)),
  new_document AS (
    INSERT INTO document
      (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, number_key, document_date,
       payable_sen, created_at)
    SELECT p_tenant_id, document_id, p_environment, document_type, reference_id, transaction_id, 1,
           search_key(reference_id), document_date, payable_sen, p_now
      FROM input WHERE attempt = 1 ORDER BY document_type, reference_id),
  resubmitted AS (
    UPDATE document d SET transaction_id = i.transaction_id, attempts = i.attempt, document_date = i.document_date,
           payable_sen = i.payable_sen
      FROM input i WHERE i.attempt > 1 AND d.tenant_id = p_tenant_id AND d.id = i.document_id),
  batch AS (
    INSERT INTO submission_batch
      (tenant_id, id, environment, submission_type, document_count, supplier, api_key_id, user_id, traceparent,
       created_at)
    SELECT p_tenant_id, p_batch_id, p_environment, p_work->>'submissionType', count(*), v_supplier,
           (p_work->>'keyId')::uuid, (p_work->>'userId')::uuid, p_work->>'traceparent', p_now FROM input),
  new_buyer AS (
    INSERT INTO buyer (tenant_id, environment, tin, name)
    SELECT DISTINCT p_tenant_id, p_environment, buyer_tin, buyer_name FROM input WHERE buyer_name IS NOT NULL
     ORDER BY buyer_tin, buyer_name
    ON CONFLICT DO NOTHING RETURNING tin, name),
  new_word AS (
    INSERT INTO buyer_word (tenant_id, environment, word, tin)
    SELECT DISTINCT p_tenant_id, p_environment, left(word, 50) AS word, tin
      FROM new_buyer
     CROSS JOIN LATERAL regexp_split_to_table(search_key(name), '[ -/:-@[-\`{-~]+') AS word
     WHERE word <> '' ORDER BY word, tin
    ON CONFLICT DO NOTHING),
  lane AS (
    INSERT INTO dispatch_lane (tenant_id, environment, operation, served_at)
    VALUES (p_tenant_id, p_environment, 'submit', p_now) ON CONFLICT DO NOTHING)
  INSERT INTO document_transaction
    (tenant_id, id, environment, document_id, submission_batch_id, "position", attempt, document_type, reference_id,
     payload, payload_version, totals, buyer_tin, on_behalf_of, parent_reference_id, parent_authority_uuid, held_until,
     wire_bytes_max, due_at, created_at, updated_at)
  SELECT p_tenant_id, transaction_id, p_environment, document_id, p_batch_id, "position", attempt, document_type,
         reference_id, payload, v_payload_version, totals, buyer_tin, v_on_behalf_of, parent_reference_id,
         parent_authority_uuid, held_until, wire_bytes_max, p_now, p_now, p_now
    FROM input;
END $$`;

/**
 * $1 and $2 are the last row of the batch before. A document that is submitted again at the same time keeps what its new
 * attempt says.
 */
export const FILL_SEARCH = /* sql */ `
WITH batch AS MATERIALIZED (
  SELECT tenant_id, id, document_id, environment, buyer_tin, payload, totals
    FROM document_transaction
   WHERE (tenant_id, id) > ($1::uuid, $2::uuid) ORDER BY tenant_id, id LIMIT 1000),
filled AS (
  UPDATE document d
     SET number_key = search_key(d.reference_id),
         document_date = (b.payload->>'documentDate')::date,
         payable_sen = ((b.totals->>'totalPayableAmount')::numeric * 100)::bigint
    FROM batch b
   WHERE d.tenant_id = b.tenant_id AND d.id = b.document_id AND d.transaction_id = b.id AND d.number_key IS NULL),
new_buyer AS (
  INSERT INTO buyer (tenant_id, environment, tin, name)
  SELECT DISTINCT tenant_id, environment, buyer_tin, payload#>>'{recipient,name}' AS name
    FROM batch WHERE payload#>>'{recipient,name}' IS NOT NULL ORDER BY tenant_id, environment, buyer_tin, name
  ON CONFLICT DO NOTHING RETURNING tenant_id, environment, tin, name),
new_word AS (
  INSERT INTO buyer_word (tenant_id, environment, word, tin)
  SELECT DISTINCT tenant_id, environment, left(word, 50) AS word, tin
    FROM new_buyer
   CROSS JOIN LATERAL regexp_split_to_table(search_key(name), '[ -/:-@[-\`{-~]+') AS word
   WHERE word <> '' ORDER BY tenant_id, environment, word, tin
  ON CONFLICT DO NOTHING)
SELECT tenant_id AS "tenantId", id FROM batch ORDER BY tenant_id DESC, id DESC LIMIT 1`;

/**
 * Each serves one condition or one order, and names the last attempt. They are partial so that no other statement, which
 * may be planned while the table is empty, takes one for its own.
 */
export const SEARCH_INDEXES = {
  ix_document_number: 'document (tenant_id, environment, number_key) WHERE number_key IS NOT NULL',
  ix_document_date: 'document (tenant_id, environment, document_date, transaction_id) WHERE document_date IS NOT NULL',
  ix_document_amount: 'document (tenant_id, environment, payable_sen, transaction_id) WHERE payable_sen IS NOT NULL',
} as const;
