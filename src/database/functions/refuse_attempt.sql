-- Counts a refused attempt. Returns the number of refusals and the seconds until the next allowed attempt. Runs as the
-- owner because einvoice_app cannot update the counts.
CREATE OR REPLACE FUNCTION refuse_attempt(p_subject text)
RETURNS TABLE (refused integer, seconds double precision)
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sign_in_throttle t SET refused = t.refused + 1 WHERE t.subject = p_subject
  RETURNING t.refused, extract(epoch FROM t.blocked_until - service_now())::double precision
$$;

REVOKE ALL ON FUNCTION refuse_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION refuse_attempt TO einvoice_app;
