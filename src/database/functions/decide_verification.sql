-- Stores an operator's decision about a verification, or returns why it was not stored. p_seen contains the facts that
-- the operator saw, and is null for a command. The row lock on the tenant serialises decisions.
CREATE OR REPLACE FUNCTION decide_verification(
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
  IF v_current.status = p_status AND v_current.is_shared = p_is_shared THEN
    RETURN 'repeated';
  END IF;
  IF p_status = 'verified' AND NOT p_is_shared
     AND EXISTS (
       SELECT FROM taxpayer_verification
        WHERE tin = v_tenant.tin AND environment = p_environment AND status = 'verified'
          AND tenant_id <> p_tenant_id) THEN
    RETURN 'taken';
  END IF;
  INSERT INTO taxpayer_verification
    (tenant_id, environment, tin, id_type, id_value, status, is_shared, reason, decided_by, updated_at)
  VALUES (p_tenant_id, p_environment, v_tenant.tin, v_tenant.id_type, v_tenant.id_value, p_status, p_is_shared,
          p_reason, p_decided_by, service_now())
  ON CONFLICT (tenant_id, environment, tin, id_type, id_value) DO UPDATE
     SET status = excluded.status, is_shared = excluded.is_shared, reason = excluded.reason,
         decided_by = excluded.decided_by, updated_at = excluded.updated_at;
  RETURN 'decided';
EXCEPTION WHEN unique_violation THEN
  RETURN 'taken';
END $$;

REVOKE ALL ON FUNCTION decide_verification FROM PUBLIC;
GRANT EXECUTE ON FUNCTION decide_verification TO einvoice_operator;
