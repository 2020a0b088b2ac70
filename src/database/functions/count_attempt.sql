-- Counts an attempt before it is made and returns whether it is allowed. A blocked subject is not counted, so its block
-- ends on time. After the free attempts, blocks double up to p_block_seconds_max. Runs as the owner because
-- einvoice_app cannot update the counts.
CREATE OR REPLACE FUNCTION count_attempt(p_subject text, p_free integer, p_memory_seconds integer,
                                         p_block_seconds integer, p_block_seconds_max integer)
RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_forgotten CONSTANT timestamptz := service_now() - make_interval(secs => p_memory_seconds);
BEGIN
  INSERT INTO sign_in_throttle AS t (subject, tries, blocked_until, updated_at)
  VALUES (p_subject, 1, service_now(), service_now())
  ON CONFLICT (subject) DO UPDATE SET
    tries = CASE WHEN t.updated_at < v_forgotten THEN 1 ELSE t.tries + 1 END,
    refused = CASE WHEN t.updated_at < v_forgotten THEN 0 ELSE t.refused END,
    blocked_until = CASE
      WHEN t.updated_at < v_forgotten OR t.tries + 1 < p_free
      THEN t.blocked_until
      ELSE service_now() + make_interval(
        secs => least(p_block_seconds_max, p_block_seconds * power(2, least(t.tries + 1 - p_free, 10)))) END,
    updated_at = service_now()
  WHERE t.blocked_until <= service_now();
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION count_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_attempt TO einvoice_app;
