/**
 * Whom an attempt represents, and what the authority tells documents apart by. Each statement commits by itself, so
 * that none holds a lock of the build that is running for longer than it takes, and can be run again: a migration that
 * was ended in the middle goes on where it was.
 */
export const DOCUMENT_IDENTITY_COLUMNS: readonly string[] = [
  /* sql */ `
-- The taxpayer as documents are built with it: a batch keeps what its tenant said of itself when it was accepted.
ALTER TABLE submission_batch ADD COLUMN IF NOT EXISTS supplier jsonb`,
  /* sql */ `
-- The value of the header "onbehalfof" of every authority call for the attempt, and which form its payload is stored in.
ALTER TABLE document_transaction
  ADD COLUMN IF NOT EXISTS on_behalf_of text,
  ADD COLUMN IF NOT EXISTS payload_version integer NOT NULL DEFAULT 1`,
  /* sql */ `
-- Type, number, supplier TIN and instant of issue are how the authority tells documents apart, whoever submits them.
-- exemption: the nil UUID where no other attempt may have the same four; the attempt's own id where it was built before
-- that was a rule.
ALTER TABLE authority_document
  ADD COLUMN IF NOT EXISTS environment text,
  ADD COLUMN IF NOT EXISTS supplier_tin text,
  ADD COLUMN IF NOT EXISTS document_type text,
  ADD COLUMN IF NOT EXISTS reference_id text,
  ADD COLUMN IF NOT EXISTS exemption uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  ADD COLUMN IF NOT EXISTS answer_lost boolean NOT NULL DEFAULT false`,
];

export const DOCUMENT_IDENTITY_FUNCTIONS = /* sql */ `
CREATE OR REPLACE FUNCTION on_behalf_of(p_tin text, p_id_type text, p_id_value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_tin LIKE 'IG%' AND p_id_type = 'BRN' THEN p_tin || ':' || p_id_value ELSE p_tin END
$$;

-- What a tenant says of itself now, in the members of a supplier.
CREATE OR REPLACE FUNCTION supplier_of(p_tenant_id uuid) RETURNS jsonb LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT jsonb_build_object(
           'name', t.name, 'tin', t.tin, 'idType', t.id_type, 'idValue', t.id_value, 'sstNumber', t.sst_number,
           'ttxNumber', t.ttx_number, 'msic', t.msic, 'activity', t.activity,
           'addressLines', to_jsonb(array_remove(ARRAY[t.address_line1, nullif(t.address_line2, '')], NULL)),
           'city', t.city, 'postcode', t.postcode, 'stateCode', t.state_code, 'country', t.country, 'phone', t.phone,
           'email', t.email, 'defaultTaxType', t.default_tax_type, 'defaultClassification', t.default_classification)
    FROM tenant t WHERE t.tenant_id = p_tenant_id
$$;

-- Of built bytes: the id of the supplier that has this scheme.
CREATE OR REPLACE FUNCTION built_supplier_id(p_bytes bytea, p_scheme text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_path_query_first(convert_from(p_bytes, 'UTF8')::jsonb,
    '$.Invoice[0].AccountingSupplierParty[0].Party[0].PartyIdentification[*].ID[*] ? (@.schemeID == $scheme)._',
    jsonb_build_object('scheme', p_scheme)) #>> '{}'
$$;

-- For rows of a build that does not know these columns; those of this build say them themselves.
CREATE OR REPLACE FUNCTION fill_document_identity() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  SELECT t.environment, t.document_type, t.reference_id INTO NEW.environment, NEW.document_type, NEW.reference_id
    FROM document_transaction t WHERE t.tenant_id = NEW.tenant_id AND t.id = NEW.transaction_id;
  NEW.supplier_tin := coalesce(built_supplier_id(NEW.bytes, 'TIN'), '');
  NEW.exemption := NEW.transaction_id;
  RETURN NEW;
END $$;

-- The instants at which documents of these numbers and types were issued in the name of a TIN, by any tenant. Two claims
-- for one TIN follow each other from here on: what the first has taken, the second sees. Nothing else takes this lock, and
-- it is the last that a claim takes, so that it closes no circle.
CREATE OR REPLACE FUNCTION taken_instants(p_environment text, p_supplier_tin text, p_types text[], p_reference_ids text[])
RETURNS TABLE (document_type text, reference_id text, issued_at timestamptz)
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('issue instants|' || p_environment || '|' || p_supplier_tin, 0));
  RETURN QUERY
  SELECT w.document_type, w.reference_id, a.issued_at
    FROM unnest(p_types, p_reference_ids) AS w (document_type, reference_id)
   CROSS JOIN LATERAL (
     SELECT d.issued_at FROM authority_document d
      WHERE d.environment = p_environment AND d.supplier_tin = p_supplier_tin
        AND d.document_type = w.document_type AND d.reference_id = w.reference_id OFFSET 0) a;
END $$;

-- Whether an attempt's bytes say what this text says: JSON with members in any order, and decimals by their value. Runs as
-- the owner, for roles that may not read what documents say; a text that is not JSON is a different document.
CREATE OR REPLACE FUNCTION is_built_as(p_tenant_id uuid, p_transaction_id uuid, p_text text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN coalesce((
    SELECT convert_from(a.bytes, 'UTF8')::jsonb = p_text::jsonb FROM authority_document a
     WHERE a.tenant_id = p_tenant_id AND a.transaction_id = p_transaction_id), false);
EXCEPTION WHEN data_exception THEN
  RETURN false;
END $$;
`;

export const DOCUMENT_IDENTITY_TRIGGER = /* sql */ `
CREATE OR REPLACE TRIGGER authority_document_identity BEFORE INSERT ON authority_document
  FOR EACH ROW WHEN (NEW.supplier_tin IS NULL) EXECUTE FUNCTION fill_document_identity()`;

export const DOCUMENT_IDENTITY_RIGHTS = /* sql */ `
REVOKE ALL ON FUNCTION on_behalf_of(text, text, text), supplier_of(uuid), built_supplier_id(bytea, text),
  fill_document_identity(), taken_instants(text, text, text[], text[]), is_built_as(uuid, uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION on_behalf_of(text, text, text), supplier_of(uuid) TO einvoice_app;
GRANT EXECUTE ON FUNCTION on_behalf_of(text, text, text), built_supplier_id(bytea, text), fill_document_identity(),
  taken_instants(text, text, text[], text[]), is_built_as(uuid, uuid, text) TO einvoice_dispatcher;
GRANT EXECUTE ON FUNCTION is_built_as(uuid, uuid, text) TO einvoice_operator;

GRANT SELECT (on_behalf_of) ON document_transaction TO einvoice_operator;
GRANT SELECT (environment, supplier_tin, document_type, reference_id, issued_at) ON authority_document TO einvoice_operator;
GRANT UPDATE (answer_lost) ON authority_document TO einvoice_operator;
`;

export const STORE_SUBMISSION = /* sql */ `
-- As before, and a batch keeps its supplier, each of its attempts whom it represents. An API of the build before says
-- neither: then it is what the tenant's profile says now.
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
    SELECT * FROM jsonb_to_recordset(p_work->'documents') AS i (
      "position" integer, document_id uuid, transaction_id uuid, attempt integer,
      document_type text, reference_id text, payload jsonb, totals jsonb, buyer_tin text,
      parent_reference_id text, parent_authority_uuid text, held_until timestamptz, wire_bytes_max integer)),
  new_document AS (
    INSERT INTO document (tenant_id, id, environment, document_type, reference_id, transaction_id, attempts, created_at)
    SELECT p_tenant_id, document_id, p_environment, document_type, reference_id, transaction_id, 1, p_now
      FROM input WHERE attempt = 1 ORDER BY document_type, reference_id),
  resubmitted AS (
    UPDATE document d SET transaction_id = i.transaction_id, attempts = i.attempt
      FROM input i WHERE i.attempt > 1 AND d.tenant_id = p_tenant_id AND d.id = i.document_id),
  batch AS (
    INSERT INTO submission_batch (tenant_id, id, environment, submission_type, document_count, supplier, created_at)
    SELECT p_tenant_id, p_batch_id, p_environment, p_work->>'submissionType', count(*), v_supplier, p_now FROM input),
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
END $$;
`;

/** $1 and $2 are the last row of the batch before. */
export const FILL_DOCUMENTS = /* sql */ `
WITH batch AS MATERIALIZED (
  SELECT tenant_id, transaction_id FROM authority_document
   WHERE (tenant_id, transaction_id) > ($1::uuid, $2::uuid)
   ORDER BY tenant_id, transaction_id LIMIT 500),
filled AS (
  UPDATE authority_document a
     SET environment = t.environment, document_type = t.document_type, reference_id = t.reference_id,
         supplier_tin = coalesce(built_supplier_id(a.bytes, 'TIN'), ''), exemption = a.transaction_id,
         answer_lost = EXISTS (
           SELECT FROM status_event e
            WHERE e.tenant_id = a.tenant_id AND e.transaction_id = a.transaction_id AND e.cause = 'operator_resend')
    FROM batch b JOIN document_transaction t ON t.tenant_id = b.tenant_id AND t.id = b.transaction_id
   WHERE a.tenant_id = b.tenant_id AND a.transaction_id = b.transaction_id AND a.supplier_tin IS NULL)
SELECT tenant_id AS "tenantId", transaction_id AS id FROM batch ORDER BY tenant_id DESC, transaction_id DESC LIMIT 1`;

// What was built says whom it represents; what was not is built as the tenant's profile says now. An update of an
// attempt raises no version: nothing that a client sees has changed.
export const FILL_TRANSACTIONS = /* sql */ `
WITH batch AS MATERIALIZED (
  SELECT tenant_id, id FROM document_transaction
   WHERE (tenant_id, id) > ($1::uuid, $2::uuid) ORDER BY tenant_id, id LIMIT 500),
locked AS MATERIALIZED (
  SELECT t.tenant_id, t.id FROM batch b JOIN document_transaction t USING (tenant_id, id)
   WHERE t.on_behalf_of IS NULL ORDER BY t.id FOR UPDATE OF t),
filled AS (
  UPDATE document_transaction t
     SET on_behalf_of = coalesce(
           on_behalf_of(built_supplier_id(a.bytes, 'TIN'), 'BRN', built_supplier_id(a.bytes, 'BRN')),
           on_behalf_of(built_supplier_id(a.bytes, 'TIN'), NULL, NULL),
           on_behalf_of(o.tin, o.id_type, o.id_value), '')
    FROM locked l
    JOIN tenant o ON o.tenant_id = l.tenant_id
    LEFT JOIN authority_document a ON a.tenant_id = l.tenant_id AND a.transaction_id = l.id
   WHERE t.tenant_id = l.tenant_id AND t.id = l.id)
SELECT tenant_id AS "tenantId", id FROM batch ORDER BY tenant_id DESC, id DESC LIMIT 1`;

export const FILL_BATCHES = /* sql */ `
UPDATE submission_batch b SET supplier = supplier_of(b.tenant_id)
 WHERE b.supplier IS NULL AND EXISTS (
   SELECT FROM document_transaction t
    WHERE t.tenant_id = b.tenant_id AND t.submission_batch_id = b.id
      AND t.submission_status IN ('Queued', 'Processing'))`;

/** A column that is filled becomes NOT NULL without a scan under the table's lock. */
export function notNull(table: string, columns: readonly string[]): string[] {
  const name = `ck_${table}_filled`;
  return [
    `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}`,
    `ALTER TABLE ${table} ADD CONSTRAINT ${name} CHECK (${columns.map((column) => `${column} IS NOT NULL`).join(' AND ')}) NOT VALID`,
    `ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`,
    `ALTER TABLE ${table} ${columns.map((column) => `ALTER COLUMN ${column} SET NOT NULL`).join(', ')}`,
    `ALTER TABLE ${table} DROP CONSTRAINT ${name}`,
  ];
}
