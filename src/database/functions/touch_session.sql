-- Stores that a session was used. Runs as the owner because einvoice_app cannot update sessions.
CREATE OR REPLACE FUNCTION touch_session(p_session_id uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE user_session SET last_seen_at = service_now() WHERE id = p_session_id AND expires_at > service_now()
$$;

REVOKE ALL ON FUNCTION touch_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION touch_session TO einvoice_app;
