-- Counts that a blocked subject was refused. Returns how often it was since its attempts are counted, and the seconds
-- until one is allowed; no row when nothing is counted of it any more. Runs as the owner, because the dashboard's role
-- may not change what is counted.
CREATE OR REPLACE FUNCTION refuse_attempt(p_subject text)
RETURNS TABLE (refused integer, seconds double precision)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sign_in_throttle t SET refused = t.refused + 1 WHERE t.subject = p_subject
  RETURNING t.refused, extract(epoch FROM t.blocked_until - service_now())::double precision
$$;

REVOKE ALL ON FUNCTION refuse_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION refuse_attempt TO einvoice_app;
