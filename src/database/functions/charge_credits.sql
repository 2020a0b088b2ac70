-- Spends a tenant's credits: first those of the environment, then those of both, each in order of expiry
-- (docs/rules.md#credits). Lots and clock are read in statements of their own after the account is locked: every change
-- of a lot holds this lock, and credits that expired during the wait must not be spent. Returns the credits left for
-- the environment. A negative result is the number of missing credits; no row was written.
CREATE OR REPLACE FUNCTION charge_credits(
  p_tenant_id uuid, p_credits integer, p_environment text, p_kind text, p_cause_id uuid)
RETURNS integer LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  v_now timestamptz;
  v_balance integer;
  v_sequence integer;
  v_spendable integer;
  v_has_expired boolean;
BEGIN
  SELECT balance, entry_sequence INTO v_balance, v_sequence
    FROM credit_account WHERE tenant_id = p_tenant_id FOR UPDATE;
  v_now := service_now();
  SELECT coalesce(sum(remaining) FILTER (
           WHERE expires_at > v_now AND (environment IS NULL OR environment = p_environment)), 0),
         coalesce(bool_or(expires_at <= v_now), false)
    INTO v_spendable, v_has_expired
    FROM credit_lot WHERE tenant_id = p_tenant_id AND remaining > 0;
  IF v_spendable < p_credits THEN
    RETURN v_spendable - p_credits;
  END IF;
  IF v_has_expired THEN
    SELECT s.balance, s.entry_sequence INTO v_balance, v_sequence FROM sweep_expired_lots(p_tenant_id, v_now) s;
  END IF;
  WITH taken AS MATERIALIZED (
    SELECT id, least(remaining, p_credits - earlier) AS amount
      FROM (SELECT id, remaining,
                   sum(remaining) OVER (ORDER BY environment NULLS LAST, expires_at, id) - remaining AS earlier
              FROM credit_lot
             WHERE tenant_id = p_tenant_id AND remaining > 0
               AND (environment IS NULL OR environment = p_environment)) lot
     WHERE earlier < p_credits),
  lot AS (
    UPDATE credit_lot l SET remaining = l.remaining - taken.amount
      FROM taken WHERE l.tenant_id = p_tenant_id AND l.id = taken.id),
  entry AS (
    INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
    VALUES (p_tenant_id, v_sequence + 1, p_kind, -p_credits, v_balance - p_credits, p_environment, p_cause_id, v_now))
  UPDATE credit_account SET balance = v_balance - p_credits, entry_sequence = v_sequence + 1
   WHERE tenant_id = p_tenant_id;
  RETURN v_spendable - p_credits;
END $$;

REVOKE ALL ON FUNCTION charge_credits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION charge_credits TO einvoice_app;
