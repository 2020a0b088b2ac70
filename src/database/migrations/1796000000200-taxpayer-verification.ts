import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who was verified for a TIN, in each environment (docs/decisions/0053). A tenant without a row for the TIN and id of
 * its profile is unverified. A row of a TIN that the profile no longer has is kept only when it is a refusal.
 */
const TABLE = /* sql */ `
CREATE TABLE taxpayer_verification (
  tenant_id uuid NOT NULL,
  environment text NOT NULL,
  tin text NOT NULL,
  id_type text NOT NULL,
  id_value text NOT NULL,
  status text NOT NULL,
  is_shared boolean NOT NULL DEFAULT false,
  reason text,
  decided_by text,
  updated_at timestamptz NOT NULL,
  CONSTRAINT pk_taxpayer_verification PRIMARY KEY (tenant_id, environment, tin, id_type, id_value),
  CONSTRAINT fk_taxpayer_verification_tenant FOREIGN KEY (tenant_id) REFERENCES tenant (tenant_id),
  CONSTRAINT ck_taxpayer_verification_status CHECK (status IN ('waiting', 'verified', 'refused')),
  CONSTRAINT ck_taxpayer_verification_decision CHECK ((status = 'waiting') = (decided_by IS NULL)),
  CONSTRAINT ck_taxpayer_verification_reason CHECK ((status = 'refused') = (reason IS NOT NULL)),
  CONSTRAINT ck_taxpayer_verification_shared CHECK (status = 'verified' OR NOT is_shared)
);
-- Of two organisations that are verified for one TIN at the same moment, this lets one win.
CREATE UNIQUE INDEX uq_taxpayer_verification_tin ON taxpayer_verification (environment, tin)
  WHERE status = 'verified' AND NOT is_shared;
CREATE INDEX ix_taxpayer_verification_tin ON taxpayer_verification (tin, environment);
CREATE INDEX ix_tenant_tin ON tenant (tin);
`;

/** No role writes the table: the functions below do. */
const SECURITY = /* sql */ `
ALTER TABLE taxpayer_verification ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON taxpayer_verification TO einvoice_app
  USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
  WITH CHECK (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
CREATE POLICY operator ON taxpayer_verification TO einvoice_operator USING (true) WITH CHECK (true);
CREATE POLICY operator ON appointment_check TO einvoice_operator USING (true) WITH CHECK (true);
GRANT SELECT ON taxpayer_verification TO einvoice_app, einvoice_operator;
GRANT SELECT ON appointment_check TO einvoice_operator;
`;

/** Ends what was decided for another TIN or id, whichever statement of whichever build changes them. */
const ENDING = /* sql */ `
CREATE FUNCTION end_verification() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  -- Refusals are kept, so that a change to another TIN and back does not take one away.
  DELETE FROM taxpayer_verification WHERE tenant_id = NEW.tenant_id AND status <> 'refused';
  -- What the authority confirmed before is asked again, also of the TIN that comes back.
  UPDATE appointment_check SET confirmed_tin = NULL, confirmed_id_type = NULL, confirmed_id_value = NULL
   WHERE tenant_id = NEW.tenant_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION end_verification() FROM PUBLIC;
CREATE TRIGGER tenant_end_verification AFTER UPDATE OF tin, id_type, id_value ON tenant
  FOR EACH ROW
  WHEN ((OLD.tin, OLD.id_type, OLD.id_value) IS DISTINCT FROM (NEW.tin, NEW.id_type, NEW.id_value))
  EXECUTE FUNCTION end_verification();
`;

const FUNCTIONS = /* sql */ `
-- Runs inside the functions below, which see the rows of all tenants.
CREATE FUNCTION is_tin_verified_elsewhere(p_tenant_id uuid, p_environment text, p_tin text)
RETURNS boolean LANGUAGE sql STABLE SET search_path = public, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM taxpayer_verification
     WHERE tin = p_tin AND environment = p_environment AND status = 'verified' AND tenant_id <> p_tenant_id)
$$;

-- An organisation whose profile is complete asks to be verified: runs as the owner, since only the rows of all tenants
-- show whether the TIN is verified elsewhere. It concerns the tenant that the transaction has set, and gives the new
-- status, or null when nothing changed: the appointment check did not succeed for this TIN and id, or it was decided.
-- The sandbox verifies by itself, unless the TIN is verified for another organisation or was refused to this one.
CREATE FUNCTION request_verification(p_environment text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_tenant tenant%ROWTYPE;
  v_status text := 'waiting';
BEGIN
  SELECT * INTO v_tenant FROM tenant
   WHERE tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid FOR NO KEY UPDATE;
  IF NOT EXISTS (
    SELECT FROM appointment_check
     WHERE tenant_id = v_tenant.tenant_id AND environment = p_environment AND is_appointed
       AND (confirmed_tin, confirmed_id_type, confirmed_id_value)
         = (v_tenant.tin, v_tenant.id_type, v_tenant.id_value)) THEN
    RETURN NULL;
  END IF;
  IF p_environment = 'sandbox'
     AND NOT is_tin_verified_elsewhere(v_tenant.tenant_id, p_environment, v_tenant.tin)
     AND NOT EXISTS (
       SELECT FROM taxpayer_verification
        WHERE tenant_id = v_tenant.tenant_id AND environment = p_environment AND tin = v_tenant.tin
          AND status = 'refused') THEN
    v_status := 'verified';
  END IF;
  LOOP
    BEGIN
      INSERT INTO taxpayer_verification AS v
        (tenant_id, environment, tin, id_type, id_value, status, decided_by, updated_at)
      VALUES (v_tenant.tenant_id, p_environment, v_tenant.tin, v_tenant.id_type, v_tenant.id_value, v_status,
              CASE v_status WHEN 'verified' THEN 'automatic verification' END, service_now())
      ON CONFLICT (tenant_id, environment, tin, id_type, id_value) DO UPDATE
         SET status = excluded.status, decided_by = excluded.decided_by, updated_at = excluded.updated_at
       WHERE v.status = 'waiting' AND excluded.status = 'verified'
      RETURNING v.status INTO v_status;
      RETURN CASE WHEN FOUND THEN v_status END;
    EXCEPTION WHEN unique_violation THEN
      -- Another organisation was verified for the TIN in this moment: once more, to wait for an operator.
      v_status := 'waiting';
    END;
  END LOOP;
END $$;

-- An operator decides, or a command of one. p_seen is what the operator decided on, and null for a command: a profile
-- or a status that has changed since is not decided. Two decisions about one organisation wait for each other at its
-- row. Gives what came of it: decided, or why not, and then nothing is changed.
CREATE FUNCTION decide_verification(
  p_tenant_id uuid, p_environment text, p_status text, p_is_shared boolean, p_reason text, p_decided_by text,
  p_seen jsonb)
RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_tenant tenant%ROWTYPE;
  v_current taxpayer_verification%ROWTYPE;
BEGIN
  SELECT * INTO v_tenant FROM tenant WHERE tenant_id = p_tenant_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN 'unknown';
  END IF;
  IF v_tenant.tin IS NULL OR v_tenant.id_type IS NULL OR v_tenant.id_value IS NULL THEN
    RETURN 'incomplete';
  END IF;
  SELECT * INTO v_current FROM taxpayer_verification
   WHERE tenant_id = p_tenant_id AND environment = p_environment
     AND (tin, id_type, id_value) = (v_tenant.tin, v_tenant.id_type, v_tenant.id_value);
  IF p_seen <> jsonb_build_object(
       'tin', v_tenant.tin, 'idType', v_tenant.id_type, 'idValue', v_tenant.id_value,
       'status', coalesce(v_current.status, 'unverified')) THEN
    RETURN 'changed';
  END IF;
  IF v_current.status = p_status AND v_current.is_shared = p_is_shared
     AND v_current.decided_by IS DISTINCT FROM 'migration' THEN
    RETURN 'repeated';
  END IF;
  IF p_status = 'verified' AND NOT p_is_shared
     AND is_tin_verified_elsewhere(p_tenant_id, p_environment, v_tenant.tin) THEN
    RETURN 'taken';
  END IF;
  INSERT INTO taxpayer_verification
    (tenant_id, environment, tin, id_type, id_value, status, is_shared, reason, decided_by, updated_at)
  VALUES (p_tenant_id, p_environment, v_tenant.tin, v_tenant.id_type, v_tenant.id_value, p_status, p_is_shared,
          p_reason, p_decided_by, service_now())
  ON CONFLICT (tenant_id, environment, tin, id_type, id_value) DO UPDATE
     SET status = excluded.status, is_shared = excluded.is_shared, reason = excluded.reason, decided_by = excluded.decided_by,
         updated_at = excluded.updated_at;
  RETURN 'decided';
EXCEPTION WHEN unique_violation THEN
  RETURN 'taken';
END $$;

REVOKE ALL ON FUNCTION is_tin_verified_elsewhere(uuid, text, text), request_verification(text),
  decide_verification(uuid, text, text, boolean, text, text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_verification(text) TO einvoice_app;
GRANT EXECUTE ON FUNCTION decide_verification(uuid, text, text, boolean, text, text, jsonb) TO einvoice_operator;

-- As before, with the verification among the tenant's members: its result has the same columns.
CREATE OR REPLACE FUNCTION read_for_submit(
  p_tenant_id uuid, p_environment text, p_key text, p_types text[], p_reference_ids text[], p_authority_uuids text[])
RETURNS TABLE (now timestamptz, body_hash bytea, answer_status integer, answer text, tenant jsonb, known jsonb)
LANGUAGE plpgsql STABLE SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM set_config('app.tenant_id', p_tenant_id::text, true);
  now := service_now();
  SELECT r.body_hash, r.answer_status, r.answer INTO body_hash, answer_status, answer
    FROM idempotency_record r
   WHERE r.tenant_id = p_tenant_id AND r.environment = p_environment AND r.operation = 'submit' AND r.key = p_key;
  SELECT to_jsonb(o) || jsonb_build_object('verification', (
           SELECT jsonb_build_object('status', v.status, 'reason', v.reason) FROM taxpayer_verification v
            WHERE v.tenant_id = o.tenant_id AND v.environment = p_environment
              AND (v.tin, v.id_type, v.id_value) = (o.tin, o.id_type, o.id_value)))
    INTO tenant FROM tenant o WHERE o.tenant_id = p_tenant_id;
  known := '[]';
  IF cardinality(p_types) + cardinality(p_authority_uuids) > 0 THEN
    known := known_documents(p_tenant_id, p_environment, p_types, p_reference_ids, p_authority_uuids);
  END IF;
  RETURN NEXT;
END $$;
`;

/**
 * The organisations that are there. Verified, in each environment: those with a Valid document that was accepted after
 * the last change of their TIN or id, and those that a command made, which no sign-up has in the audit log. Several
 * with one TIN are all marked as shared, for an operator to look at.
 */
const BACKFILL = /* sql */ `
WITH identified AS (
  SELECT t.*, e.environment
    FROM tenant t CROSS JOIN unnest(ARRAY['sandbox', 'production']) AS e (environment)
   WHERE t.tin IS NOT NULL AND t.id_type IS NOT NULL AND t.id_value IS NOT NULL),
verified AS (
  SELECT t.* FROM identified t
   WHERE NOT EXISTS (
           SELECT FROM audit_entry a WHERE a.tenant_id = t.tenant_id AND a.action = 'organisation.created')
      OR EXISTS (
           SELECT FROM unnest(ARRAY['invoice', 'credit_note']) AS k (document_type)
            CROSS JOIN LATERAL (
              SELECT d.created_at FROM document_transaction d
               WHERE d.tenant_id = t.tenant_id AND d.environment = t.environment
                 AND d.document_type = k.document_type
                 AND CASE WHEN d.authority_status IS NULL THEN d.submission_status ELSE d.authority_status END = 'Valid'
               ORDER BY d.id DESC LIMIT 1) latest
            WHERE latest.created_at > coalesce((
              SELECT max(a.at) FROM audit_entry a
               WHERE a.tenant_id = t.tenant_id AND a.action = 'organisation.profile_changed'
                 AND a.details->'changes' ?| ARRAY['tin', 'idType', 'idValue']), '-infinity'))),
stored AS (
  INSERT INTO taxpayer_verification
    (tenant_id, environment, tin, id_type, id_value, status, is_shared, decided_by, updated_at)
  SELECT tenant_id, environment, tin, id_type, id_value, 'verified',
         count(*) OVER (PARTITION BY environment, tin) > 1, 'migration', service_now()
    FROM verified
  RETURNING *)
INSERT INTO audit_entry (tenant_id, id, at, actor, action, subject, details)
SELECT tenant_id,
       (lpad(to_hex((extract(epoch FROM updated_at) * 1000)::bigint), 12, '0')
         || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid,
       updated_at, 'migration', 'verification.verified', tin,
       jsonb_build_object('environment', environment, 'idType', id_type, 'idValue', id_value, 'isShared', is_shared)
  FROM stored;
`;

/** Which TIN and id the authority has confirmed when the appointment was checked; null when it did not know them. */
const APPOINTMENT = /* sql */ `
ALTER TABLE appointment_check
  ADD COLUMN confirmed_tin text, ADD COLUMN confirmed_id_type text, ADD COLUMN confirmed_id_value text;
`;

export class TaxpayerVerification1796000000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statements of [TABLE, SECURITY, ENDING, BACKFILL, APPOINTMENT, FUNCTIONS]) {
      await runner.query(statements);
    }
  }

  /** What was decided about an organisation is not dropped by a command. */
  down(): Promise<void> {
    return Promise.reject(new Error('The verifications cannot be reverted'));
  }
}
