-- Grants the transaction's tenant its first sandbox credits (docs/rules.md#credits). Returns the granted credits, or 0
-- if the tenant has had credits before. Runs as the owner because einvoice_app cannot grant credits.
CREATE OR REPLACE FUNCTION grant_sandbox_credits(p_lot_id uuid, p_credits integer, p_expires_at timestamptz)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_tenant_id uuid := nullif(current_setting('app.tenant_id', true), '')::uuid;
  v_now timestamptz := service_now();
BEGIN
  IF p_credits NOT BETWEEN 1 AND 10000 THEN
    RAISE EXCEPTION 'The API may grant 1 to 10000 credits, not %', p_credits USING ERRCODE = 'check_violation';
  END IF;
  INSERT INTO credit_account (tenant_id, balance, entry_sequence) VALUES (v_tenant_id, p_credits, 1)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  INSERT INTO credit_lot (tenant_id, id, granted, remaining, expires_at, created_at, environment)
  VALUES (v_tenant_id, p_lot_id, p_credits, p_credits, p_expires_at, v_now, 'sandbox');
  INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
  VALUES (v_tenant_id, 1, 'grant', p_credits, p_credits, 'sandbox', p_lot_id, v_now);
  RETURN p_credits;
END $$;

REVOKE ALL ON FUNCTION grant_sandbox_credits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION grant_sandbox_credits TO einvoice_app;
