-- How many organisations that had credits have none left, and how many fewer than p_little. Runs as the owner: the
-- dispatcher shows the two numbers in its metrics and reads nobody's balance. One short row for each organisation, by
-- the key; an index of the balance would be written with every document that is accepted.
CREATE OR REPLACE FUNCTION count_low_credits(p_little integer) RETURNS TABLE (no_credits integer, few_credits integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT count(*) FILTER (WHERE a.balance = 0)::integer, count(*) FILTER (WHERE a.balance > 0)::integer
    FROM (SELECT balance FROM credit_account
           WHERE entry_sequence > 0 ORDER BY tenant_id LIMIT 100000) a
   WHERE a.balance < p_little
$$;

REVOKE ALL ON FUNCTION count_low_credits FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_low_credits TO einvoice_dispatcher;
