-- Requests the verification of the transaction's tenant. Returns the new status, or null if a decision exists
-- or the appointment check did not confirm this TIN and id. Runs as the owner because other tenants may be
-- verified for the TIN.
CREATE OR REPLACE FUNCTION request_verification(p_environment text) RETURNS text
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
  -- The sandbox verifies automatically, unless another organisation is verified for the TIN or this one was refused.
  IF p_environment = 'sandbox'
     AND NOT EXISTS (
       SELECT FROM taxpayer_verification
        WHERE tin = v_tenant.tin AND environment = p_environment
          AND status = CASE tenant_id WHEN v_tenant.tenant_id THEN 'refused' ELSE 'verified' END) THEN
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
      -- Another organisation was verified for the TIN at the same moment, so an operator decides.
      v_status := 'waiting';
    END;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION request_verification FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_verification TO einvoice_app;
