-- Finds a valid session by its digest, with the user's role in the given organisation; the role is null without a
-- membership. Sessions of operators have shorter limits. Runs as the owner because the tenant is still unknown.
CREATE OR REPLACE FUNCTION find_session(
  p_digest bytea, p_tenant_id uuid, p_idle_seconds integer, p_operator_idle_seconds integer, p_operator_seconds integer)
RETURNS TABLE (session_id uuid, user_id uuid, email text, name text, is_operator boolean, role text,
               last_seen_at timestamptz, expires_at timestamptz, now timestamptz)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT s.id, u.id, u.email, u.name, u.is_operator, m.role, s.last_seen_at, s.expires_at, service_now()
    FROM user_session s
    JOIN user_account u ON u.id = s.user_id
    LEFT JOIN membership m ON m.user_id = u.id AND m.tenant_id = p_tenant_id
   WHERE s.digest = p_digest AND s.expires_at > service_now() AND u.disabled_at IS NULL
     AND s.last_seen_at > service_now() - make_interval(secs => p_idle_seconds)
     AND (NOT u.is_operator OR (s.last_seen_at > service_now() - make_interval(secs => p_operator_idle_seconds)
                                AND s.created_at > service_now() - make_interval(secs => p_operator_seconds)))
$$;

REVOKE ALL ON FUNCTION find_session FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_session TO einvoice_app;
