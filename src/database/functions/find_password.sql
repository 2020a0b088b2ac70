-- Finds the password hash of an enabled user. Runs as the owner because einvoice_app cannot read password hashes.
CREATE OR REPLACE FUNCTION find_password(p_email text)
RETURNS TABLE (user_id uuid, password_hash text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT u.id, u.password_hash FROM user_account u WHERE u.email = p_email AND u.disabled_at IS NULL
$$;

REVOKE ALL ON FUNCTION find_password FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_password TO einvoice_app;
