-- Renames a user. Runs as the owner because einvoice_app cannot update users.
CREATE OR REPLACE FUNCTION rename_user(p_user_id uuid, p_name text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  UPDATE user_account SET name = p_name WHERE id = p_user_id AND disabled_at IS NULL
$$;

REVOKE ALL ON FUNCTION rename_user FROM PUBLIC;
GRANT EXECUTE ON FUNCTION rename_user TO einvoice_app;
