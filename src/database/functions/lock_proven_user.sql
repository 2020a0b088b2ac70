-- Locks a user whose password was just verified, and returns whether the password is still the same. Runs as the owner
-- because einvoice_app cannot lock users.
CREATE OR REPLACE FUNCTION lock_proven_user(p_user_id uuid, p_password_hash text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM user_account
    WHERE id = p_user_id AND password_hash = p_password_hash AND disabled_at IS NULL FOR NO KEY UPDATE;
  RETURN FOUND;
END $$;

REVOKE ALL ON FUNCTION lock_proven_user FROM PUBLIC;
GRANT EXECUTE ON FUNCTION lock_proven_user TO einvoice_app;
