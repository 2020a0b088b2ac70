/**
 * Which API key or which user accepted calls came from, and who made each API key. Each statement can be run again.
 * None refers to api_key or user_account by a foreign key: neither loses rows, and the check would lock the row of the
 * one key that all calls of a tenant come with.
 */
export const ACTOR_COLUMNS: readonly string[] = [
  /* sql */ `
-- Both null: accepted by a build that did not record it.
ALTER TABLE submission_batch ADD COLUMN IF NOT EXISTS api_key_id uuid, ADD COLUMN IF NOT EXISTS user_id uuid`,
  /* sql */ `
ALTER TABLE document_cancellation ADD COLUMN IF NOT EXISTS api_key_id uuid, ADD COLUMN IF NOT EXISTS user_id uuid`,
  /* sql */ `
-- Null: made by an operator's command.
ALTER TABLE api_key ADD COLUMN IF NOT EXISTS created_by uuid`,
];

/** A row comes from a key or from a user; validated apart, so that the table is read without its lock. */
export function oneActor(table: string): string[] {
  const name = `ck_${table}_actor`;
  return [
    `ALTER TABLE ${table} DROP CONSTRAINT IF EXISTS ${name}`,
    `ALTER TABLE ${table} ADD CONSTRAINT ${name} CHECK (api_key_id IS NULL OR user_id IS NULL) NOT VALID`,
    `ALTER TABLE ${table} VALIDATE CONSTRAINT ${name}`,
  ];
}

/** For keys that the build before makes: it enters them in the audit log, and does not know the column. */
export const KEY_CREATOR = /* sql */ `
CREATE OR REPLACE FUNCTION fill_key_creator() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE api_key SET created_by = NEW.user_id
   WHERE tenant_id = NEW.tenant_id AND created_by IS NULL
     AND id::text = CASE NEW.action WHEN 'key.rotated' THEN NEW.details->>'newKeyId' ELSE NEW.details->>'keyId' END;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION fill_key_creator() FROM PUBLIC;
CREATE OR REPLACE TRIGGER audit_entry_key_creator AFTER INSERT ON audit_entry
  FOR EACH ROW WHEN (NEW.user_id IS NOT NULL AND NEW.action IN ('key.created', 'key.rotated'))
  EXECUTE FUNCTION fill_key_creator();
`;

/** The keys that are there, by the audit log. */
export const FILL_KEY_CREATORS = /* sql */ `
UPDATE api_key k SET created_by = a.user_id
  FROM audit_entry a
 WHERE k.created_by IS NULL AND a.tenant_id = k.tenant_id AND a.user_id IS NOT NULL
   AND a.action IN ('key.created', 'key.rotated')
   AND k.id::text = CASE a.action WHEN 'key.rotated' THEN a.details->>'newKeyId' ELSE a.details->>'keyId' END`;

export const STORE_WITH_ACTOR = /* sql */ `
-- As before, and a batch keeps the key or the user that it came from. An API of the build before says neither.
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
    INSERT INTO submission_batch
      (tenant_id, id, environment, submission_type, document_count, supplier, api_key_id, user_id, created_at)
    SELECT p_tenant_id, p_batch_id, p_environment, p_work->>'submissionType', count(*), v_supplier,
           (p_work->>'keyId')::uuid, (p_work->>'userId')::uuid, p_now FROM input),
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

-- Likewise a cancellation.
CREATE OR REPLACE FUNCTION store_cancellation(
  p_tenant_id uuid, p_environment text, p_cancellation_id uuid, p_now timestamptz, p_ground jsonb, p_work jsonb)
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_document_id uuid := p_ground->>'documentId';
BEGIN
  PERFORM FROM document
    WHERE tenant_id = p_tenant_id AND environment = p_environment AND id = v_document_id FOR UPDATE;
  IF cancellable_document(p_tenant_id, p_environment, v_document_id) IS DISTINCT FROM p_ground THEN
    RAISE EXCEPTION 'The document of this call has changed since it was read' USING ERRCODE = '40001';
  END IF;
  INSERT INTO document_cancellation
    (tenant_id, id, environment, document_id, transaction_id, reason, deadline_at, api_key_id, user_id,
     due_at, created_at, updated_at)
  VALUES (p_tenant_id, p_cancellation_id, p_environment, v_document_id, (p_ground->>'transactionId')::uuid,
          p_work->>'reason', (p_work->>'deadlineAt')::timestamptz, (p_work->>'keyId')::uuid, (p_work->>'userId')::uuid,
          p_now, p_now, p_now);
END $$;
`;
