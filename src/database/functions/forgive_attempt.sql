-- Takes back one attempt of a subject that succeeded, with the block that it began when it was the last free one. Runs
-- as the owner, because the dashboard's role may not change what is counted.
CREATE OR REPLACE FUNCTION forgive_attempt(p_subject text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE sign_in_throttle SET tries = tries - 1, blocked_until = service_now() WHERE subject = p_subject
$$;

REVOKE ALL ON FUNCTION forgive_attempt FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forgive_attempt TO einvoice_app;
