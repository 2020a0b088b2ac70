-- Expires a tenant's lots with one entry per lot, in order of expiry, and returns the account (docs/rules.md#credits).
-- The caller has locked the account and read the clock afterwards.
CREATE OR REPLACE FUNCTION sweep_expired_lots(p_tenant_id uuid, p_now timestamptz)
RETURNS TABLE (balance integer, entry_sequence integer) LANGUAGE sql SET search_path = public, pg_temp AS $$
  WITH lot AS MATERIALIZED (
    SELECT id, remaining, environment, row_number() OVER earliest AS position,
           sum(remaining) OVER earliest AS through_here
      FROM credit_lot
     WHERE tenant_id = p_tenant_id AND remaining > 0 AND expires_at <= p_now
    WINDOW earliest AS (ORDER BY expires_at, id ROWS UNBOUNDED PRECEDING)),
  swept AS (
    UPDATE credit_lot l SET remaining = 0 FROM lot WHERE l.tenant_id = p_tenant_id AND l.id = lot.id),
  appended AS (
    INSERT INTO credit_entry (tenant_id, sequence, kind, amount, balance_after, environment, cause_id, created_at)
    SELECT p_tenant_id, a.entry_sequence + lot.position, 'expire', -lot.remaining, a.balance - lot.through_here,
           lot.environment, lot.id, p_now
      FROM lot JOIN credit_account a ON a.tenant_id = p_tenant_id)
  UPDATE credit_account a
     SET balance = a.balance - (SELECT coalesce(sum(remaining), 0) FROM lot),
         entry_sequence = a.entry_sequence + (SELECT count(*) FROM lot)
   WHERE a.tenant_id = p_tenant_id
  RETURNING a.balance, a.entry_sequence
$$;

REVOKE ALL ON FUNCTION sweep_expired_lots FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sweep_expired_lots TO einvoice_app, einvoice_operator;
