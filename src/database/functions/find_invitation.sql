-- Finds an invitation by the digest of its link. Runs as the owner because the tenant is still unknown.
CREATE OR REPLACE FUNCTION find_invitation(p_digest bytea)
RETURNS TABLE (tenant_id uuid, id uuid, organisation text, email text, role text, is_open boolean, has_account boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT i.tenant_id, i.id, t.name, i.email, i.role,
         i.accepted_at IS NULL AND i.revoked_at IS NULL AND i.expires_at > service_now(),
         EXISTS (SELECT FROM user_account u WHERE u.email = i.email)
    FROM invitation i JOIN tenant t ON t.tenant_id = i.tenant_id WHERE i.digest = p_digest
$$;

REVOKE ALL ON FUNCTION find_invitation FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_invitation TO einvoice_app;
