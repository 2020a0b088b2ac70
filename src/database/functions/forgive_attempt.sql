-- Uncounts a successful attempt and ends a block that it began. Runs as the owner because einvoice_app cannot
-- update the counts.
CREATE OR REPLACE FUNCTION forgive_attempt(p_subject text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sign_in_throttle SET tries = tries - 1, blocked_until = service_now() WHERE subject = p_subject
$$;

REVOKE ALL ON FUNCTION forgive_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forgive_attempt TO einvoice_app;
