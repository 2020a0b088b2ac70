-- An organisation whose profile is complete asks to be verified, for the tenant that the
-- transaction has set. Runs as the owner, because only the rows of all tenants show whether the TIN is verified
-- elsewhere. Returns the new status, or null when nothing changed: the appointment check did not succeed for this TIN
-- and id, or it was decided. The sandbox verifies by itself, unless the TIN is verified for another organisation or
-- was refused to this one.
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
  -- Verified for another organisation, or refused to this one.
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
      -- Another organisation was verified for the TIN in this moment: once more, to wait for an operator.
      v_status := 'waiting';
    END;
  END LOOP;
END $$;

REVOKE ALL ON FUNCTION request_verification FROM PUBLIC;
GRANT EXECUTE ON FUNCTION request_verification TO einvoice_app;
