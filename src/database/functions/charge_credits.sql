-- Spends credits of a tenant as the last step of an accepted call: those for its environment alone first, then those
-- for both, of each the earliest to expire (docs/rules.md#credits). A function and not a statement, because each statement in it sees what was committed when
-- it began: the lots are read after the account's lock was acquired, which a single statement could not do. Every
-- change of a lot holds that lock. The clock is read under the lock too, so that entries are in the order of their
-- times: credits that have expired when the lock is acquired cannot be spent, even if the call has waited for the
-- lock over midnight. Returns what is left for that environment; below zero it is what is missing, and nothing was
-- written.
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
