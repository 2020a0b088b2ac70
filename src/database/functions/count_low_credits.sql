-- Counts the organisations that have spent all credits, and those that have fewer than p_little left. An index on the
-- balance would be written for every accepted document. Runs as the owner because the dispatcher cannot read balances.
CREATE OR REPLACE FUNCTION count_low_credits(p_little integer) RETURNS TABLE (no_credits integer, few_credits integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*) FILTER (WHERE a.balance = 0)::integer, count(*) FILTER (WHERE a.balance > 0)::integer
    FROM (SELECT balance FROM credit_account
           WHERE entry_sequence > 0 ORDER BY tenant_id LIMIT 100000) a
   WHERE a.balance < p_little
$$;

REVOKE ALL ON FUNCTION count_low_credits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_low_credits TO einvoice_dispatcher;
