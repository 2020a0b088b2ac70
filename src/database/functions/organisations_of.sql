-- Lists a user's organisations. Runs as the owner because no tenant is set when a user selects an organisation.
CREATE OR REPLACE FUNCTION organisations_of(p_user_id uuid)
RETURNS TABLE (tenant_id uuid, name text, role text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT t.tenant_id, t.name, m.role
    FROM membership m JOIN tenant t ON t.tenant_id = m.tenant_id
   WHERE m.user_id = p_user_id ORDER BY t.name, t.tenant_id
$$;

REVOKE ALL ON FUNCTION organisations_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION organisations_of TO einvoice_app;
