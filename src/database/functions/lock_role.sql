-- Returns a user's role in the transaction's tenant and locks it until the commit; null for a disabled user or a
-- non-member. Runs as the owner because einvoice_app cannot lock users.
CREATE OR REPLACE FUNCTION lock_role(p_user_id uuid) RETURNS text
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT m.role FROM membership m JOIN user_account u ON u.id = m.user_id
   WHERE m.tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid AND m.user_id = p_user_id
     AND u.disabled_at IS NULL
     FOR SHARE
$$;

REVOKE ALL ON FUNCTION lock_role FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_role TO einvoice_app;
